/* SPDX-License-Identifier: Apache-2.0 */
/* log - one Darshan log, open for reading.
 *
 *     header ──▶ job ──▶ names ──▶ module after module, record after record
 *
 * Whatever is wrong with a part costs that part: it is reported through on_fault, and
 * the rest is read as far as it goes.
 *
 * Memory   the names (names_bytes_max), one record (record_bytes_max) and 130 KiB for
 *          the region being read: records are reported one by one and never gathered.
 * Threads  none inside: a log belongs to one thread at a time.
 */
#ifndef SOURCE_DARSHAN_LOG_H
#define SOURCE_DARSHAN_LOG_H

#include "source/darshan/job.h"
#include "source/darshan/record.h"

struct darshan_log;

enum darshan_fault {
    DARSHAN_FAULT_SKIPPED, /* nothing is wrong: a module that we do not read */
    DARSHAN_FAULT_DAMAGED, /* something is missing that the log should have */
};

/* Zero means the default. */
struct darshan_opts {
    uint64_t
        names_bytes_max; /* 256 MiB; further names are left out, and that is reported */
    size_t
        record_bytes_max; /* 64 MiB: Lustre layouts and heat maps have no fixed size */
    /* Plain bytes of one region: 64 MiB and 1100 times what it is packed, so that a
     * small file does not keep us for hours. */
    uint64_t region_bytes_max;
    int64_t until_ns; /* of clock_monotonic_ns(): what is not read by then is damaged */
    /* "POSIX: cut short after 12 records": one line without the log's name. */
    void (*on_fault)(void *arg, enum darshan_fault fault, const char *what);
    void *arg;
};

/* Open a file, and read header, job and names.  *ret is the caller's, to
 * darshan_log_close().  Errors: what open says; else as darshan_header_read(); -ENOMEM.
 */
int darshan_log_open(const char *path, const struct darshan_opts *opts,
                     struct darshan_log **ret, struct err *err);
/* The same out of memory, which stays the caller's and must outlive the log. */
int darshan_log_open_memory(const void *data, size_t size,
                            const struct darshan_opts *opts, struct darshan_log **ret,
                            struct err *err);
void darshan_log_close(struct darshan_log *log);
DEFINE_AUTO(struct darshan_log, darshan_log_close);

const struct darshan_header *darshan_log_header(const struct darshan_log *log);
const struct darshan_job *darshan_log_job(const struct darshan_log *log);
/* The path that a record is about; NULL: the log does not name it. */
const char *darshan_log_name(const struct darshan_log *log, uint64_t id);

/* Whether there are records in this slot that we can read.  A module that is known by
 * name only, or in another version, is reported through on_fault by darshan_log_read().
 */
bool darshan_log_is_readable(const struct darshan_log *log, unsigned slot);
bool darshan_log_has(const struct darshan_log *log, unsigned slot);

/* Tell all records of a slot.  0 also when the region is damaged: that was reported
 * through on_fault.  Else -ENOMEM, or what a callback returned. */
int darshan_log_read(struct darshan_log *log, unsigned slot,
                     const struct darshan_visitor *visitor);

#endif
