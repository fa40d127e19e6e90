/* SPDX-License-Identifier: Apache-2.0 */
/* segment - one file of the queue.  Inside the room only. */
#ifndef SPOOL_SEGMENT_H
#define SPOOL_SEGMENT_H

#include "base/err.h"
#include "base/strbuf.h"
#include "spool/frame.h"

#include <stdbool.h>
#include <stdint.h>

#define SEGMENT_VERSION 1

struct segment {
    uint64_t first; /* the sequence in its name */
    uint64_t last;  /* of its last record; first - 1 while there is none */
    uint64_t records, entries;
    uint64_t size_bytes; /* up to the end of its last whole record */
    uint32_t mark;       /* behind its last record (frame.h); 0: not recorded */
};

/* dir/<first>.spool */
void segment_path(const char *dir, uint64_t first, struct strbuf *out);

/* Create an empty one, open for appending.  *ret_fd is the caller's. */
int segment_create(const char *dir, uint64_t first, struct segment *ret, int *ret_fd,
                   struct err *err);
int segment_open(const char *dir, uint64_t first, int flags, int *ret_fd,
                 struct err *err);

/* Write the header anew.  Errors: what write returns. */
int segment_mend_header(int fd, uint64_t first);

/* The next record whose head is whole, at or after offset; the bytes passed over are
 * damage.  Errors: -ENOENT (no more), -EIO. */
struct segment_position {
    uint64_t offset; /* of the head */
    struct frame_record record;
};
int segment_next(int fd, uint64_t offset, struct segment_position *ret);

/* Read all heads, and with SEGMENT_AND_TAIL the last payload too.  A record whose
 * number is not below `before`, where the next segment begins, is damage and does not
 * count. */
enum segment_scan { SEGMENT_HEADS, SEGMENT_AND_TAIL };
int segment_scan(int fd, uint64_t first, uint64_t before, enum segment_scan how,
                 struct segment *ret);

/* Errors: -EBADMSG (damaged), -EIO, -ENOMEM. */
int segment_payload(int fd, const struct segment_position *position,
                    struct strbuf *payload);

#endif
