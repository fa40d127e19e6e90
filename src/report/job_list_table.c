/* SPDX-License-Identifier: Apache-2.0 */
/* job_list_table - jobs of a batch system as tables. */
#include "report/job_list_table.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#define S_PER_H 3600

enum {
    COLUMN_CLUSTER,
    COLUMN_ID,
    COLUMN_RAW_ID,
    COLUMN_USER,
    COLUMN_ACCOUNT,
    COLUMN_PARTITION,
    COLUMN_STATE,
    COLUMN_SUBMIT,
    COLUMN_START,
    COLUMN_END,
    COLUMN_NODE_COUNT,
    COLUMN_NODE_HOURS,
    COLUMN_READ,
    COLUMN_WRITTEN,
    COLUMN_NODES,
    COLUMN_NAME,
    COLUMN_UID,
    COLUMN_COUNT,
};

static void job_columns_add(struct table *table)
{
    static const struct {
        const char *name;
        enum table_type type;
        const char *unit;
    } columns[COLUMN_COUNT] = {
        [COLUMN_CLUSTER] = { "cluster", TABLE_TEXT },
        [COLUMN_ID] = { "job", TABLE_TEXT },
        [COLUMN_RAW_ID] = { "raw_id", TABLE_TEXT },
        [COLUMN_USER] = { "user", TABLE_TEXT },
        [COLUMN_ACCOUNT] = { "account", TABLE_TEXT },
        [COLUMN_PARTITION] = { "partition", TABLE_TEXT },
        [COLUMN_STATE] = { "state", TABLE_TEXT },
        [COLUMN_SUBMIT] = { "submit", TABLE_TIME },
        [COLUMN_START] = { "start", TABLE_TIME },
        [COLUMN_END] = { "end", TABLE_TIME },
        [COLUMN_NODE_COUNT] = { "node_count", TABLE_U64 },
        [COLUMN_NODE_HOURS] = { "node_hours", TABLE_DOUBLE },
        [COLUMN_READ] = { "read_bytes", TABLE_U64, "bytes" },
        [COLUMN_WRITTEN] = { "write_bytes", TABLE_U64, "bytes" },
        [COLUMN_NODES] = { "nodes", TABLE_TEXT },
        [COLUMN_NAME] = { "name", TABLE_TEXT },
        [COLUMN_UID] = { "uid", TABLE_TEXT },
    };
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        table_add_column(table, columns[i].name, columns[i].type,
                         columns[i].unit ? columns[i].unit : "");
}

static void set_nodes(struct table *table, const struct job *job)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (job_nodes(job, &set, NULL) < 0) {
        cell_set_bytes(table, COLUMN_NODES, job->nodes);
        return;
    }
    for (size_t i = 0; i < hostset_count(set); i++)
        strbuf_addf(&text, "%s%s", i ? "," : "", hostset_at(set, i));
    table_set_text(table, COLUMN_NODES, strbuf_span(&text));
}

/* What the job moved: where a batch system counts otherwise than people write, counters
 * have its number. */
static void set_io(struct table *table, const struct job *job, const struct table *io)
{
    int key = io ? table_find_column(io, "job") : -1;
    const struct {
        const char *name;
        size_t column;
    } cells[] = { { "read_bytes", COLUMN_READ }, { "write_bytes", COLUMN_WRITTEN } };
    for (size_t r = 0; key >= 0 && r < io->row_count; r++) {
        const struct table_cell *id = table_at(io, r, (size_t)key);
        if (id->is_null || (!span_eq(span_of(id->text), job->raw_id) &&
                            !span_eq(span_of(id->text), job->id)))
            continue;
        for (size_t i = 0; i < COUNT_OF(cells); i++) {
            int from = table_find_column(io, cells[i].name);
            if (from >= 0 && !table_at(io, r, (size_t)from)->is_null)
                table_set_u64(table, cells[i].column,
                              table_at(io, r, (size_t)from)->u64);
        }
        return;
    }
}

static bool is_first_run(const struct table *table, const struct job *job)
{
    for (size_t r = 0; r + 1 < table->row_count; r++) {
        const struct table_cell *id = table_at(table, r, COLUMN_ID);
        if (!id->is_null && span_eq(span_of(id->text), job->id))
            return false;
    }
    return true;
}

static bool is_of_array(const struct job *job, const struct job_list_table_opts *opts)
{
    struct span of = job_array_id(job->id);
    return !opts->array || (of.size < job->id.size && span_is(of, opts->array));
}

static void job_add(struct table *table, const struct job *job,
                    const struct job_list_table_opts *opts)
{
    table_add_row(table);
    cell_set_bytes(table, COLUMN_CLUSTER, job->cluster);
    cell_set_bytes(table, COLUMN_ID, job->id);
    cell_set_bytes(table, COLUMN_RAW_ID, job->raw_id);
    cell_set_bytes(table, COLUMN_USER, job->user.size ? job->user : job->uid);
    cell_set_bytes(table, COLUMN_ACCOUNT, job->account);
    cell_set_bytes(table, COLUMN_PARTITION, job->partition);
    cell_set_bytes(table, COLUMN_STATE, job->state);
    cell_set_job_time(table, COLUMN_SUBMIT, job->submit_ns);
    cell_set_job_time(table, COLUMN_START, job->start_ns);
    cell_set_job_time(table, COLUMN_END, job->end_ns);
    if (job->node_count > 0)
        table_set_u64(table, COLUMN_NODE_COUNT, job->node_count);
    if (job->node_count > 0 && (job->end_ns != JOB_TIME_NONE || opts->has_to))
        table_set_double(table, COLUMN_NODE_HOURS,
                         job_node_seconds(job, opts->query.from_ns, opts->query.to_ns) /
                             S_PER_H);
    if (opts->names_nodes)
        set_nodes(table, job);
    else
        cell_set_bytes(table, COLUMN_NODES, job->nodes);
    cell_set_bytes(table, COLUMN_NAME, job->name);
    cell_set_bytes(table, COLUMN_UID, job->uid);
    if (opts->io && is_first_run(table, job))
        set_io(table, job, opts->io);
}

static double column_sum(const struct table *table, size_t column)
{
    double sum = 0;
    for (size_t r = 0; r < table->row_count; r++) {
        const struct table_cell *cell = table_at(table, r, column);
        if (!cell->is_null)
            sum += table->columns[column].type == TABLE_U64 ? (double)cell->u64
                                                            : cell->dbl;
    }
    return sum;
}

/* What a user did, in a line. */
static void note_sums(const struct job_list_table_opts *opts, struct table *table)
{
    char read[48], written[48];
    if (!opts->query.user.data)
        return;
    if (!opts->io) {
        table_add_note(table, "%zu jobs, %.3g node-hours", table->row_count,
                       column_sum(table, COLUMN_NODE_HOURS));
        return;
    }
    figure_print_bytes(read, sizeof read, column_sum(table, COLUMN_READ));
    figure_print_bytes(written, sizeof written, column_sum(table, COLUMN_WRITTEN));
    table_add_note(table, "%zu jobs, %.3g node-hours; they read %s and wrote %s",
                   table->row_count, column_sum(table, COLUMN_NODE_HOURS), read,
                   written);
}

void job_list_table(const struct job_list *list, const struct job_list_table_opts *opts,
                    struct table *table)
{
    const struct job_query *query = &opts->query;
    const struct job *job;
    job_columns_add(table);
    if (opts->id) {
        job = job_list_find(list, query->cluster, span_of(opts->id));
        if (job)
            job_add(table, job, opts);
        return;
    }
    size_t cursor = 0;
    if (opts->has_window) {
        while ((job = job_list_next(list, query, &cursor)))
            if (is_of_array(job, opts))
                job_add(table, job, opts);
        note_sums(opts, table);
        return;
    }
    for (size_t i = 0; i < list->count; i++)
        if ((query->cluster.size == 0 ||
             span_eq(list->jobs[i].cluster, query->cluster)) &&
            job_has_user(&list->jobs[i], query->user) &&
            is_of_array(&list->jobs[i], opts))
            job_add(table, &list->jobs[i], opts);
    note_sums(opts, table);
}

void job_load_table(const struct job_list *list, const struct job_query *query,
                    struct table *table)
{
    struct job_load load = job_list_load(list, query);
    table_add_column(table, "jobs", TABLE_U64, "");
    table_add_column(table, "nodes", TABLE_U64, "");
    table_add_column(table, "node_hours", TABLE_DOUBLE, "");
    table_add_row(table);
    table_set_u64(table, 0, load.jobs);
    table_set_u64(table, 1, load.nodes);
    table_set_double(table, 2, load.node_seconds / S_PER_H);
    if (load.uncounted > 0)
        table_add_note(table, "%zu of these jobs have no number of nodes",
                       load.uncounted);
}
