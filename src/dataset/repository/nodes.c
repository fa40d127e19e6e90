/* SPDX-License-Identifier: Apache-2.0 */
/* nodes - on which nodes a dataset is now, by what refers to it. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/repository/facts.h"

#include <ctype.h>
#include <stdio.h>

#define MACHINE_DIGITS 12

/* "node1-3f2a90c1d2e3:/run/baro-dataset": the agent's digits of its machine are not of
 * the name. */
static struct span node_of_holder(struct span holder)
{
    struct span node;
    (void)span_cut(&holder, ':', &node);
    if (node.size <= MACHINE_DIGITS + 1 ||
        node.data[node.size - MACHINE_DIGITS - 1] != '-')
        return node;
    for (size_t i = node.size - MACHINE_DIGITS; i < node.size; i++)
        if (!isxdigit((unsigned char)node.data[i]))
            return node;
    node.size -= MACHINE_DIGITS + 1;
    return node;
}

/* A job's reference is "ID HOLDER", or of the job alone. */
static void node_row_add(sqlite3_stmt *row, struct table *out)
{
    struct span holder = catalogue_span(row, 1), job = SPAN("");
    bool is_job = span_eq(catalogue_span(row, 0), SPAN("job"));
    if (is_job)
        (void)span_cut(&holder, ' ', &job);
    if (holder.size == 0)
        return;
    table_add_row(out);
    table_set_text(out, 0, node_of_holder(holder));
    if (is_job) {
        table_set_text(out, 1, job);
        table_set_text(out, 2, catalogue_span(row, 2));
    }
    table_set_i64(out, 3, sqlite3_column_int64(row, 3) / NS_PER_MS);
    if (sqlite3_column_type(row, 4) != SQLITE_NULL)
        table_set_i64(out, 4, sqlite3_column_int64(row, 4) / NS_PER_MS);
}

int repository_nodes(struct repository *r, const struct digest *name, struct table *out,
                     struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    int64_t dataset = 0;
    table_add_column(out, "node", TABLE_TEXT, "");
    table_add_column(out, "job", TABLE_TEXT, "");
    table_add_column(out, "user", TABLE_TEXT, "");
    table_add_column(out, "since", TABLE_TIME, "");
    table_add_column(out, "until", TABLE_TIME, "");
    int rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc =
            catalogue_prepare(r->db,
                              "SELECT kind, detail, owner, created_ns, expires_ns"
                              " FROM ref WHERE dataset = ? AND kind IN ('job', 'mount')"
                              " AND (expires_ns IS NULL OR expires_ns > ?)"
                              " ORDER BY kind DESC, detail, id",
                              &rows, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(rows, 1, dataset);
    (void)sqlite3_bind_int64(rows, 2, clock_now_ns());
    while ((rc = catalogue_step(rows, err)) > 0)
        node_row_add(rows, out);
    return rc < 0 ? rc : table_error(out);
}
