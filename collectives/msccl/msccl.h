/* Schedules in the XML of MSCCL, which msccl-tools and others write for GPUs (Cowan et al.,
 * MSCCLang: Microsoft Collective Communication Language, ASPLOS 2023): programs of thread blocks
 * that move chunks of buffers. They become lists of messages. */
#ifndef CPM_COLLECTIVES_MSCCL_MSCCL_H
#define CPM_COLLECTIVES_MSCCL_MSCCL_H

#include "collectives/schedule/messages.h"

/* Whether a text is an XML document: its first character that is no blank is '<'. */
bool cpm_msccl_is_xml(const char *text);

/* The messages of a text of size bytes, which errors call name. *out must be empty. What a message
 * brings is known, what all of them do is not proved. CPM_EPARSE: it is none, is too large, or does
 * what no list of messages says, with the gpu, the tb and the step; CPM_EDEADLOCK: steps wait for
 * each other; CPM_ENOMEM. */
int cpm_msccl_read(const char *name, const char *text, size_t size, cpm_messages *out,
                   cpm_error *e);

#endif
