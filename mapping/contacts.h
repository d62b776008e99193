/* Contacts: schedules as a search changes them. A contact says that one process gives something to
 * another. What is given follows from all contacts before it, so that every change of them is a
 * schedule without deadlock, in which nobody receives twice what it has; or none that is complete.
 *
 * Contacts spread streams: a stream is a piece of what one process has at first. Each process
 * passes it on to others, so that its way is a tree. Where every process gets the same, whole
 * streams travel; where each gets its own, that part of a stream that is for those behind the
 * contact in the tree. */
#ifndef CPM_MAPPING_CONTACTS_H
#define CPM_MAPPING_CONTACTS_H

#include "collectives/schedule/messages.h"

/* What is given: a stream's number, or one of these. */
enum {
    CONTACT_ALL = -1,  /* all that the sender has and the receiver does not */
    CONTACT_TOKEN = -2 /* nothing: the receiver waits for the sender */
};

typedef struct {
    int from, to;
    int what;
    bool fresh[2]; /* begins a new round at the sender, at the receiver. What came in a round can be
                      sent in later ones only */
} contact;

typedef struct {
    contact *at; /* every process's rounds are in this order */
    int64_t count, capacity;
} contacts;

void contacts_clear(contacts *c);
int contacts_add(contacts *c, contact x, cpm_error *e);
int contacts_copy(const contacts *c, contacts *out, cpm_error *e);

/* How contacts are made an operation's schedule. */
typedef enum {
    CONTACTS_SPREAD,   /* as they are */
    CONTACTS_REVERSED, /* what they spread is collected: bcast for reduce */
    CONTACTS_APART,    /* they spread contributions, which are combined at the end */
    CONTACTS_COMBINED, /* what a process gives is combined with what the other has, or takes its
                          place */
    CONTACTS_COMPOSED  /* reversed, then as they are: an allreduce by a reduce_scatter of pieces */
} contacts_turn;

typedef struct {
    const cpm_operation *operation; /* that is to be done */
    const cpm_operation
        *spreads; /* that contacts do: bcast, scatter, allgather, alltoall, barrier */
    contacts_turn turn;
    int n, root;
    int pieces; /* of each unit, 1 where apart or combined; of what each process owns, where
                   composed */
} contacts_form;

/* Streams of a form, and processes that have one at first. */
int contacts_sources(const contacts_form *f);
int contacts_streams(const contacts_form *f);

/* Memory that makes schedules of contacts, which is used again. */
typedef struct contacts_maker contacts_maker;

int contacts_maker_open(const contacts_form *f, contacts_maker **out, cpm_error *e);
void contacts_maker_close(contacts_maker *k);

/* *out is the maker's own until its next one; NULL: they are not complete. Contacts that give
 * nothing are removed from c. CPM_ENOMEM. */
int contacts_make(contacts_maker *k, contacts *c, const cpm_messages **out, cpm_error *e);

/* Sets anew where rounds begin: as late as what is sent allows, but a round has at most so many
 * sends and as many receives. */
int contacts_set_rounds(contacts_maker *k, contacts *c, int most, cpm_error *e);

/* The contacts of a list of messages of the operation that the form's contacts do. single: messages
 * of one stream stay so, else all are given all that there is. *good is false if the list is
 * not like that. *out must be empty. */
int contacts_of(const cpm_messages *m, const contacts_form *f, bool single, contacts *out,
                bool *good, cpm_error *e);

#endif
