/* SPDX-License-Identifier: Apache-2.0 */
/* summaries - logs of jobs as rows of a ledger. */
#include "records/summaries.h"

#include "records/told.h"

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

/* ---- putting ---- */

static struct scalar time_of(int64_t t_ns)
{
    return t_ns != INT64_MIN ? scalar_i64(t_ns) : (struct scalar){ 0 };
}

static const struct scalar *row_of(const struct summary *summary, int64_t now_ms,
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

static int64_t age_of(const struct summary *summary)
{
    int64_t end_ns = summary_time_ns(summary, SUMMARY_END);
    return end_ns != INT64_MIN ? end_ns : summary_time_ns(summary, SUMMARY_START);
}

int records_put_summaries(struct records *records, const struct summary *summaries,
                          size_t count, int64_t now_ms, struct records_told *ret,
                          struct err *err)
{
    struct told_put put;
    int rc = told_begin(&put, records, ledger_summaries(), count, RECORDS_SUMMARIES_MAX,
                        now_ms, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *reason = summary_check(&summaries[i]);
        if (!reason)
            reason = told_age_check(&put, age_of(&summaries[i]));
        if (reason) {
            told_refuse(&put, i, reason);
            continue;
        }
        const struct scalar *row = row_of(&summaries[i], now_ms, put.arena);
        if (row)
            told_add(&put, row);
        else
            rc = -ENOMEM;
    }
    return rc < 0 ? rc : told_end(&put, ret, err);
}

/* ---- reading ---- */

struct summaries_find {
    const struct summary_filter *filter;
    records_summary_fn *fn;
    void *arg;
    size_t count;
    bool has_more;
};

static int on_row(void *arg, const struct scalar *row)
{
    struct summaries_find *find = arg;
    struct scalar scalars[SUMMARY_COLUMN_COUNT];
    struct summary summary = { .cluster = row[COLUMN_CLUSTER].text,
                               .scalars = scalars };
    if (find->filter->limit && find->count == find->filter->limit) {
        find->has_more = true;
        return 1;
    }
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        scalars[i] = row[column_of(i)];
    find->count++;
    int rc = find->fn(find->arg, &summary);
    return rc < 0 ? rc : 0;
}

int records_find_summaries(struct records_reader *reader,
                           const struct summary_filter *filter, records_summary_fn *fn,
                           void *arg, bool *ret_has_more, struct err *err)
{
    struct told_terms terms = { 0 };
    struct summaries_find find = { .filter = filter, .fn = fn, .arg = arg };
    told_want_text(&terms, "cluster = @", filter->cluster);
    told_want_text(&terms, "job = @", filter->job);
    told_want_text(&terms, "jobsdb_user = @", filter->user);
    told_want_text(&terms, "darshan_app = @", filter->app);
    told_want_text(&terms, "_file_system = @", filter->fs);
    if (filter->from_ns != JOB_TIME_NONE)
        told_want_i64(&terms, LEDGER_END " > @", filter->from_ns);
    if (filter->to_ns != JOB_TIME_NONE)
        told_want_i64(&terms, "start_ns < @", filter->to_ns);
    const struct ledger_query query = {
        .ledger = ledger_summaries(),
        .terms = terms.terms,
        .term_count = terms.count,
        .order = "coalesce(start_ns, 0) DESC, cluster, job, log",
        .limit = filter->limit ? filter->limit + 1 : 0,
    };
    int rc = told_read(reader, &query, on_row, &find, err);
    if (rc == 0 && ret_has_more)
        *ret_has_more = find.has_more;
    return rc;
}
