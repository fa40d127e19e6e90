/* SPDX-License-Identifier: Apache-2.0 */
/* job_evidence - what barod itself knows of a job, as job_inputs; private to api.
 *
 *     records   jobs and summaries ─▶ stored, jobs
 *               readings of targets ▶ readings
 *               rows of jobstats ───▶ servers, series
 *     [darshan] its log ──────────▶ find_log
 *     store     metrics of hosts ───▶ nodes
 *               totals of targets ──▶ space, moves
 *
 * The command line fills the same interface in client/job, out of files and over HTTP.
 *
 * Threads  one worker's.
 */
#ifndef API_JOB_EVIDENCE_H
#define API_JOB_EVIDENCE_H

#include "analysis/job/job.h"
#include "api/own_series.h"

struct job_evidence {
    const struct api_readers *readers;
    struct span cluster;       /* data NULL: any */
    struct span step;          /* data NULL: the whole job */
    struct strbuf job_cluster; /* of the record that was found, or cluster */
    struct job_scope scope;
    struct strbuf raw_id, uid; /* of the record that was found; empty: there is none */
    struct found_log found;    /* the log that was found last */
    struct budget_meter found_meter;
    struct budget_hold *hold;
    struct own_series series;
    struct strbuf names;
    struct job_list jobs; /* of the window read last */
    struct budget_meter jobs_meter;
    uint64_t jobs_bytes;
    struct span jobs_fs; /* that they may use; data NULL: not known */
    bool is_jobs_cut;    /* at half of what the query may hold */
    struct job_inputs inputs;
};

/* readers and the bytes of cluster outlive it. */
void job_evidence_init(struct job_evidence *evidence, const struct api_readers *readers,
                       struct span cluster, struct budget_hold *hold);
void job_evidence_done(struct job_evidence *evidence);
DEFINE_AUTO_DONE(struct job_evidence, job_evidence_done);

#endif
