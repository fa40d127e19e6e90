/* SPDX-License-Identifier: Apache-2.0 */
/* hosts - what barod, the scheduler and our record have of each host, for the plan. */
#include "act/hosts.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdlib.h>

void act_hosts_init(struct act_hosts *hosts)
{
    *hosts = (struct act_hosts){ 0 };
    arena_init(&hosts->arena, 0);
}

void act_hosts_done(struct act_hosts *hosts)
{
    arena_done(&hosts->arena);
    hashmap_done(&hosts->by_name);
    free(hosts->hosts);
}

/* ---- rows of barod ---- */

static const char *cell_text(const struct table *table, size_t row, const char *column)
{
    int at = table_find_column(table, column);
    const struct table_cell *cell = at < 0 ? NULL : table_at(table, row, (size_t)at);
    return !cell || cell->is_null ? "" : cell->text;
}

static int resources_check(const struct table *table, struct err *err)
{
    int since = table_find_column(table, "since");
    if (table_find_column(table, "component") < 0 ||
        table_find_column(table, "health") < 0 || since < 0 ||
        table->columns[since].type != TABLE_TIME)
        return err_set(err, EBADMSG, "the response is no table of resources");
    return 0;
}

/* A part is no host.  A name of a node needs no escape in a component: one with an
 * escape, which may stand for any byte, is no node's, and no other form of a node's. */
enum row_kind { ROW_HOST, ROW_UNNAMED, ROW_OTHER };

static enum row_kind host_of_row(const struct table *table, size_t row,
                                 char name[static NODE_NAME_BYTES_MAX + 1],
                                 struct act_host *ret)
{
    struct component component;
    component_parse(span_of(cell_text(table, row, "component")), &component);
    if (component.host.size == 0 || component.type.size > 0 || component.id.size > 0)
        return ROW_OTHER;
    if (!node_name_is_valid(component.host))
        return ROW_UNNAMED;
    (void)snprintf(name, NODE_NAME_BYTES_MAX + 1, SPAN_FMT, SPAN_ARG(component.host));
    int since = table_find_column(table, "since");
    const struct table_cell *cell = table_at(table, row, (size_t)since);
    ret->since_ns = cell->is_null ? 0 : cell->i64 * NS_PER_MS;
    ret->reason = span_of(cell_text(table, row, "reason"));
    return resource_health_parse(span_of(cell_text(table, row, "health")),
                                 &ret->health) == 0
               ? ROW_HOST
               : ROW_OTHER;
}

/* ---- what our runs saw ---- */

/* Of one that is no node nothing is seen: what barod lists does not fill the record. */
static int host_see(struct act_record *record, const struct act_host *host,
                    const struct act_item *item, int64_t now_ns)
{
    bool is_well = host->health == RESOURCE_UP || !host->node;
    struct run_clock last;
    if ((host->health == RESOURCE_UNKNOWN && host->node) ||
        (item->state == ACT_NOTHING && is_well))
        return 0;
    if (item->state == ACT_SEEN && host->node &&
        strcmp(item->reason, resource_health_name(host->health)) == 0)
        return 0;
    act_record_last_run(record, &last);
    const struct act_item seen = {
        .node = host->name,
        .state = is_well ? ACT_NOTHING : ACT_SEEN,
        .reason = resource_health_name(host->health),
        .changed_ns = now_ns,
        .since_ns = last.t_ns,
    };
    return act_record_set(record, &seen);
}

/* Since when a host is not up, between two runs; until when what is drained was not up.
 */
static int host_observe(struct act_record *record, const struct act_host *host,
                        int64_t now_ns)
{
    struct act_item item;
    (void)act_record_find(record, host->name, &item);
    switch (item.state) {
    case ACT_NOTHING:
    case ACT_SEEN:
        return host_see(record, host, &item, now_ns);
    case ACT_BEGUN:
    case ACT_DRAINED:
    case ACT_RESUMING:
        item.since_ns = now_ns;
        return host->health == RESOURCE_UP ? 0 : act_record_set(record, &item);
    default:
        return 0;
    }
}

static void host_set_record(struct act_host *host, const struct act_item *item,
                            int64_t now_ns)
{
    bool is_seen = item->state == ACT_SEEN, is_up = host->health == RESOURCE_UP;
    host->record = item->state;
    host->changed_ns = item->changed_ns;
    host->drained_reason = is_seen ? NULL : item->reason;
    if (is_seen == is_up)
        return;
    /* Stated as before a run that saw it otherwise, or as after now: a clock is wrong
     * there, and it is so since the first run that saw it. */
    bool is_wrong =
        is_seen && (host->since_ns <= item->since_ns || host->since_ns > now_ns);
    host->since_ns =
        act_since(host->since_ns, is_wrong ? item->changed_ns : item->since_ns,
                  is_wrong ? item->changed_ns : now_ns);
}

/* ---- all of them ---- */

static struct act_host *act_host_add(struct act_hosts *hosts, const char *name)
{
    struct act_host *host = &hosts->hosts[hosts->count];
    bool is_new;
    *host = (struct act_host){ .name = arena_dup(&hosts->arena, span_of(name)) };
    uintptr_t *index =
        host->name ? hashmap_put(&hosts->by_name, span_of(name), &is_new) : NULL;
    if (!index)
        return NULL;
    *index = ++hosts->count;
    return host;
}

static int host_row_add(struct act_hosts *hosts, const char *name,
                        const struct act_host *got, const struct node_list *nodes,
                        struct act_record *record, int64_t now_ns)
{
    struct act_item item;
    struct act_host *host = act_host_add(hosts, name);
    if (!host)
        return -ENOMEM;
    host->health = got->health;
    host->since_ns = got->since_ns;
    host->reason = got->reason;
    host->node = node_list_find(nodes, span_of(name));
    int rc = host_observe(record, host, now_ns);
    (void)act_record_find(record, host->name, &item);
    host_set_record(host, &item, now_ns);
    hosts->matched += host->node != NULL;
    return rc;
}

static int rows_add(struct act_hosts *hosts, const struct table *table,
                    const struct node_list *nodes, struct act_record *record,
                    int64_t now_ns)
{
    char name[NODE_NAME_BYTES_MAX + 1];
    int rc = 0;
    for (size_t row = 0; rc == 0 && row < table->row_count; row++) {
        struct act_host got = { 0 };
        enum row_kind kind = host_of_row(table, row, name, &got);
        if (kind == ROW_UNNAMED && hosts->unnamed++ == 0)
            hosts->unnamed_component = cell_text(table, row, "component");
        if (kind == ROW_HOST && !hashmap_get(&hosts->by_name, span_of(name)))
            rc = host_row_add(hosts, name, &got, nodes, record, now_ns);
    }
    hosts->known = hosts->count;
    return rc;
}

static bool is_to_be_adopted(const struct act_item *item, const struct node_list *nodes,
                             const struct act_record *record)
{
    const struct scheduler_node *node = node_list_find(nodes, span_of(item->node));
    struct act_item own;
    if (item->cluster[0] || item->state == ACT_NOTHING || !node ||
        (act_record_find(record, item->node, &own) && own.state != ACT_SEEN))
        return false;
    return item->state == ACT_OVERRULED ||
           (node->is_drained && strcmp(node->reason, item->reason) == 0);
}

static int old_adopt(struct act_record *record, const struct node_list *nodes)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < act_record_count(record); i++) {
        struct act_item item;
        act_record_at(record, i, &item);
        if (is_to_be_adopted(&item, nodes, record))
            rc = act_record_adopt(record, i);
    }
    return rc;
}

/* Those that barod does not list; an old one may be of another cluster: no node of ours
 * is meant. */
static int records_add(struct act_hosts *hosts, const struct node_list *nodes,
                       const struct act_record *record, int64_t now_ns)
{
    for (size_t i = 0; i < act_record_count(record); i++) {
        struct act_item item, own;
        act_record_at(record, i, &item);
        bool is_old = item.cluster[0] == '\0';
        bool is_own =
            act_record_find(record, item.node, &own) && own.reason == item.reason;
        if (item.state <= ACT_SEEN || (!is_own && !is_old) ||
            (is_old && item.state == ACT_OVERRULED) ||
            (is_own && hashmap_get(&hosts->by_name, span_of(item.node))))
            continue;
        struct act_host *host = act_host_add(hosts, item.node);
        if (!host)
            return -ENOMEM;
        host->health = RESOURCE_UNKNOWN;
        host->node = is_old ? NULL : node_list_find(nodes, span_of(item.node));
        host_set_record(host, &item, now_ns);
    }
    return 0;
}

/* Drained with a reason like ours, and of no record. */
static int nodes_add(struct act_hosts *hosts, const struct node_list *nodes,
                     const struct act_record *record, int64_t now_ns)
{
    for (size_t i = 0; i < nodes->count; i++) {
        const struct scheduler_node *node = &nodes->nodes[i];
        struct act_item item;
        const struct act_host is = { .node = node };
        if (!act_is_unrecorded(&is) ||
            hashmap_get(&hosts->by_name, span_of(node->name)))
            continue;
        struct act_host *host = act_host_add(hosts, node->name);
        if (!host)
            return -ENOMEM;
        host->health = RESOURCE_UNKNOWN;
        host->node = node;
        (void)act_record_find(record, host->name, &item);
        host_set_record(host, &item, now_ns);
    }
    return 0;
}

int act_hosts_make(const struct table *resources, const struct node_list *nodes,
                   struct act_record *record, int64_t now_ns, struct act_hosts *ret,
                   struct err *err)
{
    int rc = resources_check(resources, err);
    if (rc == 0)
        rc = old_adopt(record, nodes);
    if (rc < 0)
        return rc;
    ret->hosts =
        calloc(resources->row_count + act_record_count(record) + nodes->count + 1,
               sizeof *ret->hosts);
    if (!ret->hosts)
        return -ENOMEM;
    rc = rows_add(ret, resources, nodes, record, now_ns);
    if (rc == 0)
        rc = records_add(ret, nodes, record, now_ns);
    return rc == 0 ? nodes_add(ret, nodes, record, now_ns) : rc;
}

int act_host_again(const struct table *resources, const struct act_record *record,
                   int64_t now_ns, struct act_host *host, struct err *err)
{
    char name[NODE_NAME_BYTES_MAX + 1];
    int rc = resources_check(resources, err);
    for (size_t row = 0; rc == 0 && row < resources->row_count; row++) {
        struct act_host got = *host;
        struct act_item item;
        if (host_of_row(resources, row, name, &got) != ROW_HOST ||
            strcmp(name, host->name) != 0)
            continue;
        *host = got;
        (void)act_record_find(record, host->name, &item);
        host_set_record(host, &item, now_ns);
        return 0;
    }
    return rc < 0 ? rc : err_set(err, ENOENT, "barod lists it no more");
}
