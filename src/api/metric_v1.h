/* SPDX-License-Identifier: Apache-2.0 */
/* metric_v1 - parameters of /v1/query, and the forms of its responses; private to api.
 *
 *     json   {"results":[{"component","metric","unit","from","step","values":[...],
 *            "count","avg","min","max","sum","contributors":[least,most],"sources":[]}]}
 *     table  {"columns":[...],"rows":[[component, metric, time, value]...],"notes":[]}
 *     csv    the same rows
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

#include "api/metric_api.h"

#define V1_COMPONENTS_MAX 64

enum v1_form {
    V1_JSON,
    V1_TABLE,
    V1_CSV,
};

enum v1_rank {
    V1_BY_AVG,
    V1_BY_MIN,
    V1_BY_MAX,
    V1_BY_SUM,
};

struct v1_query {
    struct span components[V1_COMPONENTS_MAX]; /* patterns, level by level */
    size_t component_count;
    bool is_every_host; /* the request names no component */
    struct span metric; /* patterns, comma-separated */
    int64_t from_ns, to_ns, step_ns;
    enum resampling resampling;
    bool is_together; /* one answer for all components */
    enum aggregation aggregation;
    uint64_t top;
    enum v1_rank by;
    unsigned want; /* METRIC_WANT_* */
    enum v1_form form;
};

/* Errors: -EINVAL with the parameter's name. */
int v1_query_parse(struct net_request *request, struct v1_query *ret, struct err *err);

/* What one item or row has. */
struct v1_item {
    struct span component;
    const struct metric *metric;
    const struct metric_result *answer;
};

struct v1_writer {
    enum v1_form form;
    unsigned want;
    size_t rows;
    const struct metric_missing *missing; /* components; may be NULL */
    struct strbuf notes; /* of tables and csv: what could not be answered */
    size_t note_count, error_count;
};

const char *v1_content_type(enum v1_form form);
void v1_write_begin(const struct v1_writer *w, struct strbuf *out);
int v1_write_item(struct v1_writer *w, const struct v1_item *item, struct strbuf *out);
void v1_write_error(struct v1_writer *w, const struct v1_item *item, const char *text,
                    struct strbuf *out);
void v1_write_end(struct v1_writer *w, struct strbuf *out);

#endif
