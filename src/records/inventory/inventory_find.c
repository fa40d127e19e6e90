/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_find - parts of nodes and what became of them, read. */
#include "records/inventory/inventory.h"

#include "base/span.h"
#include "records/records_private.h"
#include "records/submitted.h"

struct parts_find {
    const struct part_filter *filter;
    records_part_stay_fn *stay_fn;
    records_part_change_fn *change_fn;
    void *arg;
    size_t count;
    bool has_more;
};

static bool is_of_filter(const struct parts_find *find, struct span host)
{
    const struct part_filter *filter = find->filter;
    return !filter->hosts || hostset_has(filter->hosts, host);
}

static bool is_over_limit(struct parts_find *find)
{
    if (find->filter->limit > 0 && find->count == find->filter->limit)
        find->has_more = true;
    else
        find->count++;
    return find->has_more;
}

static int on_stay_row(void *arg, const struct scalar *row)
{
    struct parts_find *find = arg;
    struct part_stay stay;
    part_stay_of_row(row, &stay);
    if (!is_of_filter(find, stay.host))
        return 0;
    return is_over_limit(find) ? 1 : find->stay_fn(find->arg, &stay);
}

static int on_change_row(void *arg, const struct scalar *row)
{
    struct parts_find *find = arg;
    struct part_change change;
    part_change_of_row(row, &change);
    if (!is_of_filter(find, change.host))
        return 0;
    return is_over_limit(find) ? 1 : find->change_fn(find->arg, &change);
}

static void filter_terms(const struct part_filter *filter, struct ledger_terms *terms)
{
    terms_add_text(terms, "cluster = @", filter->cluster);
    terms_add_text(terms, "class = @", filter->class_name);
    terms_add_text(terms, "serial = @", filter->serial);
}

/* What is read ends with the limit only where no set of hosts chooses among it. */
static size_t rows_limit(const struct part_filter *filter)
{
    return filter->limit > 0 && !filter->hosts ? filter->limit + 1 : 0;
}

int records_find_parts(struct records_reader *reader, const struct part_filter *filter,
                       records_part_stay_fn *fn, void *arg, bool *ret_has_more,
                       struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct parts_find find = { .filter = filter, .stay_fn = fn, .arg = arg };
    filter_terms(filter, &terms);
    if (filter->which == PARTS_THERE)
        terms_add_i64(&terms, "gone_ns IS NULL AND start_ns > @", -1);
    const struct ledger_query query = {
        .ledger = &ledger_part_stays,
        .terms = terms.terms,
        .term_count = terms.count,
        .order = "cluster, host, class, slot, start_ns, part",
        .limit = rows_limit(filter),
    };
    int rc = ledger_read(reader, &query, on_stay_row, &find, err);
    if (rc == 0)
        *ret_has_more = find.has_more;
    return rc;
}

int records_find_part_changes(struct records_reader *reader,
                              const struct part_filter *filter,
                              records_part_change_fn *fn, void *arg, bool *ret_has_more,
                              struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct parts_find find = { .filter = filter, .change_fn = fn, .arg = arg };
    filter_terms(filter, &terms);
    const struct ledger_query query = { .ledger = &ledger_part_changes,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "start_ns DESC, cluster, part, item",
                                        .limit = rows_limit(filter) };
    int rc = ledger_read(reader, &query, on_change_row, &find, err);
    if (rc == 0)
        *ret_has_more = find.has_more;
    return rc;
}
