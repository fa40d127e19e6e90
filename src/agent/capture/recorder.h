/* SPDX-License-Identifier: Apache-2.0 */
/* recorder - raw dumps of this server, stored in a directory round after round.
 *
 *     round: the list and the cleanup intervals, then job_stats of each target
 *     behind it: the oldest files go until the rest fits into bytes_max
 *
 * Threads  one at a time.
 */
#ifndef AGENT_CAPTURE_RECORDER_H
#define AGENT_CAPTURE_RECORDER_H

#include "agent/get_param.h"
#include "agent/report.h"

#include <signal.h>

/* As get_param_wait, which is taken where it is NULL. */
typedef int recorder_read_fn(const struct agent_opts *opts, const char *flag,
                             const char *one, const char *two,
                             struct param_result *ret);

struct recorder_opts {
    const char *dir, *host;
    struct agent_opts source; /* where and how to read */
    int64_t interval_ns;      /* between two rounds, aligned to the clock */
    uint64_t rounds;          /* end after so many; 0: never */
    uint64_t bytes_max;
    bool anonymize; /* other letters and digits, the same for the same word */
    uint64_t key;   /* of these pseudonyms; never written down */
    recorder_read_fn *read_fn;
    const volatile sig_atomic_t *is_ended; /* set by a signal */
    const struct agent_report *report;     /* of what was left out */
};

struct recorder_counts {
    uint64_t dumps, bytes; /* before compression */
};

/* What the host and the directory may be: the host is a name.  Errors: -EINVAL. */
int recorder_check(const struct recorder_opts *opts, struct err *err);
/* Record until it is ended.  *ret counts also what was recorded before an error.
 * Errors: what starting lctl returns, what writing returns, -ENOMEM. */
int recorder_run(const struct recorder_opts *opts, struct recorder_counts *ret,
                 struct err *err);

#endif
