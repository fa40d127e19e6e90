/* SPDX-License-Identifier: Apache-2.0 */
/* param - how Lustre's parameters are requested, and when.
 *
 * Threads  any: nothing is remembered.
 */
#ifndef AGENT_PARAM_H
#define AGENT_PARAM_H

#include "agent/config.h"

/* The first instant at or after now_ns that is a multiple of the interval, and a
 * target's offset in a round: the same in every round, below a twentieth of the
 * interval. */
int64_t agent_round_at(int64_t now_ns, int64_t interval_ns);
int64_t agent_round_offset(struct span target, int64_t interval_ns);

/* argv of a get_param, with NULL behind it; flag and two may be NULL.  The items point
 * into opts and the arguments. */
#define AGENT_ARGV_MAX 8
void agent_get_param(const struct agent_opts *opts, const char *flag, const char *one,
                     const char *two, char *argv[static AGENT_ARGV_MAX]);

/* "obdfilter.scratch-OST0001.job_stats" taken apart, where last is "job_stats";
 * *ret_name points into param.  Errors: -EINVAL. */
int agent_parse_param(struct span param, const char *last, struct span *ret_name,
                      enum target_kind *ret_kind);

#endif
