/* SPDX-License-Identifier: Apache-2.0 */
/* labels - what names a series: pairs of name and value, sorted by name.
 *
 *     {__name__="node_load1", instance="n001", job="node"}
 *
 * A pair with an empty value is the same as no pair, and never stands in a set.  The
 * texts belong to the code that made the set; what is made here stands in the given
 * arena. Threads  none inside; a set does not change once it is made.
 */
#ifndef PROMQL_LABELS_H
#define PROMQL_LABELS_H

#include "base/arena.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdint.h>

#define LABEL_METRIC_NAME "__name__"
#define LABELS_MAX 1024 /* pairs of one set */

struct label {
    struct span name;
    struct span value;
};

struct labels {
    size_t count;
    const struct label *pairs;
};

/* Names of labels as an expression lists them: by (a, b). */
struct label_names {
    size_t count;
    const struct span *names;
};

enum labels_mode {
    LABELS_ONLY,   /* the listed names */
    LABELS_EXCEPT, /* all but the listed names and the metric's name */
};

bool label_names_have(const struct label_names *names, struct span name);

/* The value of a name; empty where there is none. */
struct span labels_get(const struct labels *labels, struct span name);

/* Order of the printed results: by name, then value, pair for pair. */
int labels_compare(const struct labels *a, const struct labels *b);

/* Append bytes that are equal for equal sets only; the second reads the set as if it
 * were reduced by labels_reduce(). */
void labels_add_key(struct strbuf *out, const struct labels *labels);
void labels_add_reduced_key(struct strbuf *out, const struct labels *labels,
                            enum labels_mode mode, const struct label_names *names);

/* A copy with its texts, sorted, without empty values; pairs may come in any order.
 * Errors: -ENOMEM, -EINVAL (a name twice, or more than LABELS_MAX pairs). */
int labels_copy(struct arena *arena, const struct labels *labels, struct labels *ret);

/* The pairs that mode and names leave.  The texts stay where they are.
 * Errors: -ENOMEM. */
int labels_reduce(struct arena *arena, const struct labels *labels,
                  enum labels_mode mode, const struct label_names *names,
                  struct labels *ret);

/* The same set with name set to value, or without it where value is empty.
 * Errors: -ENOMEM. */
int labels_set(struct arena *arena, const struct labels *labels, struct label pair,
               struct labels *ret);

/* The set without its metric name. Errors: -ENOMEM. */
int labels_drop_metric_name(struct arena *arena, const struct labels *labels,
                            struct labels *ret);

/* For messages: {a="x", b="y"}. */
void labels_print(struct strbuf *out, const struct labels *labels);

/* [a-zA-Z_][a-zA-Z0-9_]*; a metric name may hold colons, too. */
bool label_name_is_valid(struct span name);
bool metric_name_is_valid(struct span name);

#endif
