/* SPDX-License-Identifier: Apache-2.0 */
/* metric_ask - what the questions about metrics share: operands, parameters, tables. */
#ifndef CMD_METRIC_ASK_H
#define CMD_METRIC_ASK_H

#include "cmd/asking.h"

struct metric_args {
    struct asking_args asking; /* first: its options' offsets count from here */
    const char *aggregate, *by, *resample;
    bool statistics;
    uint64_t width, height;
};

#define METRIC_FIELD(field) offsetof(struct metric_args, field)

/* One option a line or two. */
/* clang-format off */
#define METRIC_RANGE_OPTIONS                                                             \
    { "from", 0, OPTION_TEXT, ASKING_FIELD(from), "TIME",                                \
      "The range's beginning: 2026-11-21T06:00Z, -2h, @1669010520." },                   \
    { "to", 0, OPTION_TEXT, ASKING_FIELD(to), "TIME", "Its end; default: now." },        \
    { "last", 0, OPTION_TEXT, ASKING_FIELD(last), "DURATION",                            \
      "Its length up to its end, instead of a beginning; default: 1h." },                \
    { "aggregate", 'a', OPTION_TEXT, METRIC_FIELD(aggregate), "HOW",                     \
      "sum or avg: one answer for all components." }
/* clang-format on */

/* A path with its parameters. */
struct metric_url {
    struct strbuf text;
    char separator;
};

void metric_url_begin(struct metric_url *url, const char *path);
void metric_url_add(struct metric_url *url, const char *name, const char *value);
/* Those of METRIC_RANGE_OPTIONS, and the operands: METRIC [COMPONENT]. */
void metric_url_add_question(struct metric_url *url, const struct metric_args *args,
                             int operand_count, char **operands);
void metric_url_done(struct metric_url *url);
DEFINE_AUTO_DONE(struct metric_url, metric_url_done);

/* The answer's table.  Errors: what asking says. */
int metric_ask_table(const struct metric_args *args, struct metric_url *url,
                     struct table *ret, struct err *err);
/* The whole of a command: ask, print, say what was wrong.  Returns the exit status. */
int metric_ask_run(const struct metric_args *args, struct metric_url *url,
                   const char *command);
int metric_ask_failed(const char *command, int rc, const struct err *err);

#endif
