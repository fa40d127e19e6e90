/* SPDX-License-Identifier: Apache-2.0 */
/* header - the first bytes of a log: version, byte order, and where everything is.
 *
 * doc/formats/darshan.md has the layouts.  Everything in it is a claim of the file.
 */
#ifndef SOURCE_DARSHAN_HEADER_H
#define SOURCE_DARSHAN_HEADER_H

#include "base/err.h"
#include "source/darshan/input.h"
#include "source/darshan/module.h"

#define DARSHAN_SLOTS_MAX 64

enum darshan_compression {
    DARSHAN_ZLIB = 0,
    DARSHAN_BZIP2 = 1,
    DARSHAN_PLAIN = 2,
};

/* A place for one module's records in the header. */
struct darshan_slot {
    enum darshan_module_id id; /* DARSHAN_UNKNOWN: no module that we have heard of */
    uint32_t version;          /* of the module's records */
    bool is_partial;           /* Darshan itself ran out of memory for records */
    struct darshan_region region;
};

struct darshan_header {
    char version[9]; /* "3.21"; printable, NUL-terminated */
    unsigned number; /* 321 */
    bool is_big;     /* big-endian */
    enum darshan_compression compression;
    uint64_t size; /* of the header itself */
    struct darshan_region job;
    struct darshan_region names;
    unsigned slot_count;
    struct darshan_slot slots[DARSHAN_SLOTS_MAX];
};

/* Read it.  Errors: -EBADMSG (not a Darshan log, or it ends in the header), -ENOTSUP (a
 * format that we do not read: err says which and what to do), what pread says. */
int darshan_header_read(const struct darshan_input *in, struct darshan_header *ret,
                        struct err *err);

const char *darshan_compression_name(enum darshan_compression compression);

#endif
