/* SPDX-License-Identifier: Apache-2.0 */
/* job_metric_ledger - footprints of runs as rows of a ledger. */
#include "records/tables/job_metric_ledger.h"

#include "base/span.h"

#include <math.h>

enum column {
    COLUMN_CLUSTER,
    COLUMN_ID,
    COLUMN_START,
    COLUMN_METRIC,
    COLUMN_END,
    COLUMN_UNIT,
    COLUMN_NODES,
    COLUMN_OBSERVED,
    COLUMN_COVERED,
    COLUMN_MEAN,
    COLUMN_MIN,
    COLUMN_MAX,
    COLUMN_SUM,
    COLUMN_STORED,
    COLUMN_COUNT,
};

static const struct scalar_column columns[COLUMN_COUNT] = {
    [COLUMN_CLUSTER] = { "cluster", SCALAR_TEXT },
    [COLUMN_ID] = { "id", SCALAR_TEXT },
    [COLUMN_START] = { "start_ns", SCALAR_I64 },
    [COLUMN_METRIC] = { "metric", SCALAR_TEXT },
    [COLUMN_END] = { "end_ns", SCALAR_I64 },
    [COLUMN_UNIT] = { "unit", SCALAR_TEXT },
    [COLUMN_NODES] = { "nodes", SCALAR_I64 },
    [COLUMN_OBSERVED] = { "observed", SCALAR_I64 },
    [COLUMN_COVERED] = { "covered", SCALAR_DOUBLE },
    [COLUMN_MEAN] = { "mean", SCALAR_DOUBLE },
    [COLUMN_MIN] = { "min", SCALAR_DOUBLE },
    [COLUMN_MAX] = { "max", SCALAR_DOUBLE },
    [COLUMN_SUM] = { "sum", SCALAR_DOUBLE },
    [COLUMN_STORED] = { "told_ms", SCALAR_I64 },
};

const struct ledger ledger_job_metrics = {
    .table = "job_footprint_rows",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 4,
    .indices =
        "CREATE INDEX job_footprint_rows_metric ON job_footprint_rows (metric, "
        "start_ns);"
        "CREATE INDEX job_footprint_rows_end ON job_footprint_rows (" LEDGER_END ");",
};

static struct scalar number_or_none(double value)
{
    return isfinite(value) ? scalar_double(value) : (struct scalar){ 0 };
}

const struct scalar *job_metric_ledger_row(const struct job_metric *m, int64_t now_ms,
                                           struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    row[COLUMN_CLUSTER] = scalar_text(m->cluster.data ? m->cluster : SPAN(""));
    row[COLUMN_ID] = scalar_text(m->id);
    row[COLUMN_START] = scalar_i64(m->start_ns);
    row[COLUMN_METRIC] = scalar_text(m->metric.data ? m->metric : SPAN(""));
    row[COLUMN_END] = scalar_i64(m->end_ns);
    row[COLUMN_UNIT] = m->unit.size > 0 ? scalar_text(m->unit) : (struct scalar){ 0 };
    row[COLUMN_NODES] =
        m->nodes > 0 ? scalar_i64((int64_t)m->nodes) : (struct scalar){ 0 };
    row[COLUMN_OBSERVED] = scalar_i64((int64_t)m->observed);
    row[COLUMN_COVERED] = number_or_none(m->covered);
    row[COLUMN_MEAN] = number_or_none(m->mean);
    row[COLUMN_MIN] = number_or_none(m->min);
    row[COLUMN_MAX] = number_or_none(m->max);
    row[COLUMN_SUM] = number_or_none(m->sum);
    row[COLUMN_STORED] = scalar_i64(now_ms);
    return row;
}

static double number_of(const struct scalar *scalar)
{
    return scalar->is_present ? scalar->dbl : NAN;
}

static uint64_t count_of(const struct scalar *scalar)
{
    return scalar->is_present && scalar->i64 > 0 ? (uint64_t)scalar->i64 : 0;
}

void job_metric_ledger_metric(const struct scalar *row, struct job_metric *ret)
{
    const struct scalar *unit = &row[COLUMN_UNIT];
    *ret = (struct job_metric){
        .cluster = row[COLUMN_CLUSTER].text,
        .id = row[COLUMN_ID].text,
        .start_ns = row[COLUMN_START].i64,
        .metric = row[COLUMN_METRIC].text,
        .end_ns = row[COLUMN_END].is_present ? row[COLUMN_END].i64 : 0,
        .unit = unit->is_present ? unit->text : SPAN(""),
        .nodes = count_of(&row[COLUMN_NODES]),
        .observed = count_of(&row[COLUMN_OBSERVED]),
        .covered = number_of(&row[COLUMN_COVERED]),
        .mean = number_of(&row[COLUMN_MEAN]),
        .min = number_of(&row[COLUMN_MIN]),
        .max = number_of(&row[COLUMN_MAX]),
        .sum = number_of(&row[COLUMN_SUM]),
    };
}
