/* SPDX-License-Identifier: Apache-2.0 */
/* site_health - what the site holds of the health of a session's hosts, by a thread. */
#include "jobsession/site_health.h"

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

struct site_health {
    struct site_health_opts opts;
    struct client_endpoint endpoint; /* with a timeout */
    char **reasons;                  /* of each host; NULL: it is well */
    bool is_away;                    /* as was reported */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    bool is_stopping;
};

/* ---- what the site responds ---- */

static int health_fetch(const struct site_health *h, struct table *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    AUTO(strbuf_done) struct strbuf pattern = STRBUF_INIT;
    strbuf_addf(&pattern, "%s/*",
                h->opts.cluster && *h->opts.cluster ? h->opts.cluster : "*");
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
    if (!span_cut(&host, '/', &cluster))
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

/* Each change once.  Memory that is out is another try at the next interval. */
static void health_compare(struct site_health *h, const struct table *table,
                           char **found)
{
    int column = table_find_column(table, "component");
    size_t at = 0;
    for (size_t i = 0; i < table->row_count; i++)
        if (find_host(h, health_cell(table, i, column), &at) && !found[at])
            found[at] = reason_make(table, i);
    for (size_t i = 0; i < hostset_count(h->opts.hosts); i++) {
        const char *was = h->reasons[i], *is = found[i];
        if (was == is || (was && is && strcmp(was, is) == 0))
            continue;
        h->opts.changed_fn(h->opts.arg, i, is);
        free(h->reasons[i]);
        h->reasons[i] = TAKE(found[i]);
    }
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
    char **found = rc < 0 ? NULL : calloc(count, sizeof *found);
    if (!found)
        return;
    health_compare(h, &table, found);
    for (size_t i = 0; i < count; i++)
        free(found[i]);
    free(found);
}

/* ---- the thread ---- */

static bool wait_for_next(struct site_health *h)
{
    int64_t end_ns = clock_now_ns() + h->opts.interval_ns;
    const struct timespec until = { end_ns / NS_PER_S, end_ns % NS_PER_S };
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
    return NULL;
}

int site_health_open(const struct site_health_opts *opts, struct site_health **ret)
{
    AUTO(site_health_close) struct site_health *h = calloc(1, sizeof *h);
    if (!h)
        return -ENOMEM;
    h->opts = *opts;
    h->endpoint = *opts->endpoint;
    h->endpoint.timeout_ns = REQUEST_NS;
    (void)pthread_mutex_init(&h->lock, NULL);
    (void)pthread_cond_init(&h->wake, NULL);
    h->reasons = calloc(hostset_count(opts->hosts), sizeof *h->reasons);
    if (!h->reasons)
        return -ENOMEM;
    int rc = -pthread_create(&h->thread, NULL, query_again, h);
    if (rc < 0)
        return rc;
    h->has_thread = true;
    *ret = TAKE(h);
    return 0;
}

void site_health_close(struct site_health *h)
{
    if (!h)
        return;
    if (h->has_thread) {
        (void)pthread_mutex_lock(&h->lock);
        h->is_stopping = true;
        (void)pthread_cond_signal(&h->wake);
        (void)pthread_mutex_unlock(&h->lock);
        (void)pthread_join(h->thread, NULL);
    }
    for (size_t i = 0; h->reasons && i < hostset_count(h->opts.hosts); i++)
        free(h->reasons[i]);
    free(h->reasons);
    (void)pthread_cond_destroy(&h->wake);
    (void)pthread_mutex_destroy(&h->lock);
    free(h);
}
