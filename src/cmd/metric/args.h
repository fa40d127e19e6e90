/* SPDX-License-Identifier: Apache-2.0 */
/* metric_args - the options of requests about metrics, and the parameters they make. */
#ifndef CMD_METRIC_ARGS_H
#define CMD_METRIC_ARGS_H

#include "client/client.h"

#define METRIC_ARGS_FIELD(name, value, choices, help) const char *name;

struct metric_args {
    struct client_args client; /* first: its options' offsets count from here */
    struct {
        METRIC_PARAMS(METRIC_ARGS_FIELD)
    } params;
    const char *job; /* whose nodes and time; NULL: none */
    bool statistics;
    uint64_t width, height;
};

#define METRIC_FIELD(field) offsetof(struct metric_args, field)

/* A parameter of the shared table (query/metric/metric_params.h) as an option. */
#define METRIC_OPTION(name, value, choices, help)                                 \
    { #name,                                                                      \
      METRIC_LETTER_##name,                                                       \
      METRIC_TYPE_##name,                                                         \
      METRIC_FIELD(params.name), /* The words that it may be, else what it is. */ \
      __builtin_choose_expr(sizeof(choices) > 1, choices, value),                 \
      help },

enum {
    METRIC_LETTER_from = 0,
    METRIC_LETTER_to = 0,
    METRIC_LETTER_last = 0,
    METRIC_LETTER_aggregate = 'a',
    METRIC_LETTER_step = 0,
    METRIC_LETTER_resample = 0,
    METRIC_LETTER_counters = 0,
    METRIC_LETTER_by = 'b',
};

#define METRIC_TYPE_from OPTION_TIME
#define METRIC_TYPE_to OPTION_TIME
#define METRIC_TYPE_last OPTION_TEXT
#define METRIC_TYPE_aggregate OPTION_TEXT
#define METRIC_TYPE_step OPTION_TEXT
#define METRIC_TYPE_resample OPTION_TEXT
#define METRIC_TYPE_counters OPTION_TEXT
#define METRIC_TYPE_by OPTION_TEXT

#define METRIC_JOB_OPTION                                        \
    { "job",                                                     \
      'j',                                                       \
      OPTION_TEXT,                                               \
      METRIC_FIELD(job),                                         \
      "JOBID",                                                   \
      "The nodes and the time of a job: its id, or CLUSTER/ID; " \
      "in place of components and a range." },

/* Errors: -EINVAL (a component stands where the metric should). */
int metric_operands_check(int operand_count, char **operands, struct err *err);
/* Add the operands METRIC [COMPONENT]... */
void metric_operands_add(struct net_url *url, int operand_count, char **operands);
/* The same, and the parameters that are given; counters are rates unless they say raw.
 * Errors: -EINVAL (no metric, or a value that the server would refuse; err names the
 * option). */
int metric_args_add(struct net_url *url, const struct metric_args *args,
                    int operand_count, char **operands, struct err *err);

#endif
