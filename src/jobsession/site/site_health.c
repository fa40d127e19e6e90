/* SPDX-License-Identifier: Apache-2.0 */
/* site_health - what the site holds of the health of a session's hosts, by a thread. */
#include "jobsession/site/site_health.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "net/net.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define REQUEST_NS (2 * NS_PER_S)
#define ROWS_MAX 100000
/* A token on a file system that does not respond, or a resolver, know no bound. */
#define END_NS (3 * NS_PER_S)

struct site_health {
    struct site_health_opts opts;
    struct client_endpoint endpoint; /* with a timeout */
    char **reasons;                  /* of each host; NULL: it is well */
    bool is_away;                    /* as was reported */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    bool is_stopping, is_done;
};

struct found_health {
    bool is_found;
    char *reason; /* NULL: memory was out */
};

/* ---- what the site responds ---- */

static int health_fetch(const struct site_health *h, struct table *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    AUTO(strbuf_done) struct strbuf pattern = STRBUF_INIT;
    strbuf_addf(&pattern, "%s/*", h->opts.cluster);
    net_url_init(&url, "/v1/resources");
    net_url_add_span(&url, "component", strbuf_span(&pattern));
    net_url_add(&url, "health", h->opts.healths);
    net_url_add(&url, "parts", "false");
    net_url_add_u64(&url, "limit", ROWS_MAX);
    return client_http_fetch_table(&h->endpoint, &url, ret, err);
}

/* false: it is no host of the session's. */
static bool find_host(const struct site_health *h, struct span component, size_t *ret)
{
    struct span cluster, host = component;
    if (!span_cut(&host, '/', &cluster) || !span_is(cluster, h->opts.cluster))
        return false;
    for (size_t i = 0; i < hostset_count(h->opts.hosts); i++)
        if (span_is(host, hostset_at(h->opts.hosts, i))) {
            *ret = i;
            return true;
        }
    return false;
}

static struct span health_cell(const struct table *table, size_t row, int column)
{
    const struct table_cell *cell =
        column < 0 || table->columns[column].type != TABLE_TEXT
            ? NULL
            : table_at(table, row, (size_t)column);
    return cell && !cell->is_null ? span_of(cell->text) : SPAN("");
}

static char *reason_make(const struct table *table, size_t row)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct span health = health_cell(table, row, table_find_column(table, "health"));
    struct span reason = health_cell(table, row, table_find_column(table, "reason"));
    strbuf_addf(&text, SPAN_FMT, SPAN_ARG(health));
    if (reason.size > 0)
        strbuf_addf(&text, ": " SPAN_FMT,
                    (int)(reason.size < RESOURCE_REASON_BYTES_MAX
                              ? reason.size
                              : RESOURCE_REASON_BYTES_MAX),
                    reason.data);
    return strbuf_error(&text) < 0 ? NULL : strdup(strbuf_text(&text));
}

/* Memory that was out is no health: what was known of the host holds until it is not.
 */
static void health_change(struct site_health *h, size_t host,
                          struct found_health *found)
{
    const char *was = h->reasons[host], *is = found->reason;
    if (found->is_found && !is)
        return;
    if ((!was && !is) || (was && is && strcmp(was, is) == 0))
        return;
    if (h->opts.changed_fn(h->opts.arg, host, is) < 0)
        return;
    free(h->reasons[host]);
    h->reasons[host] = TAKE(found->reason);
}

/* Each change once.  What has no effect is tried again at the next interval. */
static void health_compare(struct site_health *h, const struct table *table,
                           struct found_health *found)
{
    int column = table_find_column(table, "component");
    size_t at = 0;
    for (size_t i = 0; i < table->row_count; i++)
        if (find_host(h, health_cell(table, i, column), &at) && !found[at].is_found)
            found[at] = (struct found_health){ true, reason_make(table, i) };
    for (size_t i = 0; i < hostset_count(h->opts.hosts); i++)
        health_change(h, i, &found[i]);
}

static void health_query(struct site_health *h)
{
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    size_t count = hostset_count(h->opts.hosts);
    table_init(&table);
    int rc = health_fetch(h, &table, &err);
    if (rc < 0 && !h->is_away)
        log_warn("the health of nodes is not known from the site: %s", err.text);
    h->is_away = rc < 0;
    struct found_health *found = rc < 0 ? NULL : calloc(count, sizeof *found);
    if (!found)
        return;
    health_compare(h, &table, found);
    for (size_t i = 0; i < count; i++)
        free(found[i].reason);
    free(found);
}

/* ---- the thread ---- */

static struct timespec after(int64_t ns)
{
    int64_t end_ns = clock_monotonic_ns() + ns;
    return (struct timespec){ end_ns / NS_PER_S, end_ns % NS_PER_S };
}

static bool wait_for_next(struct site_health *h)
{
    const struct timespec until = after(h->opts.interval_ns);
    LOCKED(&h->lock);
    while (!h->is_stopping &&
           pthread_cond_timedwait(&h->wake, &h->lock, &until) != ETIMEDOUT)
        continue;
    return !h->is_stopping;
}

static void *query_again(void *arg)
{
    struct site_health *h = arg;
    do
        health_query(h);
    while (wait_for_next(h));
    LOCKED(&h->lock);
    h->is_done = true;
    (void)pthread_cond_signal(&h->wake);
    return NULL;
}

static void site_health_free(struct site_health *h)
{
    if (!h)
        return;
    for (size_t i = 0; h->reasons && i < hostset_count(h->opts.hosts); i++)
        free(h->reasons[i]);
    free(h->reasons);
    (void)pthread_cond_destroy(&h->wake);
    (void)pthread_mutex_destroy(&h->lock);
    free(h);
}
DEFINE_AUTO(struct site_health, site_health_free);

int site_health_open(const struct site_health_opts *opts, struct site_health **ret)
{
    AUTO(site_health_free) struct site_health *h = calloc(1, sizeof *h);
    pthread_condattr_t clock;
    if (!h)
        return -ENOMEM;
    h->opts = *opts;
    h->endpoint = *opts->endpoint;
    h->endpoint.timeout_ns = REQUEST_NS;
    (void)pthread_mutex_init(&h->lock, NULL);
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&h->wake, &clock);
    (void)pthread_condattr_destroy(&clock);
    h->reasons = calloc(hostset_count(opts->hosts), sizeof *h->reasons);
    if (!h->reasons)
        return -ENOMEM;
    int rc = -pthread_create(&h->thread, NULL, query_again, h);
    if (rc < 0)
        return rc;
    *ret = TAKE(h);
    return 0;
}

static bool await_thread(struct site_health *h)
{
    const struct timespec until = after(END_NS);
    LOCKED(&h->lock);
    h->is_stopping = true;
    (void)pthread_cond_signal(&h->wake);
    while (!h->is_done &&
           pthread_cond_timedwait(&h->wake, &h->lock, &until) != ETIMEDOUT)
        continue;
    return h->is_done;
}

bool site_health_end(struct site_health *h)
{
    if (!h)
        return true;
    if (!await_thread(h))
        return false;
    (void)pthread_join(h->thread, NULL);
    site_health_free(h);
    return true;
}
