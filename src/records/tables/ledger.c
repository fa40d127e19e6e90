/* SPDX-License-Identifier: Apache-2.0 */
/* ledger - a table whose rows are submitted from outside, and may be submitted again.
 */
#include "records/tables/ledger.h"

void ledger_add_names(struct strbuf *sql, const struct ledger *ledger, size_t from,
                      size_t to, const char *prefix)
{
    for (size_t i = from; i < to; i++)
        strbuf_addf(sql, "%s%s\"%s\"", i > from ? ", " : "", prefix,
                    ledger->columns[i].name);
}

void ledger_add_view_names(struct strbuf *sql, const struct ledger *ledger)
{
    ledger_add_names(sql, ledger, 0, ledger->column_count - 1, "");
}

void ledger_add_insert(struct strbuf *sql, const struct ledger *ledger)
{
    strbuf_addf(sql, "INSERT INTO %s (", ledger->table);
    ledger_add_names(sql, ledger, 0, ledger->column_count, "");
    strbuf_adds(sql, ")");
}

void ledger_add_conflict(struct strbuf *sql, const struct ledger *ledger)
{
    strbuf_adds(sql, " ON CONFLICT (");
    ledger_add_names(sql, ledger, 0, ledger->key_count, "");
    strbuf_adds(sql, ") DO UPDATE SET ");
    for (size_t i = ledger->key_count; i < ledger->column_count; i++)
        strbuf_addf(sql, "%s\"%s\" = excluded.\"%s\"",
                    i > ledger->key_count ? ", " : "", ledger->columns[i].name,
                    ledger->columns[i].name);
}

void ledger_add_table(struct strbuf *sql, const struct ledger *ledger,
                      const char *const types[static 3])
{
    strbuf_addf(sql, "CREATE TABLE %s (", ledger->table);
    for (size_t i = 0; i < ledger->column_count; i++) {
        bool is_due = i < ledger->key_count || i + 1 == ledger->column_count;
        strbuf_addf(sql, "\"%s\" %s%s, ", ledger->columns[i].name,
                    types[ledger->columns[i].type], is_due ? " NOT NULL" : "");
    }
    strbuf_adds(sql, "PRIMARY KEY (");
    ledger_add_names(sql, ledger, 0, ledger->key_count, "");
    strbuf_addf(sql, "));%s", ledger->indices);
}

/* sql with value wherever @ stands. */
static void add_condition(struct strbuf *out, const char *sql, const char *value)
{
    for (; *sql; sql++) {
        if (*sql == '@')
            strbuf_adds(out, value);
        else
            strbuf_addc(out, *sql);
    }
}

void ledger_add_drop(struct strbuf *sql, const struct ledger *ledger, int64_t oldest_ns)
{
    char value[24];
    (void)snprintf(value, sizeof value, "%lld", (long long)oldest_ns);
    strbuf_addf(sql, "DELETE FROM %s WHERE ", ledger->table);
    add_condition(sql, LEDGER_IS_OLD, value);
}

int ledger_says_wrong_clock(const struct ledger *ledger, struct err *err)
{
    return err_set(err, ERANGE,
                   "nothing was submitted to %s within its retention: is the clock "
                   "right? nothing is dropped",
                   ledger->table);
}

void ledger_add_select(struct strbuf *sql, const struct ledger_query *query)
{
    strbuf_adds(sql, "SELECT ");
    ledger_add_names(sql, query->ledger, 0, query->ledger->column_count, "");
    strbuf_addf(sql, " FROM %s", query->ledger->table);
    for (size_t i = 0; i < query->term_count; i++) {
        char value[24];
        bool is_alternative = query->terms[i].is_alternative;
        bool goes_on = i + 1 < query->term_count && query->terms[i + 1].is_alternative;
        (void)snprintf(value, sizeof value, "$%zu", i + 1);
        strbuf_adds(sql, i == 0 ? " WHERE " : is_alternative ? " OR " : " AND ");
        strbuf_adds(sql, goes_on && !is_alternative ? "(" : "");
        add_condition(sql, query->terms[i].sql, value);
        strbuf_adds(sql, is_alternative && !goes_on ? ")" : "");
    }
    strbuf_addf(sql, " ORDER BY %s", query->order);
    if (query->limit > 0)
        strbuf_addf(sql, " LIMIT %zu", query->limit);
}
