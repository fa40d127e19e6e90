/* SPDX-License-Identifier: Apache-2.0 */
/* totals - one module's records added up: counters, files by kind, and performance.
 *
 * The rules are those of darshan-parser's --total, --file and --perf, but for the
 * commonest values, which are exact here; doc/formats/darshan.md states them.
 */
#ifndef SOURCE_DARSHAN_TOTALS_H
#define SOURCE_DARSHAN_TOTALS_H

#include "source/darshan/record.h"

struct darshan_totals;

enum darshan_category {
    DARSHAN_ALL_FILES,
    DARSHAN_READ_ONLY,
    DARSHAN_WRITE_ONLY,
    DARSHAN_READ_WRITE,
    DARSHAN_UNIQUE,      /* used by one rank */
    DARSHAN_SHARED,      /* by all ranks together */
    DARSHAN_PART_SHARED, /* by several ranks, each with a record of its own */
    DARSHAN_CATEGORIES,
};

struct darshan_files {
    uint64_t count;
    int64_t bytes;         /* read and written */
    int64_t max_byte;      /* highest offset used; -1: the module does not know */
    int64_t max_bytes_sum; /* of all files' highest offsets; -1 likewise */
};

struct darshan_summary {
    uint64_t records;
    int64_t counters[DARSHAN_COUNTERS_MAX]; /* in the module's order */
    double f_counters[DARSHAN_F_COUNTERS_MAX];
    struct darshan_files files[DARSHAN_CATEGORIES];
    uint64_t files_left_out;  /* beyond the limit: files[] counts without them */
    uint64_t values_left_out; /* counts of sizes and strides beyond the limit */
    int64_t bytes;
    /* Of the rank that spent most time in files that are its own. */
    int64_t slowest_rank;
    double slowest_rank_io_s;
    double slowest_rank_meta_s;
    double slowest_rank_rw_s;
    double shared_io_s; /* sum over shared files of their slowest rank's time */
    double io_s;        /* slowest_rank_io_s + shared_io_s */
    double mib_per_s;   /* bytes by io_s; 0 when io_s is 0 */
};

/* POSIX, MPI-IO, STDIO, DFS and DAOS have totals. */
bool darshan_totals_fit(const struct darshan_module *module);

/* files_max: how many files are distinguished, 0 for 4 Mi; about 150 bytes each, and
 * as many for each rank.  So many different sizes and strides, too, 0 for 1 Mi of each;
 * about 80 bytes each.
 * Errors: -ENOMEM. */
int darshan_totals_new(const struct darshan_module *module, size_t files_max,
                       struct darshan_totals **ret);
void darshan_totals_free(struct darshan_totals *t);
DEFINE_AUTO(struct darshan_totals, darshan_totals_free);

/* Errors: -ENOMEM. */
int darshan_totals_add(struct darshan_totals *t, const struct darshan_record *record);
void darshan_totals_summary(const struct darshan_totals *t,
                            struct darshan_summary *ret);

const char *darshan_category_name(enum darshan_category category);

#endif
