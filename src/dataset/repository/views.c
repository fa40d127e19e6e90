/* SPDX-License-Identifier: Apache-2.0 */
/* views - named views of a dataset: part of what the catalogue has of it, not of its
 * image. */
#include "base/span.h"
#include "dataset/repository/facts.h"
#include "dataset/view/view.h"

static int count_check(struct repository *r, int64_t dataset, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_prepare(r->db, "SELECT count(*) FROM view WHERE dataset = ?",
                               &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    rc = catalogue_step(row, err);
    if (rc > 0 && sqlite3_column_int64(row, 0) > VIEWS_OF_DATASET_MAX)
        rc =
            err_set(err, E2BIG, "a dataset has at most %u views", VIEWS_OF_DATASET_MAX);
    return rc < 0 ? rc : 0;
}

static int row_set(struct repository *r, int64_t dataset, struct span name,
                   struct span text, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_prepare(
        r->db, "INSERT OR REPLACE INTO view(dataset, name, text) VALUES(?, ?, ?)", &row,
        err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    catalogue_bind_text(row, 2, name);
    catalogue_bind_text(row, 3, text);
    return catalogue_run(row, err);
}

int facts_view_set(struct repository *r, int64_t dataset, struct span view,
                   struct span text, struct err *err)
{
    int rc = view_name_check(view, err);
    if (rc == 0)
        rc = view_check(text, err);
    if (rc == 0)
        rc = catalogue_exec(r->db, catalogue_view_table, err);
    if (rc == 0)
        rc = row_set(r, dataset, view, text, err);
    return rc < 0 ? rc : count_check(r, dataset, err);
}

int repository_view_set(struct repository *r, const struct digest *name,
                        struct span view, struct span text, struct err *err)
{
    AUTO(catalogue_change_done) struct catalogue_change change = { 0 };
    int64_t dataset = 0;
    int rc = catalogue_begin(r->db, &change, err);
    if (rc == 0)
        rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = facts_view_set(r, dataset, view, text, err);
    return rc < 0 ? rc : catalogue_commit(&change, err);
}

static int view_absent(struct span view, struct err *err)
{
    return err_set(err, ENODATA,
                   "the dataset has no view '" SPAN_FMT
                   "' (baro dataset view lists them)",
                   SPAN_ARG(view));
}

int repository_view_remove(struct repository *r, const struct digest *name,
                           struct span view, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int64_t dataset = 0;
    int rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = catalogue_has_table(r->db, "view", err);
    if (rc == 0)
        return view_absent(view, err);
    if (rc > 0)
        rc = catalogue_prepare(r->db, "DELETE FROM view WHERE dataset = ? AND name = ?",
                               &row, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    catalogue_bind_text(row, 2, view);
    rc = catalogue_run(row, err);
    return rc == 0 && sqlite3_changes(r->db) == 0 ? view_absent(view, err) : rc;
}

int facts_views(struct repository *r, const struct digest *name, sqlite3_stmt **ret,
                struct err *err)
{
    int64_t dataset = 0;
    int rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = catalogue_has_table(r->db, "view", err);
    if (rc <= 0)
        return rc;
    rc = catalogue_prepare(
        r->db, "SELECT name, text FROM view WHERE dataset = ? ORDER BY name", ret, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(*ret, 1, dataset);
    return 1;
}

int repository_view(struct repository *r, const struct digest *name, struct span view,
                    struct strbuf *out, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    int rc = facts_views(r, name, &rows, err);
    while (rc > 0 && (rc = catalogue_step(rows, err)) > 0)
        if (span_eq(catalogue_span(rows, 0), view)) {
            struct span text = catalogue_span(rows, 1);
            rc = view_check(text, err);
            strbuf_add(out, text.data, rc == 0 ? text.size : 0);
            return rc < 0 ? -EUCLEAN : strbuf_error(out);
        }
    return rc < 0 ? rc : view_absent(view, err);
}

int repository_views(struct repository *r, const struct digest *name, struct table *out,
                     struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    struct view_change change;
    table_add_column(out, "view", TABLE_TEXT, "");
    table_add_column(out, "change", TABLE_TEXT, "");
    table_add_column(out, "variable", TABLE_TEXT, "");
    table_add_column(out, "value", TABLE_TEXT, "");
    int rc = facts_views(r, name, &rows, err);
    while (rc > 0 && (rc = catalogue_step(rows, err)) > 0) {
        struct span text = catalogue_span(rows, 1);
        int more = 0;
        while ((more = view_next(&text, &change, err)) > 0) {
            table_add_row(out);
            table_set_text(out, 0, catalogue_span(rows, 0));
            table_set_text(out, 1, change.is_prepend ? SPAN("prepend") : SPAN("set"));
            table_set_text(out, 2, change.name);
            table_set_text(out, 3, change.value);
        }
        rc = more < 0 ? more : 1;
    }
    return rc < 0 ? rc : table_error(out);
}
