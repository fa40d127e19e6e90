/* SPDX-License-Identifier: Apache-2.0 */
/* resources - statements about the health of components. */
#include "records/resource/resources.h"

#include "base/span.h"
#include "records/submitted.h"
#include "records/transaction.h"

/* ---- putting ---- */

struct resources_put {
    struct submission put;         /* of what holds */
    enum ledger_outcome *outcomes; /* of each row of put */
    const struct scalar **replaced;
    const struct scalar **changes; /* of the rows, those for the history */
    size_t change_count;
};

static int statements_check(struct resources_put *in,
                            const struct resource_statement *statements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *reason = resource_statement_check(&statements[i]);
        /* Of any age: what was stated long ago may hold still.  One of a time to come
         * goes on from such a one, of when the clock here was ahead: who puts them has
         * set that of a sender (daemon/health/statement_times.h). */
        if (!reason && statements[i].t_ns <= 0)
            reason = "its time is missing, or before 1970";
        if (reason) {
            submission_refuse(&in->put, i, reason);
            continue;
        }
        const struct scalar *row =
            resource_ledger_row(&statements[i], in->put.now_ms, in->put.arena);
        if (!row)
            return -ENOMEM;
        submission_add(&in->put, row);
    }
    return 0;
}

static int resources_put_alloc(struct resources_put *in)
{
    size_t count = in->put.row_count + 1;
    in->outcomes = arena_alloc(in->put.arena, count * sizeof *in->outcomes);
    in->replaced = arena_alloc(in->put.arena, count * sizeof(struct scalar *));
    in->changes = arena_alloc(in->put.arena, count * sizeof(struct scalar *));
    return in->outcomes && in->replaced && in->changes ? 0 : -ENOMEM;
}

static bool is_for_history(const struct resources_put *in, size_t row)
{
    struct resource_statement old, new;
    if (in->outcomes[row] == LEDGER_DUPLICATE)
        return false;
    return !in->replaced[row] ||
           resource_ledger_statement(in->replaced[row], &old) < 0 ||
           resource_ledger_statement(in->put.rows[row], &new) < 0 ||
           resource_statement_is_change(&old, &new);
}

/* Between begin and commit. */
static int resources_put_within(struct resources_put *in, struct err *err)
{
    struct submission *put = &in->put;
    const struct ledger_rows held = { put->ledger, put->rows, put->row_count,
                                      in->outcomes, in->replaced };
    int rc = ledger_put_within(put->records, &held, put->arena, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < put->row_count; i++)
        if (is_for_history(in, i))
            in->changes[in->change_count++] = put->rows[i];
    enum ledger_outcome *outcomes =
        arena_alloc(put->arena, (in->change_count + 1) * sizeof *outcomes);
    if (!outcomes)
        return -ENOMEM;
    const struct ledger_rows changes = { &ledger_resource_changes, in->changes,
                                         in->change_count, outcomes, NULL };
    return ledger_put_within(put->records, &changes, put->arena, err);
}

static int resources_commit(struct resources_put *in, struct err *err)
{
    struct records *records = in->put.records;
    int rc = transaction_begin(records, err);
    if (rc < 0)
        return rc == -EEXIST ? -EAGAIN : rc;
    rc = resources_put_within(in, err);
    if (rc == 0) {
        rc = transaction_commit(records, err);
    } else {
        transaction_failed(records, rc, err);
        transaction_rollback(records);
    }
    return rc == -EEXIST ? -EAGAIN : rc;
}

int records_put_resources(struct records *records,
                          const struct resource_statement *statements, size_t count,
                          int64_t now_ms, struct records_submission *ret,
                          struct err *err)
{
    struct resources_put in = { 0 };
    struct records_submission *result = &in.put.result;
    int rc = submission_begin(&in.put, records, &ledger_resource_statements, count,
                              RECORDS_STATEMENTS_MAX, now_ms, err);
    if (rc == 0)
        rc = check_writable(records, err);
    if (rc == 0)
        rc = statements_check(&in, statements, count);
    if (rc == 0)
        rc = resources_put_alloc(&in);
    if (rc == 0 && in.put.row_count > 0)
        rc = resources_commit(&in, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < in.put.row_count; i++) {
        result->accepted += in.outcomes[i] == LEDGER_ACCEPTED;
        result->changed += in.outcomes[i] == LEDGER_CHANGED;
        result->duplicate += in.outcomes[i] == LEDGER_DUPLICATE;
    }
    *ret = *result;
    return 0;
}

/* ---- finding ---- */

struct statements_find {
    records_statement_fn *fn;
    void *arg;
    size_t limit, count;
    bool has_more;
};

static int on_statement_row(void *arg, const struct scalar *row)
{
    struct statements_find *find = arg;
    struct resource_statement statement;
    /* Another program may have stored what is none here. */
    if (resource_ledger_statement(row, &statement) < 0 ||
        resource_statement_check(&statement))
        return 0;
    if (find->limit && find->count == find->limit) {
        find->has_more = true;
        return 1;
    }
    find->count++;
    return find->fn(find->arg, &statement);
}

int records_find_resources(struct records_reader *reader, records_statement_fn *fn,
                           void *arg, struct err *err)
{
    struct statements_find find = { .fn = fn, .arg = arg };
    const struct ledger_query query = { .ledger = &ledger_resource_statements,
                                        .order = "component, source" };
    return ledger_read(reader, &query, on_statement_row, &find, err);
}

/* Below "alex/a1" is what begins with "alex/a1/"; '0' follows '/'. */
static void terms_add_component(struct ledger_terms *terms, struct span component)
{
    terms_add_text(
        terms, "(component = @ OR (component >= @ || '/' AND component < @ || '0'))",
        component);
}

int records_find_resources_of(struct records_reader *reader, struct span component,
                              records_statement_fn *fn, void *arg, struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct statements_find find = { .fn = fn, .arg = arg };
    terms_add_component(&terms, component);
    const struct ledger_query query = { .ledger = &ledger_resource_statements,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "component, source" };
    return ledger_read(reader, &query, on_statement_row, &find, err);
}

int records_find_resource_changes(struct records_reader *reader,
                                  const struct resource_change_filter *filter,
                                  records_statement_fn *fn, void *arg,
                                  bool *ret_has_more, struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct statements_find find = { .fn = fn, .arg = arg, .limit = filter->limit };
    terms_add_component(&terms, filter->component);
    terms_add_text(&terms, "source = @", filter->source);
    /* Of one component the key finds the rows: a plus leaves the index of times, of all
     * components, out of it. */
    bool is_of_one = filter->component.data != NULL;
    terms_add_i64(&terms, is_of_one ? "+start_ns >= @" : "start_ns >= @",
                  filter->from_ns);
    terms_add_i64(&terms, is_of_one ? "+start_ns < @" : "start_ns < @", filter->to_ns);
    const struct ledger_query query = {
        .ledger = &ledger_resource_changes,
        .terms = terms.terms,
        .term_count = terms.count,
        .order = is_of_one ? "+start_ns DESC, component, source"
                           : "start_ns DESC, component, source",
        .limit = filter->limit ? filter->limit + 1 : 0
    };
    int rc = ledger_read(reader, &query, on_statement_row, &find, err);
    if (rc == 0)
        *ret_has_more = find.has_more;
    return rc;
}

int records_scan_resource_changes(struct records_reader *reader, struct span component,
                                  int64_t to_ns, records_statement_fn *fn, void *arg,
                                  struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct statements_find find = { .fn = fn, .arg = arg };
    terms_add_component(&terms, component);
    /* The key has that order: the plus leaves the index of times out of it. */
    terms_add_i64(&terms, "+start_ns < @", to_ns);
    const struct ledger_query query = { .ledger = &ledger_resource_changes,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "component, source, start_ns" };
    return ledger_read(reader, &query, on_statement_row, &find, err);
}
