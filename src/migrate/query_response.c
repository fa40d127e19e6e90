/* SPDX-License-Identifier: Apache-2.0 */
/* query_response - what a store responds to GET /api/query, as series of values. */
#include "migrate/query_response.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RESULTS_MAX 10000
#define SECONDS_MAX INT64_C(10000000000) /* the year 2286 */
/* {"results": [[{"data": [1]}]]} */
#define LIST_DEPTH 2
#define RESULT_DEPTH 3
#define FIELD_DEPTH 4
#define VALUE_DEPTH 5

enum field {
    FIELD_NONE,
    FIELD_DATA,
    FIELD_FROM,
    FIELD_STEP,
    FIELD_ERROR,
};

struct parser {
    struct query_response *response;
    bool is_results;
    size_t position; /* in the list of one query */
    enum field field;
};

void query_response_done(struct query_response *response)
{
    free(response->results);
    free(response->values);
    *response = (struct query_response){ 0 };
}

static int add_result(struct query_response *a)
{
    if (a->result_count == RESULTS_MAX)
        return -EMSGSIZE;
    if (a->result_count == a->result_capacity) {
        size_t capacity = 2 * a->result_capacity + 64;
        struct query_result *results = realloc(a->results, capacity * sizeof *results);
        if (!results)
            return -ENOMEM;
        a->results = results;
        a->result_capacity = capacity;
    }
    a->results[a->result_count++] = (struct query_result){ .first = a->value_count };
    return 0;
}

static int add_value(struct query_response *a, double value)
{
    if (a->value_count == QUERY_RESPONSE_POINTS_MAX)
        return -EMSGSIZE;
    if (a->value_count == a->value_capacity) {
        size_t capacity = 2 * a->value_capacity + 1024;
        double *values = realloc(a->values, capacity * sizeof *values);
        if (!values)
            return -ENOMEM;
        a->values = values;
        a->value_capacity = capacity;
    }
    a->values[a->value_count++] = value;
    a->results[a->result_count - 1].count++;
    return 0;
}

static enum field field_of(struct span key)
{
    return span_is(key, "data")         ? FIELD_DATA
           : span_is(key, "from")       ? FIELD_FROM
           : span_is(key, "resolution") ? FIELD_STEP
           : span_is(key, "error")      ? FIELD_ERROR
                                        : FIELD_NONE;
}

/* Small enough that a time of any point can be computed. */
static int read_seconds(struct span text, int64_t *ret_s)
{
    int64_t value_s;
    if (number_parse_i64(text, &value_s) < 0 || value_s < 0 || value_s > SECONDS_MAX)
        return -EBADMSG;
    *ret_s = value_s;
    return 0;
}

static int read_number(struct parser *r, struct span text, unsigned depth)
{
    struct query_result *result = &r->response->results[r->response->result_count - 1];
    double value;
    if (depth == VALUE_DEPTH && r->field == FIELD_DATA)
        return number_parse_double(text, &value) < 0 ? -EBADMSG
                                                     : add_value(r->response, value);
    if (depth == FIELD_DEPTH && r->field == FIELD_FROM)
        return read_seconds(text, &result->from_s);
    if (depth == FIELD_DEPTH && r->field == FIELD_STEP)
        return read_seconds(text, &result->step_s);
    return 0;
}

static int read_in_result(struct parser *r, enum json_event event, struct span text,
                          unsigned depth)
{
    struct query_result *result = &r->response->results[r->response->result_count - 1];
    if (event == JSON_KEY && depth == RESULT_DEPTH)
        r->field = field_of(text);
    else if (event == JSON_NUMBER)
        return read_number(r, text, depth);
    else if (event == JSON_NULL && depth == VALUE_DEPTH && r->field == FIELD_DATA)
        return add_value(r->response, NAN);
    else if (event == JSON_STRING && depth == FIELD_DEPTH && r->field == FIELD_ERROR)
        (void)snprintf(result->error, sizeof result->error, SPAN_FMT, SPAN_ARG(text));
    return 0;
}

static int read_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct parser *r = arg;
    if (event == JSON_KEY && depth == 0)
        r->is_results = span_is(text, "results");
    if (!r->is_results || depth < LIST_DEPTH)
        return 0;
    if (event == JSON_ARRAY && depth == LIST_DEPTH) {
        r->position = 0;
        return add_result(r->response);
    }
    if (r->response->result_count == 0)
        return -EBADMSG;
    if (event == JSON_OBJECT && depth == RESULT_DEPTH) {
        r->response->results[r->response->result_count - 1].is_found = true;
        r->field = FIELD_NONE;
        r->position++;
        return 0;
    }
    return r->position == 1 ? read_in_result(r, event, text, depth) : 0;
}

int query_response_parse(struct span json, struct query_response *ret, struct err *err)
{
    struct parser r = { .response = ret };
    ret->result_count = ret->value_count = 0;
    int rc = json_read(json, read_event, &r, err);
    if (rc == -EBADMSG && err && !err->text[0])
        return err_set(err, EBADMSG, "the response is not one of /api/query");
    return rc;
}
