/* SPDX-License-Identifier: Apache-2.0 */
/* asking_records - answers from a database directly, without a daemon. */
#include "base/clock.h"
#include "cmd/asking_way.h"
#include "query/query.h"
#include "records/records.h"

#include <unistd.h>

struct direct {
    struct records *records;
    struct history_readers readers;
    struct history history;
};

static void direct_close(void *state)
{
    struct direct *d = state;
    if (!d)
        return;
    records_reader_close(d->readers.rows);
    records_reader_close(d->readers.series);
    records_close(d->records);
    free(d);
}

static void direct_free(struct direct *d)
{
    direct_close(d);
}
DEFINE_AUTO(struct direct, direct_free);

static int direct_open(const struct asking_args *args, void **ret, struct err *err)
{
    struct records_opts opts = { .access = RECORDS_READ };
    records_opts_place(&opts, args->records);
    if (opts.path && access(opts.path, R_OK) < 0)
        return err_set(err, errno, "'%s': %s", args->records, strerror(errno));
    AUTO(direct_free) struct direct *d = calloc(1, sizeof *d);
    if (!d)
        return -ENOMEM;
    int rc = records_open(&opts, NULL, &d->records, err);
    if (rc == 0)
        rc = records_reader_open(d->records, &d->readers.rows, err);
    if (rc == 0)
        rc = records_reader_open(d->records, &d->readers.series, err);
    if (rc < 0)
        return rc;
    history_of_records(&d->readers, &d->history);
    *ret = TAKE(d);
    return 0;
}

static int fill_selection(const struct asking_pairs *pairs, struct selection *sel,
                          struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < pairs->count; i++)
        rc = selection_set(sel, span_of(pairs->items[i].name), pairs->items[i].value,
                           err);
    return rc;
}

static int direct_table(void *state, enum asking_question question,
                        const struct asking_pairs *pairs, struct table *ret,
                        struct err *err)
{
    struct direct *d = state;
    const struct asker asker = { .history = &d->history };
    AUTO(selection_done) struct selection sel;
    selection_init(&sel, clock_now_ms());
    int rc = fill_selection(pairs, &sel, err);
    if (rc < 0)
        return rc;
    switch (question) {
    case ASKING_TOP:
        return ask_top(&asker, &sel, ret, err);
    case ASKING_RATES:
        return ask_rates(&asker, &sel, ret, err);
    default:
        return ask_series(&asker, &sel, ret, err);
    }
}

static int direct_job(void *state, const struct asking_pairs *pairs,
                      struct table *parts, struct err *err)
{
    struct direct *d = state;
    const struct asker asker = { .history = &d->history };
    AUTO(selection_done) struct selection sel;
    selection_init(&sel, clock_now_ms());
    int rc = fill_selection(pairs, &sel, err);
    return rc < 0 ? rc : ask_job(&asker, &sel, parts, err);
}

const struct asking_way asking_way_records = {
    .open = direct_open,
    .close = direct_close,
    .table = direct_table,
    .job = direct_job,
};
