/* SPDX-License-Identifier: Apache-2.0 */
/* rest - one reading of a storage box by HTTPS and JSON, through its mapping. */
#include "bmc/box/rest.h"

#include "base/clock.h"
#include "bmc/box/box_tables.h"
#include "bmc/box/rest_document.h"
#include "bmc/https.h"

struct rest_visit {
    struct net_client *client;
    struct net_response response;
    struct bmc_report *report;
    int64_t until_ns;
    bool has_responded;
};

static int rest_table_fetch(void *arg, const struct mapping_table *table,
                            struct box_rows *rows, struct err *err)
{
    struct rest_visit *v = arg;
    int64_t left_ns = v->until_ns - clock_monotonic_ns();
    if (left_ns <= 0)
        return err_set(err, ETIMEDOUT, "its time is over, at %s", table->path);
    net_client_set_timeout(v->client, left_ns);
    int rc = net_client_get(v->client, table->path, &v->response, err);
    v->report->is_away = rc < 0 && v->response.is_away && !v->has_responded;
    v->has_responded |= rc == 0;
    if (rc == 0)
        rc = bmc_status_check(&v->response, err);
    if (rc == 0)
        rc = rest_document_read(strbuf_span(&v->response.body), table, rows, err);
    return err_prefix(err, rc, "%s", table->path);
}

int box_rest_read(const struct bmc_target *target, struct bmc_report *report,
                  struct err *err)
{
    AUTO(net_client_free) struct net_client *client = NULL;
    int rc = bmc_client_open(target, REST_BODY_BYTES_MAX, &client, err);
    struct rest_visit v = { .client = client,
                            .report = report,
                            .until_ns =
                                clock_monotonic_ns() + target->section->timeout_ns };
    if (rc == 0)
        rc = box_tables_read(target->section, rest_table_fetch, &v, report, err);
    net_response_done(&v.response);
    return err_prefix(err, rc, "%s (box %s)", target->host, target->address);
}
