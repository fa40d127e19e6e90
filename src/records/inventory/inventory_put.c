/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_put - reports of hosts' parts, compared and stored. */
#include "base/span.h"
#include "records/inventory/part_compare.h"
#include "records/records_private.h"
#include "records/submitted.h"
#include "records/transaction.h"

struct inventory_put {
    struct submission put;
    struct part_compare of; /* the report under way */
};

/* ---- storing ---- */

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
    size_t stay_count = 0, capacity = in->of.stays.count + in->of.others.count + 1;
    const struct scalar **stays = arena_alloc(in->put.arena, capacity * sizeof *stays);
    const struct scalar **changes =
        arena_alloc(in->put.arena, (in->of.changes.count + 1) * sizeof *changes);
    if (!stays || !changes ||
        rows_of_stays(in, &in->of.stays, stays, &stay_count) < 0 ||
        rows_of_stays(in, &in->of.others, stays, &stay_count) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < in->of.changes.count; i++) {
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
        rc = ledger_rows_put(in, &ledger_part_changes, changes, in->of.changes.count,
                             err);
    if (rc == 0) {
        rc = transaction_commit(records, err);
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
    if (in->of.stays.count >= RECORDS_STAYS_OF_HOST_MAX) {
        submission_refuse(&in->put, index,
                          "10,000 places of parts are stored of its host");
        return 0;
    }
    if (in->of.report->t_ns <= in->of.last_ns) {
        result->duplicate++;
        return 0;
    }
    rc = part_compare_run(&in->of, err);
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
    if (why) {
        submission_refuse(&in->put, index, why);
        return 0;
    }
    arena_reset(in->put.arena);
    in->of = (struct part_compare){ .arena = in->put.arena,
                                    .reader = reader,
                                    .report = report };
    int rc = stay_list_of_host(reader, report->cluster, report->host, in->put.arena,
                               &in->of.stays, err);
    if (rc == 0)
        rc = report_compare(in, index, err);
    part_compare_done(&in->of);
    return rc;
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
