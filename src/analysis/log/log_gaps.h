/* SPDX-License-Identifier: Apache-2.0 */
/* log_gaps - what a log has not, or has and nothing here reads: by module.
 *
 *     header ──▶ unread, partial ─┐
 *     reading ─▶ damaged ─────────┴▶ what a verdict may be about
 *
 * Modules are bits by their number (1 << id).
 */
#ifndef ANALYSIS_LOG_LOG_GAPS_H
#define ANALYSIS_LOG_LOG_GAPS_H

#include "base/strbuf.h"
#include "source/darshan/darshan.h"

#define LOG_BIT(id) (UINT32_C(1) << (id))
/* Modules through which bytes reach a file system. */
#define LOG_BITS_IO                                                             \
    (LOG_BIT(DARSHAN_POSIX) | LOG_BIT(DARSHAN_MPIIO) | LOG_BIT(DARSHAN_STDIO) | \
     LOG_BIT(DARSHAN_MDHIM) | LOG_BIT(DARSHAN_DFS) | LOG_BIT(DARSHAN_DAOS) |    \
     LOG_BIT(DARSHAN_UNKNOWN))

/* Modules whose numbers a profile has. */
#define LOG_BITS_PROFILE                                                        \
    (LOG_BIT(DARSHAN_POSIX) | LOG_BIT(DARSHAN_MPIIO) | LOG_BIT(DARSHAN_STDIO) | \
     LOG_BIT(DARSHAN_DFS) | LOG_BIT(DARSHAN_DAOS) | LOG_BIT(DARSHAN_LUSTRE) |   \
     LOG_BIT(DARSHAN_HEATMAP) | LOG_BIT(DARSHAN_DXT_POSIX) |                    \
     LOG_BIT(DARSHAN_DXT_MPIIO) | LOG_BIT(DARSHAN_H5F) | LOG_BIT(DARSHAN_H5D) | \
     LOG_BIT(DARSHAN_PNETCDF_FILE) | LOG_BIT(DARSHAN_PNETCDF_VAR) |             \
     LOG_BIT(DARSHAN_APMPI) | LOG_BIT(DARSHAN_APXC))

struct log_gaps {
    uint32_t present;    /* not a gap: with records, whether they are read or not */
    uint32_t unread;     /* records of modules, or of versions, that are not known */
    uint32_t partial;    /* Darshan had no memory for all records */
    uint32_t damaged;    /* cut short, or bytes that cannot be */
    bool is_job_damaged; /* who and when, or names of files */
};

enum log_gap {
    LOG_GAP_UNREAD,
    LOG_GAP_PARTIAL,
    LOG_GAP_DAMAGED,
    LOG_GAP_KINDS,
};

/* Those of the header; nothing is damaged yet. */
void log_gaps_find(const struct darshan_log *log, struct log_gaps *ret);
bool log_gaps_is_whole(const struct log_gaps *gaps);
/* Those of the modules of which not all records were read. */
uint32_t log_gaps_lacking(const struct log_gaps *gaps);
/* "DFS, DAOS"; "" without such gaps.  Returns how many. */
size_t log_gaps_print(const struct log_gaps *gaps, enum log_gap kind,
                      struct strbuf *out);
/* "unread", "partial", "damaged" */
const char *log_gap_name(enum log_gap kind);
/* The module of the n-th gap of a kind; NULL: there are not as many. */
const char *log_gaps_name(const struct log_gaps *gaps, enum log_gap kind, size_t n);

#endif
