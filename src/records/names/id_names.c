/* SPDX-License-Identifier: Apache-2.0 */
/* id_names - the names of users and groups: stored, found. */
#include "records/names/id_names.h"

#include "base/span.h"
#include "records/submitted.h"

int records_put_id_names(struct records *records, const struct id_name *names,
                         size_t count, int64_t now_ms, struct records_submission *ret,
                         struct err *err)
{
    struct submission put;
    int rc = submission_begin(&put, records, &ledger_id_names, count, RECORDS_JOBS_MAX,
                              now_ms, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *reason = id_name_check(&names[i]);
        if (!reason)
            reason = submission_check_age(&put, names[i].last_ns);
        if (reason) {
            submission_refuse(&put, i, reason);
            continue;
        }
        const struct scalar *row = id_name_ledger_row(&names[i], now_ms, put.arena);
        if (!row)
            rc = -ENOMEM;
        else
            submission_add(&put, row);
    }
    return rc < 0 ? rc : submission_end(&put, ret, err);
}

/* ---- finding ---- */

struct id_names_find {
    records_id_name_fn *fn;
    void *arg;
};

static int id_name_row_read(void *arg, const struct scalar *row)
{
    const struct id_names_find *find = arg;
    struct id_name name;
    /* Another program may have stored a kind that is not known here. */
    return id_name_ledger_name(row, &name) < 0 ? 0 : find->fn(find->arg, &name);
}

/* `number IN ('1001','1002')`: digits, so that they need no quoting; false: none. */
static bool numbers_print(const struct id_name_filter *filter, struct strbuf *sql)
{
    bool has_any = false;
    for (size_t i = 0; i < filter->number_count; i++) {
        if (!id_is_number(filter->numbers[i]))
            continue;
        strbuf_addf(sql, "%s'" SPAN_FMT "'", has_any ? "," : "number IN (",
                    SPAN_ARG(filter->numbers[i]));
        has_any = true;
    }
    strbuf_adds(sql, ") AND kind = @");
    return has_any;
}

int records_find_id_names(struct records_reader *reader,
                          const struct id_name_filter *filter, records_id_name_fn *fn,
                          void *arg, struct err *err)
{
    AUTO(strbuf_done) struct strbuf numbers = STRBUF_INIT;
    struct ledger_terms terms = { 0 };
    struct id_names_find find = { fn, arg };
    if (filter->numbers && !numbers_print(filter, &numbers))
        return 0;
    if (strbuf_error(&numbers))
        return -ENOMEM;
    terms_add_text(&terms, filter->numbers ? strbuf_text(&numbers) : "kind = @",
                   span_of(id_kind_name(filter->kind)));
    terms_add_text(&terms, "name = @", filter->name);
    const struct ledger_query query = { .ledger = &ledger_id_names,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "number, start_ns, name, cluster" };
    return ledger_read(reader, &query, id_name_row_read, &find, err);
}
