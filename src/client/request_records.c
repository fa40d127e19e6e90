/* SPDX-License-Identifier: Apache-2.0 */
/* request_records - requests to a database directly, without a daemon. */
#include "client/transport.h"
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

static int direct_open(const struct client_endpoint *endpoint, void **ret,
                       struct err *err)
{
    struct records_opts opts = { .access = RECORDS_READ };
    records_opts_place(&opts, endpoint->records);
    int rc = records_opts_check(&opts, err);
    if (rc < 0)
        return rc;
    if (opts.path && access(opts.path, R_OK) < 0)
        return err_set(err, errno, "'%s': %s", endpoint->records, strerror(errno));
    AUTO(direct_free) struct direct *d = calloc(1, sizeof *d);
    if (!d)
        return err_set(err, ENOMEM, "out of memory");
    rc = records_open(&opts, NULL, &d->records, err);
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

static int direct_table(void *state, enum client_request request, struct selection *sel,
                        struct table *ret, struct err *err)
{
    struct direct *d = state;
    const struct query_ctx ctx = { .history = &d->history };
    switch (request) {
    case CLIENT_TOP:
        return query_top(&ctx, sel, ret, err);
    case CLIENT_RATES:
        return query_rates(&ctx, sel, ret, err);
    default:
        return query_series(&ctx, sel, ret, err);
    }
}

static int direct_job(void *state, struct selection *sel, struct table *parts,
                      struct err *err)
{
    struct direct *d = state;
    const struct query_ctx ctx = { .history = &d->history };
    return query_job(&ctx, sel, parts, err);
}

const struct client_transport client_transport_records = {
    .open = direct_open,
    .close = direct_close,
    .table = direct_table,
    .job = direct_job,
};
