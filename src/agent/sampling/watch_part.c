/* SPDX-License-Identifier: Apache-2.0 */
/* watch_part - what the site has of this node, for those who watch it on the socket. */
#include "agent/sampling/watch_part.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "model/model.h"
#include "net/net.h"

#include <stdatomic.h>
#include <time.h>

#define QUERY_EVERY_NS (5 * NS_PER_S)
#define REQUEST_NS (3 * NS_PER_S)
/* One who comes is not to be the reason of more requests than that. */
#define QUERY_DISTANCE_NS (1 * NS_PER_S)
#define RESPONSE_BYTES_MAX (1 << 20)

struct watch_part {
    const struct agent_opts *opts;
    const struct agent_report *report;
    const char *cluster;
    struct local_watchers *watchers;
    uv_async_t wake;
    struct net_client *client; /* the thread's, from here */
    struct net_url url;
    bool is_away; /* as was reported */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    bool is_open; /* wake is */
    bool is_stopping, is_wanted, is_new;
    struct strbuf line; /* of its health, that the loop has not seen; empty: none */
    _Atomic uint64_t queries, failures;
};

/* ---- the thread ---- */

static struct span check_cell(const struct table *table, const char *name)
{
    int column = table_find_column(table, name);
    const struct table_cell *cell =
        column < 0 || table->columns[column].type != TABLE_TEXT
            ? NULL
            : table_at(table, 0, (size_t)column);
    return cell && !cell->is_null ? span_of(cell->text) : SPAN("");
}

static int64_t check_since_ns(const struct table *table)
{
    int column = table_find_column(table, "since");
    const struct table_cell *cell =
        column < 0 || table->columns[column].type != TABLE_TIME
            ? NULL
            : table_at(table, 0, (size_t)column);
    return cell && !cell->is_null ? cell->i64 * NS_PER_MS : 0;
}

/* As a statement of the site's.  Errors: -ENOENT: the site does not know the node. */
static int health_line_print(const struct watch_part *part, const struct table *table,
                             struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf component = STRBUF_INIT;
    struct resource_statement s = { .source = SPAN("site") };
    if (table->row_count == 0 ||
        resource_health_parse(check_cell(table, "health"), &s.health) < 0)
        return -ENOENT;
    component_print_name(&component, span_of(part->cluster));
    strbuf_adds(&component, "/");
    component_print_name(&component, span_of(part->opts->host));
    s.component = strbuf_span(&component);
    s.reason = check_cell(table, "reason");
    if (s.reason.size == 0 && s.health != RESOURCE_UP)
        s.reason = SPAN("no reason is stated");
    s.t_ns = check_since_ns(table);
    resource_statement_print_line(&s, out);
    if (out->size > 0)
        out->size--; /* without its newline */
    return strbuf_error(&component) < 0 ? -ENOMEM : strbuf_error(out);
}

static int health_query(struct watch_part *part, struct strbuf *out, struct err *err)
{
    AUTO(net_response_done) struct net_response response = { 0 };
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = net_client_get(part->client, strbuf_text(&part->url.text), &response, err);
    if (rc == 0)
        rc = net_response_check(&response, err);
    if (rc == 0)
        rc = table_from_json(strbuf_span(&response.body), &table, err);
    return rc < 0 ? rc : health_line_print(part, &table, out);
}

static void health_query_once(struct watch_part *part)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    struct err err = { 0 };
    int rc = health_query(part, &line, &err);
    bool is_away = rc < 0 && rc != -ENOENT;
    atomic_fetch_add(&part->queries, 1);
    atomic_fetch_add(&part->failures, is_away);
    if (is_away && !part->is_away)
        agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_SERVER_AWAY,
                     "those who watch this node do not have its health: %s",
                     err.text[0] ? err.text : strerror(-rc));
    part->is_away = is_away;
    LOCKED(&part->lock);
    if (rc == 0) {
        struct strbuf before = part->line;
        part->line = line;
        line = before;
    }
    if (part->is_open)
        (void)uv_async_send(&part->wake); /* also of how far events are */
}

static void until(struct watch_part *part, int64_t distance_ns, bool is_for_new)
{
    int64_t due_ns = clock_monotonic_ns() + distance_ns;
    const struct timespec due = { due_ns / NS_PER_S, due_ns % NS_PER_S };
    while (!part->is_stopping && !(is_for_new && part->is_new) &&
           pthread_cond_timedwait(&part->changed, &part->lock, &due) != ETIMEDOUT)
        continue;
}

static bool query_is_due(struct watch_part *part)
{
    LOCKED(&part->lock);
    until(part, QUERY_DISTANCE_NS, false);
    until(part, QUERY_EVERY_NS - QUERY_DISTANCE_NS, true);
    while (!part->is_stopping && !part->is_wanted)
        (void)pthread_cond_wait(&part->changed, &part->lock);
    part->is_new = false;
    return !part->is_stopping;
}

static void *query_health(void *arg)
{
    struct watch_part *part = arg;
    while (query_is_due(part))
        health_query_once(part);
    return NULL;
}

/* ---- the sampler's loop ---- */

static void on_watch_wake(uv_async_t *wake)
{
    struct watch_part *part = wake->data;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    {
        LOCKED(&part->lock);
        line = part->line;
        part->line = (struct strbuf)STRBUF_INIT;
        part->is_wanted = local_watchers_of_node(part->watchers) > 0;
    }
    /* Where none watches any more it would be old for who comes. */
    if (line.size > 0 && local_watchers_of_node(part->watchers) > 0)
        local_watchers_health(part->watchers, strbuf_span(&line), clock_steady_ns());
    local_watchers_position(part->watchers);
}

void watch_part_wanted(void *arg)
{
    struct watch_part *part = arg;
    LOCKED(&part->lock);
    if (local_watchers_of_node(part->watchers) == 0)
        return;
    part->is_wanted = part->is_new = true;
    (void)pthread_cond_signal(&part->changed);
}

/* What a user publishes of another's job is in no list that an administrator makes:
 * the watchers give it to that user alone. */
static bool may_cross(const struct watch_part *part, struct span name)
{
    const struct config_list *names = &part->opts->node.job_events;
    if (span_starts(name, "session."))
        return false;
    for (size_t i = 0; i < names->count; i++)
        if (span_glob(name, names->items[i]))
            return true;
    return false;
}

void watch_part_event(struct watch_part *part, const struct session_event *event,
                      const struct session_gap *gap, bool is_own)
{
    if (part && event)
        local_watchers_event(part->watchers, event,
                             is_own && may_cross(part, event->name));
    else if (part)
        local_watchers_gap(part->watchers, gap);
}

struct local_watchers *watch_part_watchers(struct watch_part *part)
{
    return part->watchers;
}

int watch_part_begin(struct watch_part *part, uv_loop_t *loop)
{
    int rc = uv_async_init(loop, &part->wake, on_watch_wake);
    if (rc < 0)
        return rc;
    part->wake.data = part;
    LOCKED(&part->lock);
    part->is_open = true;
    return 0;
}

void watch_part_end(struct watch_part *part)
{
    if (!part)
        return;
    LOCKED(&part->lock);
    if (part->is_open)
        uv_close((uv_handle_t *)&part->wake, NULL);
    part->is_open = false;
}

/* ---- the door ---- */

static int open_client(struct watch_part *part, struct err *err)
{
    const struct net_client_opts client = {
        .url = part->opts->server,
        .token_file = part->opts->token_file,
        .ca_file = part->opts->ca_file,
        .connect_timeout_ns = REQUEST_NS,
        .timeout_ns = REQUEST_NS,
        .reply_bytes_max = RESPONSE_BYTES_MAX,
    };
    net_url_init(&part->url, "/v1/resources/check");
    net_url_add(&part->url, "hosts", part->opts->host);
    net_url_add(&part->url, "cluster", part->cluster);
    net_url_add(&part->url, "all", "true");
    int rc = strbuf_error(&part->url.text);
    return rc < 0 ? rc : net_client_new(&client, &part->client, err);
}

int watch_part_open(const struct agent_opts *opts, const struct agent_report *report,
                    struct watch_part **ret, struct err *err)
{
    struct watch_part *part = calloc(1, sizeof *part);
    pthread_condattr_t steady;
    if (!part)
        return -ENOMEM;
    part->opts = opts;
    part->report = report;
    part->cluster =
        opts->node.cluster && *opts->node.cluster ? opts->node.cluster : opts->cluster;
    (void)pthread_mutex_init(&part->lock, NULL);
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&part->changed, &steady);
    (void)pthread_condattr_destroy(&steady);
    int rc = local_watchers_new(&part->watchers);
    /* Without a cluster it is no component. */
    if (rc == 0 && part->cluster && *part->cluster) {
        rc = open_client(part, err);
        if (rc == 0)
            rc = -pthread_create(&part->thread, NULL, query_health, part);
        part->has_thread = rc == 0;
    }
    if (rc < 0)
        watch_part_free(part);
    else
        *ret = part;
    return rc;
}

void watch_part_stop(struct watch_part *part)
{
    if (!part || !part->has_thread)
        return;
    {
        LOCKED(&part->lock);
        part->is_stopping = true;
        (void)pthread_cond_signal(&part->changed);
    }
    (void)pthread_join(part->thread, NULL);
    part->has_thread = false;
}

void watch_part_free(struct watch_part *part)
{
    if (!part)
        return;
    watch_part_stop(part);
    net_client_free(part->client);
    net_url_done(&part->url);
    local_watchers_free(part->watchers);
    strbuf_done(&part->line);
    (void)pthread_cond_destroy(&part->changed);
    (void)pthread_mutex_destroy(&part->lock);
    free(part);
}

void watch_part_count(struct watch_part *part, struct watch_counts *ret)
{
    *ret = (struct watch_counts){ 0 };
    if (!part)
        return;
    ret->queries = atomic_load(&part->queries);
    ret->failures = atomic_load(&part->failures);
}
