/* SPDX-License-Identifier: Apache-2.0 */
/* log_work - what was done through each interface, and in each file.
 *
 *     records of a module ─┬▶ its sums, and its accesses by size
 *                          └▶ the file, by the outermost interface that it has
 *
 * A file that was reached through MPI-IO or DFS has the bytes and times of that, since
 * what is below it is the same work once more.  Records of HDF5 and PnetCDF are of
 * objects in files, and count for their interface alone.
 *
 * Units    bytes; seconds, added up over all processes.
 * Memory   about 200 bytes a file, of LOG_WORK_FILES_MAX at most; further ones are
 *          counted.  Threads  none.
 */
#ifndef ANALYSIS_LOG_LOG_WORK_H
#define ANALYSIS_LOG_LOG_WORK_H

#include "base/cleanup.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "source/darshan/darshan.h"

#define LOG_WORK_FILES_MAX ((size_t)1 << 18)
#define LOG_WORK_INTERFACES_MAX 9
#define LOG_WORK_TOP 20
#define LOG_SIZE_CLASSES 10

struct log_sums {
    double bytes_read, bytes_written;
    double reads, writes, calls; /* calls: of metadata */
    double read_s, write_s, meta_s;
};

struct log_interface {
    const char *name; /* "MPI-IO" */
    uint64_t records;
    struct log_sums sums;
    bool has_sizes;
    double read_sizes[LOG_SIZE_CLASSES], write_sizes[LOG_SIZE_CLASSES];
};

struct log_file {
    const char *name;    /* the log's; NULL: not named */
    uint32_t interfaces; /* bits by number of module: LOG_BIT() */
    enum darshan_module_id first;
    uint64_t processes;
    int64_t stripes; /* -1: not known */
    struct log_sums sums;
};

enum log_work_order {
    LOG_WORK_BY_TIME,
    LOG_WORK_BY_BYTES,
};

struct log_work {
    struct log_interface interfaces[LOG_WORK_INTERFACES_MAX];
    size_t interface_count; /* those that have records, the outermost first */
    struct log_file *files;
    size_t file_count, capacity;
    uint64_t left_out;      /* files beyond the limit */
    struct hashmap indices; /* file id -> 1 + index */
};

/* Read all of it; names of files are the log's.  Errors: -ENOMEM; *ret is to be done
 * with in any case. */
int log_work_read(struct darshan_log *log, struct log_work *ret);
void log_work_done(struct log_work *work);
DEFINE_AUTO_DONE(struct log_work, log_work_done);

/* The files with most of it, the first first; those with none are left out.  Returns
 * how many. */
size_t log_work_top(const struct log_work *work, enum log_work_order order,
                    const struct log_file *ret[static LOG_WORK_TOP]);
/* "MPI-IO, POSIX": through which it was reached. */
void log_file_interfaces_print(const struct log_file *file, struct strbuf *out);
double log_sums_bytes(const struct log_sums *sums);
double log_sums_seconds(const struct log_sums *sums);
/* "0 to 100 B", "1 GiB and more", as Darshan divides them. */
const char *log_size_class(size_t index);

#endif
