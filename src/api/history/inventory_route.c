/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_route - GET /v1/resources/inventory: parts of nodes, or what became of
 * them. */
#include "api/history/inventory_route.h"

#include "api/params.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "model/model.h"

#define INVENTORY_ROWS_DEFAULT 10000
#define INVENTORY_ROWS_MAX 1000000

/* Texts are the query's own: the request's end with its handler. */
struct inventory_query {
    char cluster[256];
    char hosts[16384];
    char class_name[32];
    char serial[INVENTORY_TEXT_BYTES_MAX + 1];
    bool is_all, is_history;
    uint64_t limit;
};

static int flag_param(struct span value, bool *ret)
{
    if (!span_is(value, "true") && !span_is(value, "false"))
        return -EINVAL;
    *ret = span_is(value, "true");
    return 0;
}

static int inventory_param(struct inventory_query *q, struct span name,
                           struct span value)
{
    enum part_class class;
    if (span_is(name, "hosts"))
        return api_params_text(value, q->hosts, sizeof q->hosts);
    if (span_is(name, "cluster"))
        return api_params_text(value, q->cluster, sizeof q->cluster);
    if (span_is(name, "serial"))
        return api_params_text(value, q->serial, sizeof q->serial);
    if (span_is(name, "class"))
        return part_class_parse(value, &class) < 0
                   ? -EINVAL
                   : api_params_text(value, q->class_name, sizeof q->class_name);
    if (span_is(name, "all"))
        return flag_param(value, &q->is_all);
    if (span_is(name, "history"))
        return flag_param(value, &q->is_history);
    int rc = number_parse_u64(value, &q->limit);
    return rc == 0 && (q->limit < 1 || q->limit > INVENTORY_ROWS_MAX) ? -EINVAL : rc;
}

int inventory_route_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct inventory_query *q = calloc(1, sizeof *q);
    AUTO(hostset_free) struct hostset *hosts = NULL;
    struct span name, value;
    if (!q)
        return -ENOMEM;
    q->limit = INVENTORY_ROWS_DEFAULT;
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (inventory_param(q, name, value) < 0)
            return api_params_refuse_value(PARAM_INVENTORY, name, value, err);
    int rc = q->hosts[0] ? hostset_parse(span_of(q->hosts), &hosts, err) : 0;
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc == -E2BIG ? -EINVAL : rc;
}

/* ---- parts ---- */

enum inventory_column {
    INVENTORY_HOST,
    INVENTORY_CLASS,
    INVENTORY_SLOT,
    INVENTORY_MODEL,
    INVENTORY_SERIAL,
    INVENTORY_FIRMWARE,
    INVENTORY_SIZE,
    INVENTORY_HEALTH,
    INVENTORY_CORRECTED,
    INVENTORY_UNCORRECTED,
    INVENTORY_FIRST,
    INVENTORY_LAST,
    INVENTORY_GONE,
    INVENTORY_WHY,
    INVENTORY_REASON,
    INVENTORY_DUPLICATE,
    INVENTORY_VENDOR,
    INVENTORY_COMPONENT,
    INVENTORY_CLUSTER,
};

struct inventory_fill {
    struct table *table;
    struct strbuf component;
    struct hashmap rows;  /* of a component that health may be stated of: its row + 1 */
    struct hashmap worst; /* of the same: what is stated of it, + 1 */
};

static void inventory_fill_done(struct inventory_fill *fill)
{
    strbuf_done(&fill->component);
    hashmap_done(&fill->rows);
    hashmap_done(&fill->worst);
}
DEFINE_AUTO_DONE(struct inventory_fill, inventory_fill_done);

static void inventory_columns_add(struct table *t)
{
    static const struct {
        const char *name;
        enum table_type type;
        const char *unit;
    } columns[] = {
        [INVENTORY_HOST] = { "host", TABLE_TEXT, "" },
        [INVENTORY_CLASS] = { "class", TABLE_TEXT, "" },
        [INVENTORY_SLOT] = { "slot", TABLE_TEXT, "" },
        [INVENTORY_MODEL] = { "model", TABLE_TEXT, "" },
        [INVENTORY_SERIAL] = { "serial", TABLE_TEXT, "" },
        [INVENTORY_FIRMWARE] = { "firmware", TABLE_TEXT, "" },
        [INVENTORY_SIZE] = { "size", TABLE_U64, "bytes" },
        [INVENTORY_HEALTH] = { "health", TABLE_TEXT, "" },
        [INVENTORY_CORRECTED] = { "corrected", TABLE_U64, "" },
        [INVENTORY_UNCORRECTED] = { "uncorrected", TABLE_U64, "" },
        [INVENTORY_FIRST] = { "first_seen", TABLE_TIME, "" },
        [INVENTORY_LAST] = { "last_seen", TABLE_TIME, "" },
        [INVENTORY_GONE] = { "gone", TABLE_TIME, "" },
        [INVENTORY_WHY] = { "why", TABLE_TEXT, "" },
        [INVENTORY_REASON] = { "reason", TABLE_TEXT, "" },
        [INVENTORY_DUPLICATE] = { "duplicate", TABLE_BOOL, "" },
        [INVENTORY_VENDOR] = { "vendor", TABLE_TEXT, "" },
        [INVENTORY_COMPONENT] = { "component", TABLE_TEXT, "" },
        [INVENTORY_CLUSTER] = { "cluster", TABLE_TEXT, "" },
    };
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        table_add_column(t, columns[i].name, columns[i].type, columns[i].unit);
}

static void text_cell(struct table *t, enum inventory_column column, struct span text)
{
    if (text.size > 0)
        table_set_text(t, column, text);
}

/* The module in its slot is what EDAC's health and errors are of. */
static int module_cells(struct inventory_fill *fill, const struct part_stay *stay)
{
    struct table *t = fill->table;
    table_set_u64(t, INVENTORY_CORRECTED, (uint64_t)stay->corrected);
    table_set_u64(t, INVENTORY_UNCORRECTED, (uint64_t)stay->uncorrected);
    if (stay->cluster.size == 0 || stay->gone_ns > 0)
        return 0; /* no component, or that of another module now */
    const struct component component = { .cluster = stay->cluster,
                                         .host = stay->host,
                                         .type = SPAN("dimm"),
                                         .id = stay->label };
    strbuf_clear(&fill->component);
    component_print(&fill->component, &component);
    if (strbuf_error(&fill->component))
        return -ENOMEM;
    table_set_text(t, INVENTORY_COMPONENT, strbuf_span(&fill->component));
    uintptr_t *row = hashmap_put(&fill->rows, strbuf_span(&fill->component), NULL);
    if (row)
        *row = t->row_count;
    return row ? 0 : -ENOMEM;
}

static int on_part(void *arg, const struct part_stay *stay)
{
    struct inventory_fill *fill = arg;
    struct table *t = fill->table;
    table_add_row(t);
    text_cell(t, INVENTORY_HOST, stay->host);
    text_cell(t, INVENTORY_CLASS, stay->class_name);
    text_cell(t, INVENTORY_SLOT, stay->slot);
    text_cell(t, INVENTORY_MODEL, stay->model);
    text_cell(t, INVENTORY_SERIAL, stay->serial);
    text_cell(t, INVENTORY_FIRMWARE, stay->firmware);
    if (stay->size_bytes > 0)
        table_set_u64(t, INVENTORY_SIZE, (uint64_t)stay->size_bytes);
    table_set_i64(t, INVENTORY_FIRST, stay->first_ns / NS_PER_MS);
    table_set_i64(t, INVENTORY_LAST, stay->last_ns / NS_PER_MS);
    if (stay->gone_ns > 0)
        table_set_i64(t, INVENTORY_GONE, stay->gone_ns / NS_PER_MS);
    text_cell(t, INVENTORY_WHY, stay->gone_why);
    table_set_bool(t, INVENTORY_DUPLICATE, stay->is_duplicate);
    text_cell(t, INVENTORY_VENDOR, stay->vendor);
    text_cell(t, INVENTORY_CLUSTER, stay->cluster);
    int rc = stay->label.size > 0 ? module_cells(fill, stay) : 0;
    return rc < 0 ? rc : table_error(t);
}

/* ---- their health ---- */

static int on_stated(void *arg, const struct resource_statement *s)
{
    struct inventory_fill *fill = arg;
    struct span name;
    const uintptr_t *row = hashmap_get(&fill->rows, s->component);
    /* An opinion of a user is not the health of the part. */
    if (!row || resource_source_kind(s->source, &name) == RESOURCE_SOURCE_USER)
        return 0;
    uintptr_t *worst = hashmap_put(&fill->worst, s->component, NULL);
    if (!worst)
        return -ENOMEM;
    if (*worst > (uintptr_t)s->health)
        return 0;
    *worst = (uintptr_t)s->health + 1;
    table_set_text_at(fill->table, *row - 1, INVENTORY_HEALTH,
                      span_of(resource_health_name(s->health)));
    if (s->reason.size > 0)
        table_set_text_at(fill->table, *row - 1, INVENTORY_REASON, s->reason);
    return table_error(fill->table);
}

/* ---- what became of them ---- */

enum change_column {
    CHANGE_TIME,
    CHANGE_WHAT,
    CHANGE_CLASS,
    CHANGE_MODEL,
    CHANGE_SERIAL,
    CHANGE_HOST,
    CHANGE_SLOT,
    CHANGE_BEFORE,
    CHANGE_AFTER,
    CHANGE_CLUSTER,
};

static void part_change_columns_add(struct table *t)
{
    static const char *const texts[] = { "change", "class",  "model", "serial", "host",
                                         "slot",   "before", "after", "cluster" };
    table_add_column(t, "time", TABLE_TIME, "");
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        table_add_column(t, texts[i], TABLE_TEXT, "");
}

static int on_part_change(void *arg, const struct part_change *change)
{
    struct table *t = arg;
    const struct span texts[] = {
        [CHANGE_WHAT] = change->change,     [CHANGE_CLASS] = change->class_name,
        [CHANGE_MODEL] = change->model,     [CHANGE_SERIAL] = change->serial,
        [CHANGE_HOST] = change->host,       [CHANGE_SLOT] = change->slot,
        [CHANGE_BEFORE] = change->before,   [CHANGE_AFTER] = change->after,
        [CHANGE_CLUSTER] = change->cluster,
    };
    table_add_row(t);
    table_set_i64(t, CHANGE_TIME, change->t_ns / NS_PER_MS);
    for (size_t i = CHANGE_WHAT; i < COUNT_OF(texts); i++)
        if (texts[i].size > 0)
            table_set_text(t, i, texts[i]);
    return table_error(t);
}

/* ---- the route ---- */

static struct span text_or_any(const char *text)
{
    return text[0] ? span_of(text) : (struct span){ 0 };
}

static int table_fill(const struct api_readers *readers,
                      const struct part_filter *filter, bool is_history,
                      struct table *table, struct err *err)
{
    AUTO(inventory_fill_done) struct inventory_fill fill = { .table = table };
    bool has_more = false;
    if (is_history)
        part_change_columns_add(table);
    else
        inventory_columns_add(table);
    int rc =
        is_history
            ? records_find_part_changes(readers->rows, filter, on_part_change, table,
                                        &has_more, err)
            : records_find_parts(readers->rows, filter, on_part, &fill, &has_more, err);
    if (rc == 0 && fill.rows.count > 0)
        rc = records_find_resources(readers->rows, on_stated, &fill, err);
    if (rc == 0 && has_more)
        table_add_note(table, "There are more: limit=COUNT gets them.");
    return rc;
}

int inventory_route_fetch(const struct api_readers *readers, const void *query,
                          struct api_result *ret, struct err *err)
{
    const struct inventory_query *q = query;
    AUTO(hostset_free) struct hostset *hosts = NULL;
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = q->hosts[0] ? hostset_parse(span_of(q->hosts), &hosts, err) : 0;
    const struct part_filter filter = {
        .cluster = text_or_any(q->cluster),
        .hosts = hosts,
        .class_name = text_or_any(q->class_name),
        .serial = text_or_any(q->serial),
        .which = q->is_all ? PARTS_EVER : PARTS_THERE,
        .limit = q->limit,
    };
    if (rc == 0)
        rc = table_fill(readers, &filter, q->is_history, &table, err);
    if (rc == 0)
        rc = budget_hold_add(ret->hold, table_bytes(&table));
    if (rc < 0)
        return rc;
    table_to_json(&table, ret->body);
    return strbuf_error(ret->body);
}
