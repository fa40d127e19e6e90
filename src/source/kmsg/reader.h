/* SPDX-License-Identifier: Apache-2.0 */
/* reader - the records of /dev/kmsg from a position on, and how many were overwritten.
 *
 * The kernel numbers its records from the boot on and overwrites the oldest: a number
 * that is passed over is a record that was lost.  A recorded file is read the same way.
 * Nothing waits: the descriptor is non-blocking.
 */
#ifndef SOURCE_KMSG_READER_H
#define SOURCE_KMSG_READER_H

#include "source/kmsg/record.h"

#include <stddef.h>

/* The kernel refuses to read a record that is longer than the buffer; its own are
 * 8 KiB. */
#define KMSG_READ_BYTES 16384

struct kmsg_reader {
    int fd;
    uint64_t next;    /* the sequence number of the next record */
    uint64_t lost;    /* records that were overwritten before they were read */
    uint64_t bad;     /* lines that are none */
    bool is_line_cut; /* what comes up to the next line's end belongs to one too long */
    size_t at, size;
    char data[KMSG_READ_BYTES];
};

/* fd: stays the caller's.  next: 0 for all that the kernel has. */
void kmsg_reader_start(struct kmsg_reader *reader, int fd, uint64_t next);
/* 1: *ret, valid until the next call.  0: there is none now, or *budget, which each
 * line decreases, is used up.  Errors: those of read(). */
int kmsg_reader_next(struct kmsg_reader *reader, unsigned *budget,
                     struct kmsg_record *ret);

#endif
