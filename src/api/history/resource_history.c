/* SPDX-License-Identifier: Apache-2.0 */
/* resource_history - GET /v1/resources/history: what was stated about resources, the
 * newest first. */
#include "api/history/resource_history.h"

#include "api/params.h"
#include "api/time_range.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"

#define LAST_DEFAULT_NS (30 * 86400 * NS_PER_S)
#define HISTORY_ROWS_DEFAULT 1000
#define HISTORY_ROWS_MAX 1000000

/* Texts are the query's own: the request's end with its handler. */
struct history_query {
    char component[RESOURCE_COMPONENT_BYTES_MAX + 1];
    char source[RESOURCE_SOURCE_BYTES_MAX + 1];
    struct time_range range;
    uint64_t limit;
};

static int history_param(struct history_query *q, struct span name, struct span value)
{
    int is_range = time_range_param(&q->range, name, value);
    if (is_range != 0)
        return is_range;
    if (span_is(name, "component"))
        return resource_component_is_valid(value)
                   ? api_params_text(value, q->component, sizeof q->component)
                   : -EINVAL;
    if (span_is(name, "source"))
        return api_params_text(value, q->source, sizeof q->source);
    int rc = number_parse_u64(value, &q->limit);
    return rc == 0 && (q->limit < 1 || q->limit > HISTORY_ROWS_MAX) ? -EINVAL : rc;
}

int resource_history_read(struct net_request *request, void **ret_query,
                          struct err *err)
{
    AUTO_FREE struct history_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    *q = (struct history_query){ .range = time_range_of_last(LAST_DEFAULT_NS),
                                 .limit = HISTORY_ROWS_DEFAULT };
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (history_param(q, name, value) < 0)
            return api_params_refuse_value(PARAM_RESOURCE_HISTORY, name, value, err);
    int rc = time_range_finish(&q->range, err);
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

enum history_column {
    HISTORY_TIME,
    HISTORY_COMPONENT,
    HISTORY_HEALTH,
    HISTORY_REASON,
    HISTORY_SOURCE,
    HISTORY_BY
};

struct history_fill {
    struct table *table;
    const struct access_client *client;
};

/* A user's opinion, its reason and who sent anything are for whom the decision permits
 * them. */
static int on_history(void *arg, const struct resource_statement *s)
{
    const struct history_fill *fill = arg;
    struct table *t = fill->table;
    struct span name = { 0 };
    bool is_opinion = resource_source_kind(s->source, &name) == RESOURCE_SOURCE_USER;
    const struct access_owner owner = { .user = is_opinion ? name : SPAN(""),
                                        .uid = is_opinion ? name : SPAN("") };
    const struct access_object object = { .owner = &owner };
    bool sees =
        access_decide(fill->client, ACCESS_READ_PERSON, &object) == ACCESS_PERMITTED;
    table_add_row(t);
    table_set_i64(t, HISTORY_TIME, s->t_ns / NS_PER_MS);
    table_set_text(t, HISTORY_COMPONENT, s->component);
    table_set_text(t, HISTORY_HEALTH, span_of(resource_health_name(s->health)));
    if (s->reason.size > 0 && (sees || !is_opinion))
        table_set_text(t, HISTORY_REASON, s->reason);
    table_set_text(t, HISTORY_SOURCE, is_opinion && !sees ? SPAN("user") : s->source);
    if (sees && s->by.size > 0)
        table_set_text(t, HISTORY_BY, s->by);
    return table_error(t);
}

/* Who states something is not found by a query for each name. */
static bool may_query_source(const struct access_client *client, struct span source)
{
    struct span name;
    if (resource_source_kind(source, &name) != RESOURCE_SOURCE_USER)
        return true;
    const struct access_owner owner = { .user = name };
    const struct access_object object = { .owner = &owner };
    return access_decide(client, ACCESS_READ_PERSON, &object) == ACCESS_PERMITTED;
}

static struct span text_or_any(const char *text)
{
    return text[0] ? span_of(text) : (struct span){ 0 };
}

int resource_history_fetch(const struct api_readers *readers, const void *query,
                           struct api_result *ret, struct err *err)
{
    const struct history_query *q = query;
    AUTO(table_done) struct table table;
    struct history_fill fill = { &table, readers->client };
    const struct resource_change_filter filter = {
        .component = text_or_any(q->component),
        .source = text_or_any(q->source),
        .from_ns = q->range.from_ns,
        .to_ns = q->range.to_ns,
        .limit = q->limit,
    };
    bool has_more = false;
    table_init(&table);
    table_add_column(&table, "time", TABLE_TIME, "");
    table_add_column(&table, "component", TABLE_TEXT, "");
    table_add_column(&table, "health", TABLE_TEXT, "");
    table_add_column(&table, "reason", TABLE_TEXT, "");
    table_add_column(&table, "source", TABLE_TEXT, "");
    table_add_column(&table, "by", TABLE_TEXT, "");
    int rc = 0;
    if (may_query_source(readers->client, span_of(q->source)))
        rc = records_find_resource_changes(readers->rows, &filter, on_history, &fill,
                                           &has_more, err);
    if (rc == 0)
        rc = budget_hold_add(ret->hold, table_bytes(&table));
    if (rc < 0)
        return rc;
    if (has_more)
        table_add_note(&table,
                       "Earlier ones follow: limit=COUNT or to=TIME gets them.");
    table_to_json(&table, ret->body);
    return strbuf_error(ret->body);
}
