/* SPDX-License-Identifier: Apache-2.0 */
/* engine - a query: text in, typed result out. */
#include "promql/engine.h"

#include "promql/evaluate.h"
#include "promql/select.h"
#include "promql/syntax/syntax.h"

#include <stdlib.h>

#define LOOKBACK_MS (INT64_C(5) * 60 * 1000)
#define SUBQUERY_STEP_MS (INT64_C(60) * 1000)
#define SAMPLES_MAX 50000000
#define MEMORY_MAX ((size_t)1 << 30)
/* Times have a distance from the ends of their type, so that sums of them do not
 * overflow. */
#define TIME_MAX_MS INT64_C(1000000000000000)

/* The result and what it points into. */
struct query {
    struct promql_result result;
    struct promql_request request;
    struct evaluation ev;
    struct value value;
    struct promql_row *rows;
};

void promql_result_free(struct promql_result *result)
{
    struct query *q = (struct query *)result;
    if (!q)
        return;
    value_done(&q->value);
    arena_done(&q->ev.arena);
    free(q->rows);
    free(q);
}

static void query_free(struct query *q)
{
    if (q)
        promql_result_free(&q->result);
}
DEFINE_AUTO(struct query, query_free);

static int check_times(const struct promql_request *r, struct err *err)
{
    if (r->start_ms < -TIME_MAX_MS || r->start_ms > TIME_MAX_MS ||
        r->end_ms < -TIME_MAX_MS || r->end_ms > TIME_MAX_MS || r->step_ms > TIME_MAX_MS)
        return err_set(err, EINVAL, "a time of the query is out of range");
    if (r->step_ms < 0)
        return err_set(err, EINVAL, "the step must be greater than 0");
    if (r->end_ms < r->start_ms)
        return err_set(err, EINVAL, "the end must not be before the start");
    if (r->step_ms == 0 && r->end_ms != r->start_ms)
        return err_set(err, EINVAL, "a range needs a step");
    if (r->step_ms > 0 && (r->end_ms - r->start_ms) / r->step_ms >= PROMQL_POINTS_MAX)
        return err_set(err, EINVAL,
                       "exceeded maximum resolution of 11,000 points per timeseries. "
                       "Try decreasing the query resolution (?step=XX)");
    return 0;
}

static int query_new(const struct promql_request *request,
                     const struct promql_source *source, struct query **ret,
                     struct err *err)
{
    struct query *q = calloc(1, sizeof *q);
    if (!q)
        return err_set(err, ENOMEM, "memory for the query is out");
    struct promql_request *r = &q->request;
    *r = *request;
    r->lookback_ms = r->lookback_ms ? r->lookback_ms : LOOKBACK_MS;
    r->subquery_step_ms = r->subquery_step_ms ? r->subquery_step_ms : SUBQUERY_STEP_MS;
    r->samples_max = r->samples_max ? r->samples_max : SAMPLES_MAX;
    r->memory_bytes_max = r->memory_bytes_max ? r->memory_bytes_max : MEMORY_MAX;
    q->ev = (struct evaluation){ .request = r, .source = source, .err = err };
    arena_init(&q->ev.arena, r->memory_bytes_max);
    *ret = q;
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct promql_row *x = a, *y = b;
    return labels_compare(&x->labels, &y->labels);
}

static int add_result_row(struct query *q, const struct promql_row *row)
{
    size_t count = q->result.row_count;
    if ((count & (count - 1)) == 0) {
        size_t capacity = count ? 2 * count : 1;
        struct promql_row *rows = realloc(q->rows, capacity * sizeof *rows);
        if (!rows)
            return evaluation_no_memory(&q->ev);
        q->rows = rows;
        q->result.rows = rows;
    }
    q->rows[q->result.row_count++] = *row;
    return 0;
}

/* A scalar over a range is a series without labels. */
static int result_of_value(struct query *q)
{
    const struct value *value = &q->value;
    struct promql_result *result = &q->result;
    bool is_range = q->request.step_ms > 0;
    result->type = value->type;
    result->string = value->string;
    if (value->type == TYPE_SCALAR && !is_range)
        result->scalar = value->scalars[0];
    if (is_range)
        result->type = TYPE_MATRIX;
    if (value->type == TYPE_SCALAR && is_range)
        return add_result_row(q, &(struct promql_row){ .count = result->steps.count,
                                                       .values = value->scalars });
    for (size_t r = 0; value->type == TYPE_VECTOR && r < value->rows.count; r++) {
        const struct row *row = &value->rows.rows[r];
        if (!row_has_values(&value->rows, row))
            continue;
        int rc =
            add_result_row(q, &(struct promql_row){ row->labels, result->steps.count,
                                                    NULL, row->values });
        if (rc < 0)
            return rc;
    }
    if (is_range && result->row_count > 1)
        qsort(q->rows, result->row_count, sizeof q->rows[0], compare_rows);
    return 0;
}

/* A copy of a series' samples, without marks of its end. */
static int put_raw(void *arg, const struct labels *labels,
                   const struct promql_samples *samples)
{
    struct query *q = arg;
    struct promql_row row = { 0 };
    int rc = evaluation_charge(&q->ev, samples->count);
    if (rc < 0)
        return rc;
    int64_t *times = arena_alloc(&q->ev.arena, samples->count * sizeof *times);
    double *values = arena_alloc(&q->ev.arena, samples->count * sizeof *values);
    if (!times || !values || labels_copy(&q->ev.arena, labels, &row.labels) < 0)
        return evaluation_no_memory(&q->ev);
    for (size_t i = 0; i < samples->count; i++) {
        if (is_stale(samples->values[i]))
            continue;
        times[row.count] = samples->times_ms[i];
        values[row.count++] = samples->values[i];
    }
    row.times_ms = times;
    row.values = values;
    return row.count > 0 ? add_result_row(q, &row) : 0;
}

static int raw_of_selector(struct query *q, const struct expr *e)
{
    int64_t to_ms = select_time(&q->ev, &e->selector.shift, q->request.start_ms);
    struct promql_selection selection = {
        e->selector.matchers,         e->selector.matcher_count,
        to_ms - e->selector.range_ms, to_ms,
        to_ms - e->selector.range_ms, 0
    };
    int rc = q->ev.source->select(q->ev.source->arg, &selection, put_raw, q, q->ev.err);
    if (rc == 0 && q->result.row_count > 1)
        qsort(q->rows, q->result.row_count, sizeof q->rows[0], compare_rows);
    return rc;
}

static int raw_of_subquery(struct query *q, const struct expr *e)
{
    struct step_grid steps;
    int rc = evaluate_subquery(&q->ev, e, &q->result.steps, &steps, &q->value);
    q->result.steps = steps;
    for (size_t r = 0; rc == 0 && r < q->value.rows.count; r++) {
        const struct row *row = &q->value.rows.rows[r];
        if (row_has_values(&q->value.rows, row))
            rc = add_result_row(
                q, &(struct promql_row){ row->labels, steps.count, NULL, row->values });
    }
    return rc;
}

/* An instant query of a range vector: samples as they are. */
static int result_of_range(struct query *q, const struct expr *e)
{
    e = expr_unwrap(e);
    q->result.type = TYPE_MATRIX;
    return e->kind == EXPR_SUBQUERY ? raw_of_subquery(q, e) : raw_of_selector(q, e);
}

static int query_run(struct query *q)
{
    const struct promql_request *r = &q->request;
    const struct expr *e = NULL;
    const char *text = arena_dup(&q->ev.arena, r->text);
    if (!text)
        return evaluation_no_memory(&q->ev);
    q->request.text.data = text;
    int rc = promql_parse(r->text, &q->ev.arena, &e, q->ev.err);
    if (rc < 0)
        return rc;
    bool is_range = r->step_ms > 0;
    if (is_range && e->type != TYPE_SCALAR && e->type != TYPE_VECTOR)
        return err_set(q->ev.err, EINVAL,
                       "a range query needs a scalar or an instant vector, not a %s",
                       value_type_text(e->type));
    q->result.steps = (struct step_grid){ r->start_ms, is_range ? r->step_ms : 1, 1 };
    if (is_range)
        q->result.steps.count = (size_t)((r->end_ms - r->start_ms) / r->step_ms) + 1;
    if (e->type == TYPE_MATRIX)
        return result_of_range(q, e);
    rc = evaluate(&q->ev, e, &q->result.steps, &q->value);
    return rc < 0 ? rc : result_of_value(q);
}

int promql_query(const struct promql_request *request,
                 const struct promql_source *source, struct promql_result **ret,
                 struct err *err)
{
    AUTO(query_free) struct query *q = NULL;
    int rc = check_times(request, err);
    if (rc == 0)
        rc = query_new(request, source, &q, err);
    if (rc == 0)
        rc = query_run(q);
    if (rc < 0)
        return rc;
    q->ev.err = NULL;
    q->ev.source = NULL;
    *ret = &q->result;
    q = NULL;
    return 0;
}
