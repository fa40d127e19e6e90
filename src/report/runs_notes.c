/* SPDX-License-Identifier: Apache-2.0 */
/* runs_notes - what the user must know of rows that did not become runs. */
#include "report/runs_notes.h"

static void measure_note(const struct mapping_item *item, const struct runs_measure *m,
                         struct table *table)
{
    if (m->numbers == 0 && m->texts == 0)
        table_add_note(table, "measure %s is missing in every run", item->name);
    else if (m->numbers == 0)
        table_add_note(
            table,
            "measure %s is a number in no run; the first has '%s': number(), "
            "bytes() or seconds() in its formula or 'decimal' and 'thousands' "
            "of [table] make numbers of texts",
            item->name, m->text);
    else if (m->texts > 0)
        table_add_note(
            table,
            "measure %s is not a number in %llu runs, and missing there; the "
            "first has '%s'",
            item->name, (unsigned long long)m->texts, m->text);
}

void runs_notes_add(const struct mapping *mapping, const struct runs *runs,
                    struct table *table)
{
    bool has_runs = runs->count > 0;
    for (size_t i = 0; i < runs->fault_count; i++)
        table_add_note(table, "%s", runs->faults[i]);
    if (runs->bad_rows > runs->fault_count)
        table_add_note(table, "%llu more bad rows",
                       (unsigned long long)(runs->bad_rows - runs->fault_count));
    if (!has_runs && runs->rows > 0)
        table_add_note(table, "none of %llu rows is a run",
                       (unsigned long long)runs->rows);
    for (size_t i = 0; i < mapping->join_count; i++)
        if (runs->unjoined[i] > 0)
            table_add_note(table, "join %s: %s has no row for %llu of %llu rows",
                           mapping->joins[i].name, mapping->joins[i].path,
                           (unsigned long long)runs->unjoined[i],
                           (unsigned long long)runs->rows);
    for (size_t i = 0; i < mapping->drops.count; i++)
        if (runs->drops_by_zero[i] > 0)
            table_add_note(table,
                           "drop %s divides by zero in %llu row%s, and does not drop "
                           "%s: its formula can test for 0 first",
                           mapping->drops.items[i].name,
                           (unsigned long long)runs->drops_by_zero[i],
                           runs->drops_by_zero[i] > 1 ? "s" : "",
                           runs->drops_by_zero[i] > 1 ? "them" : "it");
    for (size_t i = 0; has_runs && i < mapping->measures.count; i++)
        measure_note(&mapping->measures.items[i], &runs->measures[i], table);
    if (runs->double_values > 0)
        table_add_note(
            table,
            "%llu values of a long table were given for their run before, and "
            "skipped: does 'long_by' name a run?",
            (unsigned long long)runs->double_values);
}
