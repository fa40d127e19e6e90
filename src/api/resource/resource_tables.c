/* SPDX-License-Identifier: Apache-2.0 */
/* resource_tables - what a client sees of resources, as tables. */
#include "api/resource/resource_tables.h"

#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>

/* A user's opinion names the user, or the user's number. */
static bool sees_person(const struct access_client *client, struct span source)
{
    struct span name;
    bool is_opinion = resource_source_kind(source, &name) == RESOURCE_SOURCE_USER;
    const struct access_owner owner = { .user = is_opinion ? name : SPAN(""),
                                        .uid = is_opinion ? name : SPAN("") };
    const struct access_object object = { .owner = &owner };
    return access_decide(client, ACCESS_READ_PERSON, &object) == ACCESS_PERMITTED;
}

static void set_some(struct table *t, size_t column, struct span text)
{
    if (text.size > 0)
        table_set_text(t, column, text);
}

static void set_since(struct table *t, size_t column, int64_t t_ns)
{
    if (t_ns > 0)
        table_set_i64(t, column, t_ns / NS_PER_MS);
}

static void set_health(struct table *t, size_t column, enum resource_health health)
{
    table_set_text(t, column, span_of(resource_health_name(health)));
}

/* ---- a row a component ---- */

enum list_column {
    LIST_COMPONENT,
    LIST_HEALTH,
    LIST_SINCE,
    LIST_REASON,
    LIST_SOURCE,
    LIST_CAUSE,
    LIST_BY
};

struct list_fill {
    struct table *table;
    const struct access_client *client;
    uint64_t limit, count;
};

static void list_row(struct list_fill *fill, const struct resource_view *view)
{
    struct table *t = fill->table;
    table_add_row(t);
    table_set_text(t, LIST_COMPONENT, view->component);
    set_health(t, LIST_HEALTH, view->health);
    set_since(t, LIST_SINCE, view->since_ns);
    set_some(t, LIST_REASON, view->reason);
    set_some(t, LIST_SOURCE, view->source);
    if (!span_eq(view->cause, view->component))
        table_set_text(t, LIST_CAUSE, view->cause);
    if (sees_person(fill->client, view->source))
        set_some(t, LIST_BY, view->by);
}

static int on_list_view(void *arg, const struct resource_view *view)
{
    struct list_fill *fill = arg;
    if (fill->count++ == fill->limit) {
        table_add_note(fill->table, "More follow: limit=COUNT gets them.");
        return 1;
    }
    list_row(fill, view);
    return 0;
}

int resource_table_of_list(struct resource_table *table,
                           const struct resource_filter *filter, uint64_t limit,
                           const struct access_client *client, struct table *ret)
{
    struct list_fill fill = { .table = ret, .client = client, .limit = limit };
    table_add_column(ret, "component", TABLE_TEXT, "");
    table_add_column(ret, "health", TABLE_TEXT, "");
    table_add_column(ret, "since", TABLE_TIME, "");
    table_add_column(ret, "reason", TABLE_TEXT, "");
    table_add_column(ret, "source", TABLE_TEXT, "");
    table_add_column(ret, "cause", TABLE_TEXT, "");
    table_add_column(ret, "by", TABLE_TEXT, "");
    int rc = resource_table_each(table, filter, on_list_view, &fill);
    return rc < 0 ? rc : table_error(ret);
}

/* ---- which hosts are silent ---- */

enum silent_column { SILENT_COMPONENT, SILENT_SINCE, SILENT_REASON };

static int on_silent_view(void *arg, const struct resource_view *view)
{
    struct table *t = arg;
    table_add_row(t);
    table_set_text(t, SILENT_COMPONENT, view->component);
    set_since(t, SILENT_SINCE, view->since_ns);
    table_set_text(t, SILENT_REASON, view->reason);
    return table_error(t);
}

int resource_table_of_silent(struct resource_table *table, struct span cluster,
                             struct table *ret)
{
    table_add_column(ret, "component", TABLE_TEXT, "");
    table_add_column(ret, "since", TABLE_TIME, "");
    table_add_column(ret, "reason", TABLE_TEXT, "");
    int rc = resource_table_silent(table, cluster, on_silent_view, ret);
    return rc < 0 ? rc : table_error(ret);
}

/* ---- which hosts are not to be used ---- */

enum check_column {
    CHECK_HOST,
    CHECK_HEALTH,
    CHECK_SINCE,
    CHECK_REASON,
    CHECK_COMPONENT
};

struct check_fill {
    struct table *table;
    struct span cluster;   /* that was named */
    struct strbuf unknown; /* hosts, with commas */
    size_t several_count;
    char several[256]; /* the first host of a name that several clusters have */
};

static int on_check_host(void *arg, const char *host, const struct resource_view *view)
{
    struct check_fill *fill = arg;
    struct table *t = fill->table;
    if (!view) {
        strbuf_addf(&fill->unknown, "%s%s", fill->unknown.size > 0 ? "," : "", host);
        return 0;
    }
    if (view->is_of_several && fill->cluster.size == 0 && fill->several_count++ == 0)
        (void)snprintf(fill->several, sizeof fill->several, "%s (" SPAN_FMT ")", host,
                       SPAN_ARG(view->component));
    table_add_row(t);
    table_set_text(t, CHECK_HOST, span_of(host));
    set_health(t, CHECK_HEALTH, view->health);
    set_since(t, CHECK_SINCE, view->since_ns);
    set_some(t, CHECK_REASON, view->reason);
    table_set_text(t, CHECK_COMPONENT, view->cause);
    return 0;
}

static void note_unknown(struct check_fill *fill)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (fill->unknown.size == 0 ||
        hostset_parse(strbuf_span(&fill->unknown), &set, NULL) < 0)
        return;
    hostset_print(set, &text);
    table_add_note(fill->table, "barod does not know %s, and states nothing of them.",
                   strbuf_text(&text));
}

static void note_several(const struct check_fill *fill)
{
    if (fill->several_count > 0)
        table_add_note(fill->table,
                       "%zu of these names are of hosts in several clusters: %s; "
                       "cluster=NAME (--cluster) is missing.",
                       fill->several_count, fill->several);
}

int resource_table_of_check(struct resource_table *table, struct span cluster,
                            const struct hostset *hosts, bool is_of_all,
                            struct table *ret)
{
    struct check_fill fill = { .table = ret, .cluster = cluster };
    table_add_column(ret, "host", TABLE_TEXT, "");
    table_add_column(ret, "health", TABLE_TEXT, "");
    table_add_column(ret, "since", TABLE_TIME, "");
    table_add_column(ret, "reason", TABLE_TEXT, "");
    table_add_column(ret, "component", TABLE_TEXT, "");
    int rc = (is_of_all ? resource_table_hosts : resource_table_check)(
        table, cluster, hosts, on_check_host, &fill);
    if (rc == 0) {
        note_unknown(&fill);
        note_several(&fill);
    }
    strbuf_done(&fill.unknown);
    return rc < 0 ? rc : table_error(ret);
}

/* ---- what each source states ---- */

enum source_column {
    SOURCE_SOURCE,
    SOURCE_HEALTH,
    SOURCE_SINCE,
    SOURCE_REASON,
    SOURCE_COUNTS,
    SOURCE_BY
};

static const char *counts_of(const struct resource_statement *s, bool is_confirmed)
{
    if (resource_source_kind(s->source, NULL) != RESOURCE_SOURCE_USER)
        return "yes";
    return is_confirmed ? "confirmed" : "opinion";
}

static int on_source(void *arg, const struct resource_statement *s, bool is_confirmed)
{
    const struct list_fill *fill = arg;
    struct table *t = fill->table;
    bool sees = sees_person(fill->client, s->source);
    bool is_opinion = resource_source_kind(s->source, NULL) == RESOURCE_SOURCE_USER;
    table_add_row(t);
    table_set_text(t, SOURCE_SOURCE, is_opinion && !sees ? SPAN("user") : s->source);
    set_health(t, SOURCE_HEALTH, s->health);
    set_since(t, SOURCE_SINCE, s->t_ns);
    if (!is_opinion || sees)
        set_some(t, SOURCE_REASON, s->reason);
    table_set_text(t, SOURCE_COUNTS, span_of(counts_of(s, is_confirmed)));
    if (sees)
        set_some(t, SOURCE_BY, s->by);
    return 0;
}

int resource_table_of_sources(struct resource_table *table, struct span component,
                              const struct access_client *client, struct table *ret)
{
    struct list_fill fill = { .table = ret, .client = client };
    table_add_column(ret, "source", TABLE_TEXT, "");
    table_add_column(ret, "health", TABLE_TEXT, "");
    table_add_column(ret, "since", TABLE_TIME, "");
    table_add_column(ret, "reason", TABLE_TEXT, "");
    table_add_column(ret, "counts", TABLE_TEXT, "");
    table_add_column(ret, "by", TABLE_TEXT, "");
    int rc = resource_table_sources(table, component, on_source, &fill);
    return rc < 0 ? rc : table_error(ret);
}

/* ---- changes ---- */

enum change_column {
    CHANGE_ID,
    CHANGE_TIME,
    CHANGE_COMPONENT,
    CHANGE_FROM,
    CHANGE_TO,
    CHANGE_REASON,
    CHANGE_SOURCE,
    CHANGE_BY
};

static void set_change_id(struct table *t, struct resource_change_id id)
{
    char text[48];
    (void)snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64, id.run, id.sequence);
    table_set_text(t, CHANGE_ID, span_of(text));
}

static int on_change(void *arg, const struct resource_change *change)
{
    struct list_fill *fill = arg;
    struct table *t = fill->table;
    fill->count++;
    table_add_row(t);
    set_change_id(t, change->id);
    set_since(t, CHANGE_TIME, change->t_ns);
    table_set_text(t, CHANGE_COMPONENT, change->component);
    set_health(t, CHANGE_FROM, change->from);
    set_health(t, CHANGE_TO, change->to);
    set_some(t, CHANGE_REASON, change->reason);
    set_some(t, CHANGE_SOURCE, change->source);
    if (sees_person(fill->client, change->source))
        set_some(t, CHANGE_BY, change->by);
    return 0;
}

int resource_table_of_changes(struct resource_table *table,
                              struct resource_change_id after, uint64_t limit,
                              const struct access_client *client, struct table *ret)
{
    struct list_fill fill = { .table = ret, .client = client };
    struct resource_changes_query query = { .after = after, .limit = limit };
    table_add_column(ret, "id", TABLE_TEXT, "");
    table_add_column(ret, "time", TABLE_TIME, "");
    table_add_column(ret, "component", TABLE_TEXT, "");
    table_add_column(ret, "from", TABLE_TEXT, "");
    table_add_column(ret, "to", TABLE_TEXT, "");
    table_add_column(ret, "reason", TABLE_TEXT, "");
    table_add_column(ret, "source", TABLE_TEXT, "");
    table_add_column(ret, "by", TABLE_TEXT, "");
    int rc = resource_table_changes(table, &query, on_change, &fill);
    if (rc < 0)
        return rc;
    if (query.is_lost)
        table_add_note(ret, "Changes before these are not here any more: the history "
                            "has what was stated.");
    if (fill.count == 0) {
        table_add_row(ret);
        set_change_id(ret, query.after);
    }
    return table_error(ret);
}
