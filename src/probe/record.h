/* SPDX-License-Identifier: Apache-2.0 */
/* record - what is stored of a probe: a document, and rows beside those of other
 * nights.
 *
 *     DIR/2026/11/21/ID.json     everything, each process's share
 *     DIR/runs.csv               a row a phase, columns named as summaries of Darshan
 *                                logs are, so that `baro climate` reads it
 *                                (etc/studies/abc.conf)
 *
 * Formats: doc/formats/abc.md.
 */
#ifndef PROBE_RECORD_H
#define PROBE_RECORD_H

#include "base/err.h"
#include "base/strbuf.h"
#include "probe/run.h"

struct record_about {
    const char *id; /* "20261121T010203Z-1234-hacc" */
    const char *host;
    const char *file_system; /* a name, from the site file or the option */
    const char *mount;       /* where that begins */
    const char *stripes;     /* what was asked of lfs; NULL: nothing */
    const char *job;         /* of the batch system; NULL: none, as each of these */
    const char *cluster;
    const char *nodes;    /* where its processes ran */
    double core_hours;    /* used */
    const char *failure;  /* NULL: none */
    const char *log;      /* of all processes together, below the archive; NULL */
    const char *log_stem; /* of logs of each, "2026/11/21/ID"; NULL: there are none */
};

/* One JSON object for all that was run. */
void record_json(const struct record_about *about, const struct run_opts *opts,
                 const struct run_result *result, struct strbuf *out);
/* A row for each phase that came to its end. */
void record_csv_header(struct strbuf *out);
void record_csv(const struct record_about *about, const struct run_opts *opts,
                const struct run_result *result, struct strbuf *out);

/* The hosts of a run's processes, each once: "nid[00010-00013]".  Errors: -ENOMEM. */
int record_nodes(const struct run_result *result, struct strbuf *out);

/* Keep them below dir, and at most keep_max documents (0: all): the oldest go.  The
 * rows stay; a table with other columns is renamed to runs-1.csv, or the next number
 * that is free.  Errors: what files say. */
int record_store(const char *dir, const char *id, int64_t t_ns, struct span json,
                 struct span csv, uint64_t keep_max, struct err *err);

#endif
