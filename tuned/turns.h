/* MPI's own routines and chosen algorithms in turns, and what the one gains over the other: cpm run
 * --compare. */
#ifndef CPM_TUNED_TURNS_H
#define CPM_TUNED_TURNS_H

#include "base/sheets.h"
#include "selection/choice.h"
#include "tuned/observed.h"

/* Whose turn the call of that number of a communicator is, the same at all its ranks. Of two
 * consecutive calls one is the library's; which one is drawn, so that a program that repeats itself
 * has both of each kind of call. It is the number of the call that decides, not how many there were
 * of its kind: a call that MPI refuses at one rank only has a number there, too, but no kind. */
tuned_by tuned_turn_of(long call);

/* Adds what was gained: of each kind of calls, and of the program. */
void tuned_turns_report(cpm_sheets *out, const tuned_account *a);

/* "chain:segment=8192", "binomial (mapped)", "native". */
void tuned_choice_print(const cpm_choice *c, char *text, size_t size);

#endif
