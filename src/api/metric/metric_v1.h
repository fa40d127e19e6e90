/* SPDX-License-Identifier: Apache-2.0 */
/* metric_v1 - parameters of /v1/query, and the forms of its responses; private to api.
 *
 *     json   {"results":[{"component","metric","unit","from","step","values":[...],
 *            "count","avg","min","max","sum","contributors":[least,most],"sources":[]}]}
 *     table  {"columns":[...],"rows":[[component, metric, time, value]...],"notes":[]}
 *     csv    the same rows
 *     objects  the same rows, an object each, without notes
 *
 * A series whose samples are on no common grid, because it has no step of its own or
 * that changed within the range, has "step":null and "times":[...] beside its values,
 * where no step was asked for.  What cannot be answered is an item with
 * "error", a note of a table, a last line of csv that begins with #; so is what the
 * request names and is not there ("missing", in json an array of objects).  With
 * statistics=only, or a top, rows are one a component: count, avg, min, max, sum.
 */
#ifndef API_METRIC_V1_H
#define API_METRIC_V1_H

#include "api/metric/metric_api.h"

#define V1_COMPONENTS_MAX 64

struct v1_query {
    struct span components[V1_COMPONENTS_MAX]; /* patterns, level by level */
    size_t component_count;
    bool is_every_host; /* the request names no component */
    struct span job;    /* its nodes and its time; empty: none is named */
    struct span metric; /* patterns, comma-separated */
    struct span
        other; /* the name of a parameter that a job has none of; may be empty */
    struct metric_params params;
};

/* Its parameters one by one; their texts outlive it.
 * Errors: -EINVAL with the parameter's name. */
void v1_query_init(struct v1_query *query);
int v1_query_add(struct v1_query *query, struct span name, struct span value,
                 struct err *err);
int v1_query_settle(struct v1_query *query, struct err *err);
/* All of a request's. */
int v1_query_parse(struct net_request *request, struct v1_query *ret, struct err *err);

/* What one item or row has. */
struct v1_item {
    struct span component;
    const struct metric *metric;
    const struct metric_result *result;
};

struct v1_writer {
    enum metric_form form;
    unsigned want;
    size_t rows;
    enum metric_counters counters;
    int64_t step_ns;       /* that the request wants; 0: none */
    int64_t step_noted_ns; /* another that points have, which a note names */
    char unit[64];         /* of the values of all metrics; "": they differ */
    const struct metric_missing *missing; /* components; may be NULL */
    struct strbuf notes; /* of tables and csv: what could not be answered */
    size_t note_count, error_count;
};

/* Append the unit that values of a metric are written in: "B/s" of a rate of "B". */
void v1_unit(const struct v1_writer *w, const struct metric *metric,
             struct strbuf *out);
const char *v1_content_type(enum metric_form form);
void v1_write_begin(const struct v1_writer *w, struct strbuf *out);
int v1_write_item(struct v1_writer *w, const struct v1_item *item, struct strbuf *out);
void v1_write_error(struct v1_writer *w, const struct v1_item *item, const char *text,
                    struct strbuf *out);
void v1_write_end(struct v1_writer *w, struct strbuf *out);

#endif
