/* SPDX-License-Identifier: Apache-2.0 */
/* metric_args - the options of requests about metrics, and the parameters they make. */
#ifndef CMD_METRIC_ARGS_H
#define CMD_METRIC_ARGS_H

#include "client/client.h"

struct metric_args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *aggregate, *by, *resample;
    bool statistics;
    uint64_t width, height;
};

#define METRIC_FIELD(field) offsetof(struct metric_args, field)

/* One option a line or two. */
/* clang-format off */
#define METRIC_RANGE_OPTIONS                                                             \
    { "from", 0, OPTION_TEXT, CLIENT_FIELD(from), "TIME",                                \
      "The range's beginning: 2026-11-21T06:00Z, -2h, @1669010520." },                   \
    { "to", 0, OPTION_TEXT, CLIENT_FIELD(to), "TIME", "Its end; default: now." },        \
    { "last", 0, OPTION_TEXT, CLIENT_FIELD(last), "DURATION",                            \
      "Its length up to its end, instead of a beginning; default: 1h." },                \
    { "aggregate", 'a', OPTION_TEXT, METRIC_FIELD(aggregate), "HOW",                     \
      "sum or avg: one series for all components." }
/* clang-format on */

/* Add the operands METRIC [COMPONENT]... */
void metric_operands_add(struct net_url *url, int operand_count, char **operands);
/* The same, and the parameters of METRIC_RANGE_OPTIONS. */
void metric_args_add(struct net_url *url, const struct metric_args *args,
                     int operand_count, char **operands);

#endif
