/* SPDX-License-Identifier: Apache-2.0 */
/* step_ledger - steps of jobs as rows of a ledger. */
#include "records/tables/step_ledger.h"

#include "base/span.h"

enum column {
    COLUMN_CLUSTER,
    COLUMN_ID,
    COLUMN_STEP,
    COLUMN_START, /* 0: not begun */
    COLUMN_NAME,  /* in the text form of identifiers: it may be any bytes */
    COLUMN_STATE,
    COLUMN_NODES,
    COLUMN_NODE_COUNT,
    COLUMN_END,
    COLUMN_RESOURCE, /* the first of enum job_resource, in its order */
    COLUMN_STORED = COLUMN_RESOURCE + JOB_RESOURCE_COUNT,
    COLUMN_COUNT,
};

static const struct scalar_column columns[COLUMN_COUNT] = {
    [COLUMN_CLUSTER] = { "cluster", SCALAR_TEXT },
    [COLUMN_ID] = { "id", SCALAR_TEXT },
    [COLUMN_STEP] = { "step", SCALAR_TEXT },
    [COLUMN_START] = { "start_ns", SCALAR_I64 },
    [COLUMN_NAME] = { "name", SCALAR_TEXT },
    [COLUMN_STATE] = { "state", SCALAR_TEXT },
    [COLUMN_NODES] = { "nodes", SCALAR_TEXT },
    [COLUMN_NODE_COUNT] = { "node_count", SCALAR_I64 },
    [COLUMN_END] = { "end_ns", SCALAR_I64 },
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
    [COLUMN_STORED] = { "told_ms", SCALAR_I64 },
};

static bool has_ended_already(const struct scalar *stored,
                              const struct scalar *submitted)
{
    return stored[COLUMN_END].is_present && !submitted[COLUMN_END].is_present;
}

const struct ledger ledger_job_steps = {
    .table = "job_steps",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 4,
    .keeps = has_ended_already,
    .indices = "CREATE INDEX job_steps_id ON job_steps (id, start_ns);"
               "CREATE INDEX job_steps_end ON job_steps (" LEDGER_END ");",
};

static struct scalar step_text(struct span text)
{
    return text.size > 0 ? scalar_text(text) : (struct scalar){ 0 };
}

static int step_name(struct span name, struct arena *arena, struct scalar *ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    entry_id_print(&text, name);
    const char *copy =
        strbuf_error(&text) ? NULL : arena_dup(arena, strbuf_span(&text));
    if (!copy)
        return -ENOMEM;
    *ret = step_text((struct span){ copy, text.size });
    return 0;
}

int step_ledger_row(const struct job *step, int64_t now_ms, struct arena *arena,
                    const struct scalar **ret)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return -ENOMEM;
    memset(row, 0, COLUMN_COUNT * sizeof *row);
    row[COLUMN_CLUSTER] = scalar_text(step->cluster);
    row[COLUMN_ID] = scalar_text(step->id);
    row[COLUMN_STEP] = scalar_text(step->step);
    row[COLUMN_START] =
        scalar_i64(step->start_ns == JOB_TIME_NONE ? 0 : step->start_ns);
    row[COLUMN_STATE] = step_text(step->state);
    row[COLUMN_NODES] = step_text(step->nodes);
    if (step->node_count > 0)
        row[COLUMN_NODE_COUNT] = scalar_i64((int64_t)step->node_count);
    if (step->end_ns != JOB_TIME_NONE)
        row[COLUMN_END] = scalar_i64(step->end_ns);
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++)
        if (job_resource_known(&step->resources, i))
            row[COLUMN_RESOURCE + (int)i] = scalar_i64(step->resources.value[i]);
    row[COLUMN_STORED] = scalar_i64(now_ms);
    *ret = row;
    return step_name(step->name, arena, &row[COLUMN_NAME]);
}

static struct span text_or_none(const struct scalar *scalar)
{
    return scalar->is_present ? scalar->text : SPAN("");
}

static int64_t moment_of(const struct scalar *scalar)
{
    return scalar->is_present && scalar->i64 != 0 ? scalar->i64 : JOB_TIME_NONE;
}

int step_ledger_step(const struct scalar *row, struct strbuf *name, struct job *ret)
{
    struct span text = text_or_none(&row[COLUMN_NAME]);
    size_t size = 0;
    struct job step = {
        .cluster = text_or_none(&row[COLUMN_CLUSTER]),
        .id = text_or_none(&row[COLUMN_ID]),
        .raw_id = text_or_none(&row[COLUMN_ID]),
        .step = text_or_none(&row[COLUMN_STEP]),
        .name = text,
        .user = SPAN(""),
        .uid = SPAN(""),
        .group = SPAN(""),
        .gid = SPAN(""),
        .account = SPAN(""),
        .partition = SPAN(""),
        .state = text_or_none(&row[COLUMN_STATE]),
        .nodes = text_or_none(&row[COLUMN_NODES]),
        .submit_ns = JOB_TIME_NONE,
        .start_ns = moment_of(&row[COLUMN_START]),
        .end_ns = moment_of(&row[COLUMN_END]),
    };
    if (row[COLUMN_NODE_COUNT].is_present)
        step.node_count = (uint64_t)row[COLUMN_NODE_COUNT].i64;
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++)
        if (row[COLUMN_RESOURCE + (int)i].is_present)
            (void)job_resource_set(&step.resources, i,
                                   row[COLUMN_RESOURCE + (int)i].i64);
    strbuf_clear(name);
    if (strbuf_reserve(name, text.size + 1) < 0)
        return -ENOMEM;
    if (entry_id_parse(text, name->data, &size) == 0)
        step.name = (struct span){ name->data, size }; /* else another wrote it */
    *ret = step;
    return 0;
}
