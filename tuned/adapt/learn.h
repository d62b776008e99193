/* What a program's calls have shown, from one run to the next (CPM_LEARN): read by process 0 when
 * MPI begins, written by it when MPI_COMM_SELF ends. */
#ifndef CPM_TUNED_ADAPT_LEARN_H
#define CPM_TUNED_ADAPT_LEARN_H

/* Reads the file, if the environment names one, tells all what is of use, and sees to it that what
 * is learnt is written. Whatever is wrong with the file is one line on standard error. Collective
 * over MPI_COMM_WORLD. */
void tuned_learn_begin(void);

/* What happens when MPI_COMM_SELF ends, now: for simulated processes, which cannot send any more
 * by then. Nothing if it has happened, or there is no file. Collective over MPI_COMM_WORLD. */
void tuned_learn_end(void);

#endif
