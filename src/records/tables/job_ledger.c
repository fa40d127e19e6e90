/* SPDX-License-Identifier: Apache-2.0 */
/* job_ledger - runs of jobs as rows of a ledger. */
#include "records/tables/job_ledger.h"

#include "base/span.h"

enum column {
    COLUMN_CLUSTER,
    COLUMN_ID,
    COLUMN_START, /* 0: not begun; a key is never missing */
    COLUMN_RAW_ID,
    COLUMN_NAME, /* in the text form of identifiers: it may be any bytes */
    COLUMN_USER,
    COLUMN_ACCOUNT,
    COLUMN_PARTITION,
    COLUMN_STATE,
    COLUMN_NODES,
    COLUMN_NODE_COUNT,
    COLUMN_SUBMIT,
    COLUMN_END,
    COLUMN_UID,
    COLUMN_GROUP,
    COLUMN_GID,
    COLUMN_RESOURCE, /* the first of enum job_resource, in its order */
    COLUMN_TOLD = COLUMN_RESOURCE + JOB_RESOURCE_COUNT,
    COLUMN_COUNT,
};

static const struct scalar_column columns[COLUMN_COUNT] = {
    [COLUMN_CLUSTER] = { "cluster", SCALAR_TEXT },
    [COLUMN_ID] = { "id", SCALAR_TEXT },
    [COLUMN_START] = { "start_ns", SCALAR_I64 },
    [COLUMN_RAW_ID] = { "raw_id", SCALAR_TEXT },
    [COLUMN_NAME] = { "name", SCALAR_TEXT },
    [COLUMN_USER] = { "user", SCALAR_TEXT },
    [COLUMN_ACCOUNT] = { "account", SCALAR_TEXT },
    [COLUMN_PARTITION] = { "partition", SCALAR_TEXT },
    [COLUMN_STATE] = { "state", SCALAR_TEXT },
    [COLUMN_NODES] = { "nodes", SCALAR_TEXT },
    [COLUMN_NODE_COUNT] = { "node_count", SCALAR_I64 },
    [COLUMN_SUBMIT] = { "submit_ns", SCALAR_I64 },
    [COLUMN_END] = { "end_ns", SCALAR_I64 },
    [COLUMN_UID] = { "uid", SCALAR_TEXT },
    [COLUMN_GROUP] = { "group", SCALAR_TEXT },
    [COLUMN_GID] = { "gid", SCALAR_TEXT },
    [COLUMN_RESOURCE + JOB_TIME_LIMIT_S] = { "time_limit_s", SCALAR_I64 },
    [COLUMN_RESOURCE + JOB_CPUS] = { "cpus", SCALAR_I64 },
    [COLUMN_RESOURCE + JOB_MEMORY_BYTES] = { "memory_bytes", SCALAR_I64 },
    [COLUMN_RESOURCE + JOB_GPUS] = { "gpus", SCALAR_I64 },
    [COLUMN_RESOURCE + JOB_CPU_TIME_MS] = { "cpu_time_ms", SCALAR_I64 },
    [COLUMN_RESOURCE + JOB_MEMORY_PEAK_BYTES] = { "memory_peak_bytes", SCALAR_I64 },
    [COLUMN_RESOURCE +
        JOB_TASK_MEMORY_PEAK_BYTES] = { "task_memory_peak_bytes", SCALAR_I64 },
    [COLUMN_RESOURCE + JOB_ENERGY_J] = { "energy_j", SCALAR_I64 },
    [COLUMN_RESOURCE + JOB_EXIT_STATUS] = { "exit_status", SCALAR_I64 },
    [COLUMN_RESOURCE + JOB_EXIT_SIGNAL] = { "exit_signal", SCALAR_I64 },
    [COLUMN_TOLD] = { "told_ms", SCALAR_I64 },
};

static bool keeps(const struct scalar *stored, const struct scalar *submitted)
{
    return stored[COLUMN_END].is_present && !submitted[COLUMN_END].is_present;
}

/* A later list may have fewer columns, or be of a program that knows no usage: what an
 * earlier one brought of the same run stays. */
static const struct scalar *unite(const struct scalar *stored,
                                  const struct scalar *submitted, struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    memcpy(row, submitted, COLUMN_COUNT * sizeof *row);
    for (int i = COLUMN_RESOURCE; i < COLUMN_TOLD; i++)
        if (!row[i].is_present)
            row[i] = stored[i];
    return row;
}

const struct ledger ledger_jobs = {
    .table = "job_runs",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 3,
    .keeps = keeps,
    .unite = unite,
    .prune = "t.start_ns = 0 AND EXISTS (SELECT 1 FROM job_runs r WHERE "
             "r.cluster = t.cluster AND r.id = t.id AND r.start_ns > 0 AND "
             "r.start_ns >= coalesce(t.submit_ns, 0))",
    .prune_key_count = 2,
    .indices = "CREATE INDEX job_runs_id ON job_runs (id);"
               "CREATE INDEX job_runs_raw_id ON job_runs (raw_id);"
               "CREATE INDEX job_runs_user ON job_runs (\"user\", "
               "start_ns);" JOB_LEDGER_UID_INDEX
               "CREATE INDEX job_runs_start ON job_runs (start_ns);"
               "CREATE INDEX job_runs_end ON job_runs (" LEDGER_END ");",
};

/* ---- job -> row ---- */

static struct scalar text_of(struct span text)
{
    return text.size > 0 ? scalar_text(text) : (struct scalar){ 0 };
}

static struct scalar time_of(int64_t t_ns)
{
    return t_ns != JOB_TIME_NONE ? scalar_i64(t_ns) : (struct scalar){ 0 };
}

static int name_of(const struct job *job, struct arena *arena, struct scalar *ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (job->name.size == 0)
        return 0;
    entry_id_print(&text, job->name);
    const char *copy =
        strbuf_error(&text) ? NULL : arena_dup(arena, strbuf_span(&text));
    if (!copy)
        return -ENOMEM;
    *ret = scalar_text((struct span){ copy, text.size });
    return 0;
}

int job_ledger_row(const struct job *job, int64_t now_ms, struct arena *arena,
                   const struct scalar **ret)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return -ENOMEM;
    memset(row, 0, COLUMN_COUNT * sizeof *row);
    row[COLUMN_CLUSTER] = scalar_text(job->cluster);
    row[COLUMN_ID] = scalar_text(job->id);
    row[COLUMN_START] = scalar_i64(job->start_ns == JOB_TIME_NONE ? 0 : job->start_ns);
    if (!span_eq(job->raw_id, job->id))
        row[COLUMN_RAW_ID] = text_of(job->raw_id);
    row[COLUMN_USER] = text_of(job->user);
    row[COLUMN_UID] = text_of(job->uid);
    row[COLUMN_GROUP] = text_of(job->group);
    row[COLUMN_GID] = text_of(job->gid);
    row[COLUMN_ACCOUNT] = text_of(job->account);
    row[COLUMN_PARTITION] = text_of(job->partition);
    row[COLUMN_STATE] = text_of(job->state);
    row[COLUMN_NODES] = text_of(job->nodes);
    if (job->node_count > 0)
        row[COLUMN_NODE_COUNT] = scalar_i64((int64_t)job->node_count);
    row[COLUMN_SUBMIT] = time_of(job->submit_ns);
    row[COLUMN_END] = time_of(job->end_ns);
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++)
        if (job_resource_known(&job->resources, i))
            row[COLUMN_RESOURCE + (int)i] = scalar_i64(job->resources.value[i]);
    row[COLUMN_TOLD] = scalar_i64(now_ms);
    *ret = row;
    return name_of(job, arena, &row[COLUMN_NAME]);
}

/* ---- row -> job ---- */

static struct span text_or_empty(const struct scalar *scalar)
{
    return scalar->is_present ? scalar->text : SPAN("");
}

static int64_t time_or_none(const struct scalar *scalar)
{
    return scalar->is_present && scalar->i64 != 0 ? scalar->i64 : JOB_TIME_NONE;
}

static int name_out(const struct scalar *scalar, struct strbuf *name, struct span *ret)
{
    size_t size = 0;
    if (!scalar->is_present)
        return 0;
    strbuf_clear(name);
    if (strbuf_reserve(name, scalar->text.size + 1) < 0)
        return -ENOMEM;
    if (entry_id_parse(scalar->text, name->data, &size) < 0)
        *ret = scalar->text; /* another program wrote it */
    else
        *ret = (struct span){ name->data, size };
    return 0;
}

int job_ledger_job(const struct scalar *row, struct strbuf *name, struct job *ret)
{
    struct job job = {
        .cluster = text_or_empty(&row[COLUMN_CLUSTER]),
        .id = text_or_empty(&row[COLUMN_ID]),
        .raw_id = text_or_empty(&row[COLUMN_RAW_ID]),
        .name = SPAN(""),
        .user = text_or_empty(&row[COLUMN_USER]),
        .uid = text_or_empty(&row[COLUMN_UID]),
        .group = text_or_empty(&row[COLUMN_GROUP]),
        .gid = text_or_empty(&row[COLUMN_GID]),
        .account = text_or_empty(&row[COLUMN_ACCOUNT]),
        .partition = text_or_empty(&row[COLUMN_PARTITION]),
        .state = text_or_empty(&row[COLUMN_STATE]),
        .nodes = text_or_empty(&row[COLUMN_NODES]),
        .submit_ns = time_or_none(&row[COLUMN_SUBMIT]),
        .start_ns = time_or_none(&row[COLUMN_START]),
        .end_ns = time_or_none(&row[COLUMN_END]),
    };
    if (row[COLUMN_NODE_COUNT].is_present)
        job.node_count = (uint64_t)row[COLUMN_NODE_COUNT].i64;
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++)
        if (row[COLUMN_RESOURCE + (int)i].is_present)
            (void)job_resource_set(&job.resources, i,
                                   row[COLUMN_RESOURCE + (int)i].i64);
    if (job.raw_id.size == 0)
        job.raw_id = job.id;
    *ret = job;
    return name_out(&row[COLUMN_NAME], name, &ret->name);
}
