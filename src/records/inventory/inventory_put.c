/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_put - reports of hosts' parts, compared and stored. */
#include "base/span.h"
#include "records/inventory/host_bounds.h"
#include "records/inventory/part_compare.h"
#include "records/records_private.h"
#include "records/submitted.h"
#include "records/transaction.h"

struct inventory_put {
    struct submission put;
    struct part_compare of; /* the report under way */
};

/* After a report so many more fit. */
#define STAYS_STORED_MAX (RECORDS_STAYS_OF_HOST_MAX - INVENTORY_PARTS_MAX)

/* ---- storing ---- */

static void no_row_pruned(void *arg, const struct scalar *key)
{
    (void)arg, (void)key;
}

static size_t surplus_of(const struct stay_list *stays)
{
    return stays->count > STAYS_STORED_MAX ? stays->count - STAYS_STORED_MAX : 0;
}

/* That were gone before this report. */
static bool is_prunable(const struct stored_stay *stored)
{
    return stored->stay.gone_ns > 0 && !stored->is_changed;
}

static bool stays_fit(const struct stay_list *stays)
{
    size_t there = 0;
    for (size_t i = 0; i < stays->count; i++)
        there += !is_prunable(stays->stays[i]);
    return there <= RECORDS_STAYS_OF_HOST_MAX;
}

/* The oldest come first. */
static int stays_prune(struct inventory_put *in, struct err *err)
{
    struct records *records = in->put.records;
    const struct stay_list *stays = &in->of.stays;
    struct ledger of_rows = ledger_part_stays;
    size_t count = 0, surplus = surplus_of(stays);
    struct ledger_row *rows = arena_alloc(in->put.arena, (surplus + 1) * sizeof *rows);
    of_rows.prune_key_count = of_rows.key_count;
    of_rows.prune = "t.gone_ns IS NOT NULL";
    if (!rows)
        return -ENOMEM;
    for (size_t i = 0; i < stays->count && count < surplus; i++) {
        if (!is_prunable(stays->stays[i]))
            continue;
        rows[count] = (struct ledger_row){ .submitted = part_stay_row(
                                               &stays->stays[i]->stay, in->put.now_ms,
                                               in->put.arena) };
        if (!rows[count++].submitted)
            return -ENOMEM;
    }
    if (count == 0)
        return 0;
    int rc = records->engine->ledger_prune(records->backend, &of_rows, rows, count,
                                           no_row_pruned, NULL, err);
    if (rc == 0)
        atomic_fetch_add(&records->part_stays_pruned, count);
    return rc;
}

static int rows_of_stays(struct inventory_put *in, const struct stay_list *list,
                         const struct scalar **rows, size_t *count)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->stays[i]->is_changed)
            continue;
        rows[*count] =
            part_stay_row(&list->stays[i]->stay, in->put.now_ms, in->put.arena);
        if (!rows[(*count)++])
            return -ENOMEM;
    }
    return 0;
}

static int ledger_rows_put(struct inventory_put *in, const struct ledger *ledger,
                           const struct scalar **rows, size_t count, struct err *err)
{
    enum ledger_outcome *outcomes =
        arena_alloc(in->put.arena, (count + 1) * sizeof *outcomes);
    const struct ledger_rows put = { ledger, rows, count, outcomes, NULL };
    if (!outcomes)
        return -ENOMEM;
    return count ? ledger_put_within(in->put.records, &put, in->put.arena, err) : 0;
}

static int compared_commit(struct inventory_put *in, struct err *err)
{
    struct records *records = in->put.records;
    size_t change_count =
        host_bounds_changes(records->host_bounds, in->of.report->cluster,
                            in->of.report->host, in->put.now_ms, in->of.changes.count);
    size_t stay_count = 0, capacity = in->of.stays.count + in->of.others.count + 1;
    const struct scalar **stays = arena_alloc(in->put.arena, capacity * sizeof(void *));
    const struct scalar **changes =
        arena_alloc(in->put.arena, (in->of.changes.count + 1) * sizeof(void *));
    if (!stays || !changes ||
        rows_of_stays(in, &in->of.stays, stays, &stay_count) < 0 ||
        rows_of_stays(in, &in->of.others, stays, &stay_count) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < change_count; i++) {
        changes[i] =
            part_change_row(&in->of.changes.changes[i], in->put.now_ms, in->put.arena);
        if (!changes[i])
            return -ENOMEM;
    }
    int rc = transaction_begin(records, err);
    if (rc < 0)
        return rc == -EEXIST ? -EAGAIN : rc;
    rc = ledger_rows_put(in, &ledger_part_stays, stays, stay_count, err);
    if (rc == 0)
        rc = ledger_rows_put(in, &ledger_part_changes, changes, change_count, err);
    if (rc == 0)
        rc = stays_prune(in, err);
    if (rc == 0) {
        rc = transaction_commit(records, err);
        if (rc == 0)
            atomic_fetch_add(&records->part_changes_dropped,
                             in->of.changes.count - change_count);
    } else {
        transaction_failed(records, rc, err);
        transaction_rollback(records);
    }
    return rc == -EEXIST ? -EAGAIN : rc;
}

static int report_compare(struct inventory_put *in, size_t index, struct err *err)
{
    struct records_submission *result = &in->put.result;
    int rc = part_compare_begin(&in->of);
    if (rc < 0)
        return rc;
    if (in->of.report->t_ns <= in->of.last_ns) {
        result->duplicate++;
        return 0;
    }
    if (in->of.report->t_ns - in->of.last_ns < RECORDS_INVENTORY_DISTANCE_NS) {
        submission_refuse(&in->put, index,
                          "it is less than 10 s after the last report of its host");
        return 0;
    }
    rc = part_compare_run(&in->of, err);
    if (rc == 0 && !stays_fit(&in->of.stays)) {
        submission_refuse(&in->put, index, "10,000 parts are there of its host");
        return 0;
    }
    if (rc == 0)
        rc = compared_commit(in, err);
    if (rc < 0)
        return rc;
    if (in->of.changes.count > 0)
        result->accepted++;
    else
        result->changed++;
    return 0;
}

static int report_put(struct inventory_put *in, struct records_reader *reader,
                      const struct node_inventory *report, size_t index,
                      struct err *err)
{
    const char *why = node_inventory_check(report);
    if (!why)
        why = submission_check_age(&in->put, report->t_ns);
    int rc = why ? 0
                 : host_bounds_report(in->put.records->host_bounds, report->cluster,
                                      report->host, in->put.now_ms);
    if (rc < 0)
        return rc;
    if (!why && rc == 0)
        why = "there were too many reports of its host: one in 10 s may come";
    if (why) {
        submission_refuse(&in->put, index, why);
        return 0;
    }
    arena_reset(in->put.arena);
    in->of = (struct part_compare){ .arena = in->put.arena,
                                    .reader = reader,
                                    .report = report };
    rc = stay_list_of_host(reader, report->cluster, report->host, in->put.arena,
                           &in->of.stays, err);
    if (rc == 0)
        rc = report_compare(in, index, err);
    part_compare_done(&in->of);
    return rc;
}

void records_inventory_stats(const struct records *records,
                             struct records_inventory_stats *ret)
{
    ret->changes_dropped = atomic_load(&records->part_changes_dropped);
    ret->stays_pruned = atomic_load(&records->part_stays_pruned);
}

int records_put_inventories(struct records *records,
                            const struct node_inventory *reports, size_t count,
                            int64_t now_ms, struct records_submission *ret,
                            struct err *err)
{
    AUTO(records_reader_close) struct records_reader *reader = NULL;
    struct inventory_put in = { 0 };
    int rc = submission_begin(&in.put, records, &ledger_part_stays, count,
                              RECORDS_INVENTORIES_MAX, now_ms, err);
    if (rc == 0)
        rc = check_writable(records, err);
    if (rc == 0 && count > 0)
        rc = records_reader_open(records, &reader, err);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = report_put(&in, reader, &reports[i], i, err);
    if (rc == 0)
        *ret = in.put.result;
    return rc;
}
