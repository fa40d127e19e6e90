/* SPDX-License-Identifier: Apache-2.0 */
/* usage_table - a row a job or array: what it used of what it was given. */
#include "report/usage/usage_table.h"

#include "base/figure.h"
#include "base/span.h"

#include <math.h>

enum {
    COLUMN_CLUSTER,
    COLUMN_JOB,
    COLUMN_RUNS,
    COLUMN_USER,
    COLUMN_STATE,
    COLUMN_NODES,
    COLUMN_CPUS,
    COLUMN_GPUS,
    COLUMN_HOURS,
    COLUMN_CPU,
    COLUMN_MEMORY,
    COLUMN_TIME,
    COLUMN_CPU_HOURS,
    COLUMN_CPU_HOURS_UNUSED,
    COLUMN_ENERGY,
    COLUMN_NAME,
    COLUMN_START,
    COLUMN_END,
    COLUMN_ACCOUNT,
    COLUMN_PARTITION,
    COLUMN_FAILED,
    COLUMN_RUNNING,
    COLUMN_GPU_HOURS,
    COLUMN_MEMORY_UNUSED,
    COLUMN_COUNT,
};

static void usage_columns_add(struct table *table)
{
    static const struct {
        const char *name;
        enum table_type type;
        const char *unit;
    } columns[COLUMN_COUNT] = {
        [COLUMN_CLUSTER] = { "cluster", TABLE_TEXT, "" },
        [COLUMN_JOB] = { "job", TABLE_TEXT, "" },
        [COLUMN_RUNS] = { "runs", TABLE_U64, "" },
        [COLUMN_USER] = { "user", TABLE_TEXT, "" },
        [COLUMN_STATE] = { "state", TABLE_TEXT, "" },
        [COLUMN_NODES] = { "nodes", TABLE_U64, "" },
        [COLUMN_CPUS] = { "cpus", TABLE_U64, "" },
        [COLUMN_GPUS] = { "gpus", TABLE_U64, "" },
        [COLUMN_HOURS] = { "hours", TABLE_DOUBLE, "" },
        [COLUMN_CPU] = { "cpu", TABLE_DOUBLE, "%" },
        [COLUMN_MEMORY] = { "memory", TABLE_DOUBLE, "%" },
        [COLUMN_TIME] = { "time", TABLE_DOUBLE, "%" },
        [COLUMN_CPU_HOURS] = { "cpu_hours", TABLE_DOUBLE, "" },
        [COLUMN_CPU_HOURS_UNUSED] = { "cpu_hours_unused", TABLE_DOUBLE, "" },
        [COLUMN_ENERGY] = { "energy", TABLE_DOUBLE, "kWh" },
        [COLUMN_NAME] = { "name", TABLE_TEXT, "" },
        [COLUMN_START] = { "start", TABLE_TIME, "" },
        [COLUMN_END] = { "end", TABLE_TIME, "" },
        [COLUMN_ACCOUNT] = { "account", TABLE_TEXT, "" },
        [COLUMN_PARTITION] = { "partition", TABLE_TEXT, "" },
        [COLUMN_FAILED] = { "failed", TABLE_U64, "" },
        [COLUMN_RUNNING] = { "running", TABLE_U64, "" },
        [COLUMN_GPU_HOURS] = { "gpu_hours", TABLE_DOUBLE, "" },
        [COLUMN_MEMORY_UNUSED] = { "gib_hours_unused", TABLE_DOUBLE, "" },
    };
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        table_add_column(table, columns[i].name, columns[i].type, columns[i].unit);
}

static void number_set(struct table *table, size_t column, double value)
{
    if (isfinite(value))
        table_set_double(table, column, value);
}

static void text_set(struct table *table, size_t column, const char *text)
{
    cell_set_bytes(table, column, span_of(text));
}

static void usage_row_add(const struct job_usage *row, struct table *table)
{
    table_add_row(table);
    text_set(table, COLUMN_CLUSTER, row->cluster);
    text_set(table, COLUMN_JOB, row->id);
    table_set_u64(table, COLUMN_RUNS, row->runs);
    text_set(table, COLUMN_USER, row->user);
    text_set(table, COLUMN_STATE, row->state);
    if (row->nodes > 0)
        table_set_u64(table, COLUMN_NODES, row->nodes);
    if (row->cpus > 0)
        table_set_u64(table, COLUMN_CPUS, row->cpus);
    number_set(table, COLUMN_HOURS, row->hours);
    number_set(table, COLUMN_CPU, 100 * job_usage_cpu_share(row));
    number_set(table, COLUMN_MEMORY, 100 * row->memory_share);
    number_set(table, COLUMN_TIME, 100 * row->time_share);
    if (row->cpu_hours > 0) {
        number_set(table, COLUMN_CPU_HOURS, row->cpu_hours);
        number_set(table, COLUMN_CPU_HOURS_UNUSED,
                   row->cpu_hours - row->cpu_hours_used);
    }
    number_set(table, COLUMN_ENERGY, row->energy_kwh);
    text_set(table, COLUMN_NAME, row->name);
    cell_set_job_time(table, COLUMN_START, row->start_ns);
    cell_set_job_time(table, COLUMN_END,
                      row->running > 0 ? JOB_TIME_NONE : row->end_ns);
    text_set(table, COLUMN_ACCOUNT, row->account);
    text_set(table, COLUMN_PARTITION, row->partition);
    table_set_u64(table, COLUMN_FAILED, row->failed);
    table_set_u64(table, COLUMN_RUNNING, row->running);
    if (row->has_gpus) {
        table_set_u64(table, COLUMN_GPUS, row->gpus);
        number_set(table, COLUMN_GPU_HOURS, row->gpu_hours);
    }
    number_set(table, COLUMN_MEMORY_UNUSED, row->gib_hours_unused);
}

static void sums_note(const struct job_usage_list *list, struct table *table)
{
    uint64_t runs = 0, running = 0, unaccounted = 0;
    double given = 0, used = 0, energy = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct job_usage *row = &list->rows[i];
        runs += row->runs;
        running += row->running;
        unaccounted += row->cpu_hours <= 0 && row->running < row->runs ? 1 : 0;
        given += row->cpu_hours;
        used += row->cpu_hours_used;
        energy += isnan(row->energy_kwh) ? 0 : row->energy_kwh;
    }
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    char text[FIGURE_SIZE];
    strbuf_addf(&out, "%zu jobs with %llu runs", list->count, (unsigned long long)runs);
    if (given > 0) {
        figure_print_number(text, sizeof text, given);
        strbuf_addf(&out, "; they used %.0f %% of %s CPU hours", 100 * used / given,
                    text);
    }
    if (energy > 0) {
        figure_print_number(text, sizeof text, energy);
        strbuf_addf(&out, ", and %s kWh", text);
    }
    table_add_note(table, "%s", strbuf_text(&out));
    if (unaccounted > 0)
        table_add_note(table,
                       "of %llu jobs no CPU time is known: their records have none "
                       "(sacct -o AllocTRES,TotalCPU)",
                       (unsigned long long)unaccounted);
}

void usage_table(const struct job_usage_list *list, size_t limit, struct table *table)
{
    size_t shown = limit > 0 && limit < list->count ? limit : list->count;
    usage_columns_add(table);
    for (size_t i = 0; i < shown; i++)
        usage_row_add(&list->rows[i], table);
    if (list->count > 0)
        sums_note(list, table);
    if (shown < list->count)
        table_add_note(table, "the first %zu of %zu are shown", shown, list->count);
}
