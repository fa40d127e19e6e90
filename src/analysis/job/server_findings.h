/* SPDX-License-Identifier: Apache-2.0 */
/* server_findings - what the servers' counters of a job show, with its log or without.
 */
#ifndef ANALYSIS_JOB_SERVER_FINDINGS_H
#define ANALYSIS_JOB_SERVER_FINDINGS_H

#include "analysis/job/finding.h"

/* Requests that reached an OST on average: clients gather up to 4 MiB. */
#define SERVER_REQUEST_SMALL_BYTES 65536.0
#define SERVER_REQUESTS_MIN 200000
/* Metadata requests of a job, in all and a second of its run. */
#define SERVER_METADATA_MIN 500000
#define SERVER_METADATA_RATE_MIN 500.0
/* Many files of which each came in pieces to all of so many OSTs: more requests than
 * for metadata, each larger than a small one and smaller than what clients gather, and
 * no OST with much less than another. */
#define SERVER_WIDE_OSTS_MIN 8
#define SERVER_WIDE_REQUESTS 2.0 /* by metadata request */
#define SERVER_WIDE_REQUEST_BYTES 1048576.0
#define SERVER_WIDE_EVEN 0.8
/* So much of so many bytes on one OST: its file has one stripe. */
#define SERVER_ONE_TARGET_SHARE 0.95
#define SERVER_ONE_TARGET_BYTES_MIN 1e11

/* The target of the run with the most contention, where one is contended: 0 or 1.  p:
 * of its log; NULL: the cost is unknown. */
size_t findings_make_contended(const struct job_servers *servers,
                               const struct profile *p, struct finding *ret);

/* Of a job without a log: small requests, many of metadata, files over all OSTs, one
 * OST for nearly all.  run_s: how long it ran.  Returns how many, 4 at most. */
size_t findings_make_requests(const struct job_servers *servers, double run_s,
                              struct finding *ret);

#endif
