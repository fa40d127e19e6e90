/* SPDX-License-Identifier: Apache-2.0 */
/* box_tables - the tables of a box's mappings, read one after the other. */
#include "bmc/box/box_tables.h"

#include "base/cleanup.h"

struct tables {
    box_table_fn *fn;
    void *arg;
    struct box_rows *rows;
    struct bmc_report *report;
    size_t read;
    unsigned number; /* of the table, from 1 */
    int first_rc;
    struct err first;
};

static bool ends_reading(int rc)
{
    return rc == -ETIMEDOUT || rc == -E2BIG || rc == -EACCES || rc == -ENOTCONN ||
           rc == -EHOSTUNREACH || rc == -ENOMEM;
}

/* It may be right, or of another box than the mapping is for. */
static int rows_none(const struct mapping_table *table, struct err *err)
{
    if (!table->path || !table->path[0])
        return err_set(err, ENOENT, "it has no rows");
    return err_set(err, ENOENT, "%s: it has no rows at '%s'", table->path,
                   table->items);
}

/* false: the others would fail as well. */
static bool table_read(struct tables *t, const struct mapping_table *table)
{
    struct err why = { 0 };
    box_rows_clear(t->rows);
    t->report->table = ++t->number;
    int rc = t->fn(t->arg, table, t->rows, &why);
    if (rc == 0 && t->number < BMC_TABLES_MAX)
        t->report->has_whole[t->number] = t->rows->count < BOX_ROWS_MAX;
    if (rc == 0 && t->rows->count == 0)
        rc = rows_none(table, &why);
    if (rc == 0) {
        box_rows_report(t->rows, table, t->report);
        t->read++;
        return true;
    }
    (void)err_prefix(&why, rc, "[table %s]", table->table);
    bmc_report_note(t->report, "%s", why.text);
    if (t->first_rc == 0) {
        t->first_rc = rc;
        t->first = why;
    }
    return !ends_reading(rc);
}

static unsigned tables_count(const struct bmc_section *section)
{
    size_t count = 0;
    for (size_t i = 0; i < section->mapping_paths.count; i++)
        count += section->mappings[i].count;
    return (unsigned)count;
}

int box_tables_read(const struct bmc_section *section, box_table_fn *fn, void *arg,
                    struct bmc_report *report, struct err *err)
{
    AUTO_FREE struct box_rows *rows = malloc(sizeof *rows);
    struct tables t = { .fn = fn, .arg = arg, .rows = rows, .report = report };
    if (!rows)
        return err_set(err, ENOMEM, "out of memory");
    bool goes_on = true;
    for (size_t i = 0; i < section->mapping_paths.count; i++)
        for (size_t k = 0; k < section->mappings[i].count && goes_on; k++)
            goes_on = table_read(&t, &section->mappings[i].tables[k]);
    if (t.read > 0 && t.first_rc != 0)
        (void)snprintf(report->partial, sizeof report->partial,
                       "%u of %u tables were not read: %.200s",
                       tables_count(section) - (unsigned)t.read, tables_count(section),
                       t.first.text);
    if (t.read > 0)
        return 0;
    return err_set(err, -t.first_rc, "%s", t.first.text);
}
