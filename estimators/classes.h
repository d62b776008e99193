/* Classes of like processes in estimation: designs for known ones, finding unknown ones, and what
 * is said of them (doc/estimation.md). */
#ifndef CPM_ESTIMATORS_CLASSES_H
#define CPM_ESTIMATORS_CLASSES_H

#include "measurements/measurements.h"
#include "models/model.h"

/* Appends a design that identifies LMO's parameters of classes and of pairs of classes: round trips
 * and trains (of train messages, at most short_train large ones) of 0 and of message bytes. The
 * number of rounds depends on the classes, not on the processes, which all work in nearly every
 * round: so each can be told from its class. n >= 3. CPM_ENOMEM. */
int cpm_class_design(const cpm_classes *c, int train, int short_train, size_t message,
                     cpm_design *d, cpm_error *e);

/* Classes of processes whose round trips with all others are the same but for chance. A process
 * that is like no other has a class of its own, "alone-RANK". hosts, if not NULL, of which one has
 * several processes: classes of hosts, as the round trips among their first processes and inside
 * them say; "alone-HOST" counts hosts. CPM_EDATA if round trips between all pairs are missing.
 * CPM_ENOMEM. */
int cpm_classes_find(const cpm_measurements *m, const cpm_hosts *hosts, cpm_classes *out,
                     cpm_error *e);

/* Notes who is in which class; found: who is alone in it. CPM_ENOMEM. */
int cpm_note_classes(bool found, const cpm_measurements *measured, cpm_model *m, cpm_error *e);

/* Notes processes that do not behave like their class: all their experiments take longer, or all
 * less, than the fit, by more than those of the others. used[count] with relative residuals (time -
 * fit) / time. CPM_ENOMEM. */
int cpm_note_odd_ones(const cpm_measurement *const *used, const double *residual, int count,
                      const cpm_measurements *measured, cpm_model *m, cpm_error *e);

#endif
