/* SPDX-License-Identifier: Apache-2.0 */
/* resource_report - GET /v1/resources/report: failures and repairs of components, by
 * class.
 *
 * Nothing in it is a person's: opinions of users do not count, and no reason is shown.
 */
#include "api/history/resource_report.h"

#include "analysis/reliability/reliability.h"
#include "api/params.h"
#include "api/time_range.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "query/query.h"
#include "report/report.h"

#include <strings.h>

#define LAST_DEFAULT_NS (365 * 86400 * NS_PER_S)
#define WORST_DEFAULT 3
#define HOSTS_BYTES_MAX 65536
#define NAME_BYTES_MAX 256
/* So many hosts are read one by one, in place of all that there are. */
#define HOSTS_EACH_MAX 256
#define WATCH_ROWS 4096

/* Texts are the query's own: the request's end with its handler. */
struct report_query {
    char cluster[NAME_BYTES_MAX];
    char class_name[COMPONENT_CLASS_SIZE];
    struct time_range range;
    uint64_t worst;
    char hosts[HOSTS_BYTES_MAX];
};

static int report_param(struct report_query *q, struct span name, struct span value)
{
    int is_range = time_range_param(&q->range, name, value);
    if (is_range != 0)
        return is_range;
    if (span_is(name, "hosts"))
        return api_params_text(value, q->hosts, sizeof q->hosts);
    if (span_is(name, "cluster"))
        return api_params_text(value, q->cluster, sizeof q->cluster);
    if (span_is(name, "class"))
        return api_params_text(value, q->class_name, sizeof q->class_name);
    int rc = number_parse_u64(value, &q->worst);
    return rc == 0 && q->worst > FAILURE_WORST_MAX ? -EINVAL : rc;
}

int resource_report_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct report_query *q = calloc(1, sizeof *q);
    AUTO(hostset_free) struct hostset *hosts = NULL;
    struct span name, value;
    if (!q)
        return -ENOMEM;
    q->range = time_range_of_last(LAST_DEFAULT_NS);
    q->worst = WORST_DEFAULT;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (report_param(q, name, value) < 0)
            return api_params_refuse_value(PARAM_RESOURCE_REPORT, name, value, err);
    int rc = time_range_finish(&q->range, err);
    if (rc == 0 && q->hosts[0])
        rc = hostset_parse(span_of(q->hosts), &hosts, err);
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

/* ---- which components ---- */

struct report_reading {
    const struct api_readers *readers;
    const struct report_query *query;
    struct hostset *hosts; /* NULL: all */
    struct failure_report *report;
    struct budget_hold *hold;
    size_t rows, charged_bytes;
};

static bool host_is_wanted(const struct hostset *hosts, struct span host)
{
    char name[NAME_BYTES_MAX];
    if (host.size > sizeof name)
        return false;
    size_t size = component_unescape(host, name);
    return hostset_has(hosts, (struct span){ name, size });
}

static bool on_wants(void *arg, struct span path, const char *class_name)
{
    const struct report_reading *r = arg;
    struct component component;
    if (r->query->class_name[0] && strcasecmp(class_name, r->query->class_name) != 0)
        return false;
    component_parse(path, &component);
    if (r->query->cluster[0] && !span_is(component.cluster, r->query->cluster))
        return false;
    return !r->hosts || host_is_wanted(r->hosts, component.host);
}

static bool on_is_enclosure(void *arg, struct span path)
{
    const struct report_reading *r = arg;
    return past_health_is_enclosure(r->readers->api->opts.resource_rules, path);
}

/* ---- reading ---- */

static int bytes_charge(struct report_reading *r)
{
    size_t bytes = failure_report_bytes(r->report);
    if (bytes <= r->charged_bytes)
        return 0;
    int rc = budget_hold_add(r->hold, bytes - r->charged_bytes);
    if (rc == 0)
        r->charged_bytes = bytes;
    return rc;
}

static int rows_watch(struct report_reading *r)
{
    if (++r->rows % WATCH_ROWS != 0)
        return 0;
    int rc = r->readers->watch ? r->readers->watch(r->readers->watch_arg) : 0;
    return rc < 0 ? rc : bytes_charge(r);
}

static int on_held(void *arg, const struct resource_statement *statement)
{
    struct report_reading *r = arg;
    int rc = failure_report_hold(r->report, statement);
    return rc < 0 ? rc : rows_watch(r);
}

static int on_change(void *arg, const struct resource_statement *statement)
{
    struct report_reading *r = arg;
    int rc = failure_report_add(r->report, statement);
    return rc < 0 ? rc : rows_watch(r);
}

/* What holds and the history, of one component and its parts, or of all. */
static int part_read(struct report_reading *r, struct span component, struct err *err)
{
    struct records_reader *rows = r->readers->rows;
    int rc = component.data
                 ? records_find_resources_of(rows, component, on_held, r, err)
                 : records_find_resources(rows, on_held, r, err);
    if (rc == 0)
        rc = records_scan_resource_changes(rows, component, r->query->range.to_ns,
                                           on_change, r, err);
    return rc < 0 ? rc : failure_report_flush(r->report);
}

static int hosts_read(struct report_reading *r, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < hostset_count(r->hosts); i++) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        strbuf_addf(&path, "%s/", r->query->cluster);
        component_print_name(&path, span_of(hostset_at(r->hosts, i)));
        rc = strbuf_error(&path);
        if (rc == 0)
            rc = part_read(r, strbuf_span(&path), err);
    }
    return rc;
}

static int report_read(struct report_reading *r, struct err *err)
{
    const struct report_query *q = r->query;
    const struct failure_report_opts opts = {
        .from_ns = q->range.from_ns,
        .to_ns = q->range.to_ns,
        .worst = (size_t)q->worst,
        .wants = on_wants,
        .is_enclosure = on_is_enclosure,
        .arg = r,
    };
    int rc = q->hosts[0] ? hostset_parse(span_of(q->hosts), &r->hosts, err) : 0;
    if (rc == 0)
        rc = failure_report_new(&opts, &r->report);
    if (rc < 0)
        return rc;
    if (r->hosts && q->cluster[0] && hostset_count(r->hosts) <= HOSTS_EACH_MAX)
        rc = hosts_read(r, err);
    else
        rc = part_read(r, (struct span){ 0 }, err);
    if (rc == 0)
        rc = bytes_charge(r);
    if (rc == 0)
        failure_report_finish(r->report);
    return rc;
}

int resource_report_fetch(const struct api_readers *readers, const void *query,
                          struct api_result *ret, struct err *err)
{
    AUTO(table_done) struct table table;
    struct report_reading reading = { .readers = readers,
                                      .query = query,
                                      .hold = ret->hold };
    table_init(&table);
    int rc = report_read(&reading, err);
    if (rc == 0)
        rc = failure_table_make(reading.report, &table);
    if (rc == 0)
        rc = budget_hold_add(ret->hold, table_bytes(&table));
    if (rc == 0)
        table_to_json(&table, ret->body);
    failure_report_free(reading.report);
    hostset_free(reading.hosts);
    return rc < 0 ? rc : strbuf_error(ret->body);
}
