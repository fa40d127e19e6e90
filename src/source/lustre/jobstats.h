/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats - the text of job_stats, of any Lustre from 2.3 to 2.17, entry by entry.
 *
 *     text ──feed──▶ line ──▶ one struct entry, used again ──▶ entry_fn
 *
 * The form is distinguished line by line, never by a version: servers are upgraded
 * under running jobs, and back-ports mix forms.  A malformed line costs that line, a
 * malformed entry that entry; each is counted by kind and reported with its place.
 *
 * Memory: one line and one entry, whatever the size of the text; nothing is allocated
 * after jobstats_parser_new().
 * Sources: lustre/obdclass/lprocfs_jobstats.c of the branches b2_5 .. master; LU-11407,
 * LU-13857, LU-16110, LU-16231, LU-18351.
 */
#ifndef SOURCE_LUSTRE_JOBSTATS_H
#define SOURCE_LUSTRE_JOBSTATS_H

#include "model/model.h"

enum jobstats_fault {
    JOBSTATS_LINE_TOO_LONG, /* over JOBSTATS_LINE_BYTES_MAX: skipped */
    JOBSTATS_LINE_STRAY,    /* belongs to no entry and is no known parameter */
    JOBSTATS_BAD_OP,        /* an operation's line that cannot be read */
    JOBSTATS_BAD_TIME,      /* a time that is none: the field is missing */
    JOBSTATS_BAD_ID, /* empty, over ENTRY_ID_BYTES_MAX, or badly quoted: entry lost */
    JOBSTATS_TOO_MANY_OPS, /* over ENTRY_OPS_MAX: the operation is lost */
    JOBSTATS_ENTRY_CUT,    /* the text ended inside an entry: what was whole is kept */
    JOBSTATS_FAULT_COUNT,
};

#define JOBSTATS_LINE_BYTES_MAX 8192

struct jobstats_counts {
    uint64_t bytes, lines;
    uint64_t entries;         /* handed to entry_fn */
    uint64_t entries_dropped; /* malformed ones */
    uint64_t targets;         /* job_stats headers with a target */
    uint64_t other_lines;     /* of other parameters in the same text: no fault */
    uint64_t boot_time;       /* entries whose times count from boot */
    uint64_t faults[JOBSTATS_FAULT_COUNT];
};

/* entry is valid during the call.  A negative return ends the parse and is returned. */
typedef int jobstats_entry_fn(void *arg, const struct entry *entry);
/* place: the line (from 1); text: the line, for a person. */
typedef void jobstats_fault_fn(void *arg, enum jobstats_fault fault, uint64_t line,
                               struct span text);

struct jobstats_parser; /* opaque */

/* fault_fn may be NULL.  Errors: -ENOMEM. */
int jobstats_parser_new(jobstats_entry_fn *entry_fn, jobstats_fault_fn *fault_fn,
                        void *arg, struct jobstats_parser **ret);
void jobstats_parser_free(struct jobstats_parser *p);
DEFINE_AUTO(struct jobstats_parser, jobstats_parser_free);

/* Say which target follows, for texts that do not (get_param -n, files).  Forgets an
 * entry that is half read; keeps the counts. */
void jobstats_parser_begin(struct jobstats_parser *p, struct span target,
                           enum target_kind kind);
/* Pieces of any size, cut anywhere.  Errors: what entry_fn returned; from then on every
 * call returns it. */
int jobstats_parser_feed(struct jobstats_parser *p, const void *data, size_t size);
/* The text is over: the last entry is handed out.  Another may follow, with a begin or
 * without, and its lines count from 1 again. */
int jobstats_parser_finish(struct jobstats_parser *p);

const struct jobstats_counts *jobstats_parser_counts(const struct jobstats_parser *p);
const char *jobstats_fault_name(enum jobstats_fault fault); /* "line_too_long", ... */

#endif
