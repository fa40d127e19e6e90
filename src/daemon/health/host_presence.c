/* SPDX-License-Identifier: Apache-2.0 */
/* host_presence - the thread that follows which hosts send. */
#include "daemon/health/host_presence.h"

#include "daemon/health/arrivals.h"
#include "daemon/health/members.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <pthread.h>

#define SCANS 12 /* within silent_after */
#define SCAN_LONGEST_NS (5 * NS_PER_S)
#define SCAN_SHORTEST_NS (100 * NS_PER_MS)
#define OWN_CLUSTER "barograph" /* barod's metrics of itself: own_metrics.c */

struct host_presence {
    struct host_presence_opts opts;
    struct presence *presence;
    struct members *members;
    struct span cluster; /* of members; of the thread since they are noted */
    pthread_t thread;
    pthread_mutex_t lock; /* of is_stopping */
    pthread_cond_t wake;
    bool is_stopping;
    /* Of the thread alone. */
    bool is_known; /* what was stated before this start is */
    bool has_scanned;
    struct hashmap by_level; /* index + 1 */
    struct arrivals *watched;
    size_t count, capacity;
};

/* ---- the store ---- */

static struct arrivals *watched_get(struct host_presence *p, const struct level *level)
{
    struct span key = { (const char *)&level, sizeof(struct level *) };
    uintptr_t *index = hashmap_put(&p->by_level, key, NULL);
    if (!index)
        return NULL;
    if (*index)
        return &p->watched[*index - 1];
    if (p->count == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 256;
        struct arrivals *grown = reallocarray(p->watched, capacity, sizeof *grown);
        if (!grown) {
            (void)hashmap_remove(&p->by_level, key);
            return NULL;
        }
        p->watched = grown;
        p->capacity = capacity;
    }
    *index = ++p->count;
    p->watched[p->count - 1] = (struct arrivals){ 0 };
    return &p->watched[p->count - 1];
}

/* At the first scan what the store has is of before. */
static void store_host(struct host_presence *p, struct level *level,
                       const struct presence_time *now)
{
    struct component component;
    component_parse((struct span){ level->path, level->path_size }, &component);
    if (span_is(component.cluster, OWN_CLUSTER))
        return;
    struct arrivals *host = watched_get(p, level);
    if (!host || !arrivals_update(host, level, now->t_ns) || !p->has_scanned)
        return;
    (void)presence_heard(p->presence, component.cluster, component.host,
                         PRESENCE_SAMPLE, now);
}

static void store_scan(struct host_presence *p, const struct presence_time *now)
{
    struct metric_store *store = p->opts.store;
    for (size_t shard = 0; shard < metric_store_shard_count(store); shard++) {
        unsigned reader = metric_store_enter(store);
        const struct level_tree *tree = metric_store_tree(store, shard);
        for (struct level *cluster = atomic_load(&tree->root->child); cluster;
             cluster = cluster->next)
            for (struct level *host = atomic_load(&cluster->child); host;
                 host = host->next)
                store_host(p, host, now);
        metric_store_leave(store, reader);
    }
    p->has_scanned = true;
}

/* ---- what was stated before this start ---- */

struct known_hosts {
    struct arena arena;
    struct span *paths;
    size_t count, capacity;
};

static void known_hosts_done(struct known_hosts *known)
{
    arena_done(&known->arena);
    free(known->paths);
}
DEFINE_AUTO_DONE(struct known_hosts, known_hosts_done);

/* The table is not called while it calls. */
static int on_known_view(void *arg, const struct resource_view *view)
{
    struct known_hosts *known = arg;
    if (known->count == known->capacity) {
        size_t capacity = known->capacity ? 2 * known->capacity : 256;
        struct span *grown = reallocarray(known->paths, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        known->paths = grown;
        known->capacity = capacity;
    }
    const char *copy = arena_dup(&known->arena, view->component);
    if (!copy)
        return -ENOMEM;
    known->paths[known->count++] = (struct span){ copy, view->component.size };
    return 0;
}

static void known_find(struct host_presence *p, const struct presence_time *now)
{
    AUTO(known_hosts_done) struct known_hosts known = { 0 };
    const struct resource_filter filter = { .only_hosts = true };
    arena_init(&known.arena, 0);
    if (resource_table_each(p->opts.table, &filter, on_known_view, &known) < 0)
        return; /* nothing is loaded yet: the database may be away */
    for (size_t i = 0; i < known.count; i++) {
        struct resource_statement stated;
        if (!resource_table_find(p->opts.table, known.paths[i],
                                 SPAN(RESOURCE_SOURCE_PRESENCE), &stated))
            continue;
        /* One that is silent for long has no place until it sends. */
        bool is_silent = stated.health != RESOURCE_UP;
        if (!is_silent || now->t_ns - stated.t_ns < PRESENCE_OLD_NS)
            (void)presence_known(p->presence, known.paths[i], is_silent, stated.t_ns,
                                 now);
    }
    p->is_known = true;
}

/* ---- batches and members ---- */

static struct presence_time time_now(void)
{
    return (struct presence_time){ clock_steady_ns(), clock_now_ns() };
}

/* The one host of that name that is known: "alex/a1" in parts of it. */
static bool known_host(const struct host_presence *p, struct span name,
                       struct strbuf *path, struct component *ret)
{
    if (resource_table_host(p->opts.table, name, path) < 0)
        return false;
    component_parse(strbuf_span(path), ret);
    return true;
}

static void on_member(void *arg, struct span host, bool is_online)
{
    const struct host_presence *p = arg;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct component component = { .cluster = p->cluster, .host = host };
    const struct presence_time now = time_now();
    if (!known_host(p, host, &path, &component) && component.cluster.size == 0)
        return;
    if (is_online)
        (void)presence_heard(p->presence, component.cluster, component.host,
                             PRESENCE_MEMBER, &now);
    else
        presence_lost(p->presence, component.cluster, component.host, &now);
}

/* ---- the thread ---- */

static void on_presence(void *arg, const struct resource_statement *statement)
{
    const struct host_presence *p = arg;
    (void)own_statements_put(p->opts.statements, statement);
}

static void refused_log(const struct host_presence *p)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    static uint64_t logged;
    struct presence_counts counts;
    presence_count(p->presence, &counts);
    if (counts.refused == logged)
        return;
    logged = counts.refused;
    log_limited(&limit, LOG_LEVEL_WARN,
                "resources: of hosts that send some do not become components: their "
                "names have other bytes than letters, digits and . _ -, or they are "
                "more than resource.discover (%zu are known)",
                counts.hosts);
}

static int64_t scan_every_ns(const struct resource_rules *rules)
{
    int64_t every_ns = rules->silent_after_ns / SCANS;
    return every_ns > SCAN_LONGEST_NS    ? SCAN_LONGEST_NS
           : every_ns < SCAN_SHORTEST_NS ? SCAN_SHORTEST_NS
                                         : every_ns;
}

static bool presence_pause(struct host_presence *p)
{
    int64_t end_ns = clock_monotonic_ns() + scan_every_ns(p->opts.rules);
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    LOCKED(&p->lock);
    while (!p->is_stopping)
        if (pthread_cond_timedwait(&p->wake, &p->lock, &until) == ETIMEDOUT)
            break;
    return !p->is_stopping;
}

static void *presence_follow(void *arg)
{
    struct host_presence *p = arg;
    do {
        const struct presence_time now = time_now();
        if (!p->is_known)
            known_find(p, &now);
        if (p->opts.store)
            store_scan(p, &now);
        members_each(p->members, now.steady_ns, on_member, p);
        if (p->is_known)
            presence_check(p->presence, &now, on_presence, p);
        refused_log(p);
    } while (presence_pause(p));
    return NULL;
}

/* ---- the door ---- */

static void presence_free_all(struct host_presence *p)
{
    presence_free(p->presence);
    members_free(p->members);
    hashmap_done(&p->by_level);
    free(p->watched);
    (void)pthread_cond_destroy(&p->wake);
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}

int host_presence_start(const struct host_presence_opts *opts,
                        struct host_presence **ret, struct err *err)
{
    const struct presence_opts presence = {
        .hosts_max = opts->rules->discover,
        .silent_after_ns = opts->rules->silent_after_ns,
        .check_every_ns = scan_every_ns(opts->rules),
    };
    pthread_condattr_t attr;
    if (presence.hosts_max == 0)
        return 0;
    struct host_presence *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->opts = *opts;
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&p->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    int rc = presence_new(&presence, &p->presence);
    if (rc == 0)
        rc = members_new(&p->members);
    if (rc == 0 && (rc = pthread_create(&p->thread, NULL, presence_follow, p)) != 0)
        rc = err_set(err, EAGAIN, "presence of hosts: no thread: %s", strerror(rc));
    if (rc < 0)
        presence_free_all(p);
    else
        *ret = p;
    return rc;
}

void host_presence_stop(struct host_presence *p)
{
    if (!p)
        return;
    {
        LOCKED(&p->lock);
        p->is_stopping = true;
        (void)pthread_cond_signal(&p->wake);
    }
    (void)pthread_join(p->thread, NULL);
    presence_free_all(p);
}

/* ---- batches, and the session ---- */

void host_presence_batch(struct host_presence *p, struct span server)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct component component;
    if (!p || !known_host(p, server, &path, &component))
        return;
    const struct presence_time now = time_now();
    (void)presence_heard(p->presence, component.cluster, component.host, PRESENCE_BATCH,
                         &now);
}

int host_presence_session(struct host_presence *p,
                          const struct host_presence_session *session)
{
    const struct members_of of = { session->hosts, session->rank, session->valid_ns };
    if (!p)
        return 0;
    p->cluster = session->cluster;
    return members_begin(p->members, &of);
}

void host_presence_members(struct host_presence *p, const struct rank_set *online)
{
    if (p)
        members_note(p->members, online, clock_steady_ns());
}

void host_presence_count(struct host_presence *p, struct presence_counts *ret)
{
    *ret = (struct presence_counts){ 0 };
    if (p)
        presence_count(p->presence, ret);
}
