/* SPDX-License-Identifier: Apache-2.0 */
/* summary_ledger - summaries of the logs of jobs as rows of a ledger. */
#include "records/tables/summary_ledger.h"

#include <pthread.h>

/* The ledger's columns: the key, the window, the model's others, told_ms.  _jobid and
 * _log are the key's job and log. */
enum column {
    COLUMN_CLUSTER,
    COLUMN_JOB,
    COLUMN_LOG,
    COLUMN_START,
    COLUMN_END,
    COLUMN_SCALARS,
    COLUMN_TOLD = COLUMN_SCALARS + SUMMARY_COLUMN_COUNT - 2,
    COLUMN_COUNT,
};

static struct scalar_column columns[COLUMN_COUNT] = {
    [COLUMN_CLUSTER] = { "cluster", SCALAR_TEXT },
    [COLUMN_JOB] = { "job", SCALAR_TEXT },
    [COLUMN_LOG] = { "log", SCALAR_TEXT },
    [COLUMN_START] = { "start_ns", SCALAR_I64 },
    [COLUMN_END] = { "end_ns", SCALAR_I64 },
    [COLUMN_TOLD] = { "told_ms", SCALAR_I64 },
};

static const struct ledger ledger = {
    .table = "job_summary_rows",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 3,
    .indices =
        "CREATE INDEX job_summary_job ON job_summary_rows (job);"
        "CREATE INDEX job_summary_user ON job_summary_rows (jobsdb_user, start_ns);"
        "CREATE INDEX job_summary_app ON job_summary_rows (darshan_app, start_ns);"
        "CREATE INDEX job_summary_start ON job_summary_rows (start_ns);"
        "CREATE INDEX job_summary_end ON job_summary_rows (" LEDGER_END ");",
};

/* Where a summary's column lies in a row. */
static size_t column_of(size_t place)
{
    if (place == SUMMARY_JOB)
        return COLUMN_JOB;
    if (place == SUMMARY_LOG)
        return COLUMN_LOG;
    return COLUMN_SCALARS + place - (place > SUMMARY_JOB) - (place > SUMMARY_LOG);
}

static void columns_fill(void)
{
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        if (i != SUMMARY_JOB && i != SUMMARY_LOG)
            columns[column_of(i)] = summary_columns[i];
}

const struct ledger *ledger_summaries(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, columns_fill);
    return &ledger;
}

static struct scalar time_of(int64_t t_ns)
{
    return t_ns != INT64_MIN ? scalar_i64(t_ns) : (struct scalar){ 0 };
}

const struct scalar *summary_ledger_row(const struct summary *summary, int64_t now_ms,
                                        struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    row[COLUMN_CLUSTER] = scalar_text(summary->cluster);
    row[COLUMN_START] = time_of(summary_time_ns(summary, SUMMARY_START));
    row[COLUMN_END] = time_of(summary_time_ns(summary, SUMMARY_END));
    row[COLUMN_TOLD] = scalar_i64(now_ms);
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        row[column_of(i)] = summary->scalars[i];
    return row;
}

void summary_ledger_summary(const struct scalar *row,
                            struct scalar scalars[static SUMMARY_COLUMN_COUNT],
                            struct summary *ret)
{
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        scalars[i] = row[column_of(i)];
    *ret = (struct summary){ .cluster = row[COLUMN_CLUSTER].text, .scalars = scalars };
}
