/* SPDX-License-Identifier: Apache-2.0 */
/* names - record id -> the path of the file it is about. */
#ifndef SOURCE_DARSHAN_NAMES_H
#define SOURCE_DARSHAN_NAMES_H

#include "base/arena.h"
#include "base/hashmap.h"
#include "source/darshan/stream.h"

struct darshan_names {
    struct arena arena;
    struct hashmap map; /* id -> text in the arena */
    size_t left_out;    /* names that were too long, or for which there was no room */
};

void darshan_names_init(struct darshan_names *names, size_t bytes_max);
void darshan_names_done(struct darshan_names *names);

/* Read all of the stream; what came before an end that is too early is kept.  Of two
 * names of one id the first stays.  Errors: -ENOMEM. */
int darshan_names_read(struct darshan_names *names, struct darshan_stream *s,
                       const struct darshan_header *header);

/* NULL: the log does not name it. */
const char *darshan_names_get(const struct darshan_names *names, uint64_t id);

#endif
