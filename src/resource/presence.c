/* SPDX-License-Identifier: Apache-2.0 */
/* presence - which hosts send something, and since when one that did is silent. */
#include "resource/presence.h"

#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <pthread.h>

#define NAME_MAX_BYTES 255

struct presence_host {
    char *path;
    int64_t heard_ns;    /* the last time; at the start of barod: then */
    int64_t interval_ns; /* the usual time between two; 0: not known */
    int64_t lost_ns;     /* by a session, and not heard since; 0: no */
    int64_t stated_ns;   /* the last time; 0: never */
    int64_t since_ns;    /* that it is so */
    enum presence_sign sign;
    bool is_silent, was_heard; /* was_heard: since barod's start */
};

struct presence {
    struct presence_opts opts;
    pthread_mutex_t lock;   /* of all that follows */
    struct hashmap by_path; /* index + 1 */
    struct presence_host *hosts;
    size_t count, capacity;
    uint64_t refused;
};

int presence_new(const struct presence_opts *opts, struct presence **ret)
{
    struct presence *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->opts = *opts;
    (void)pthread_mutex_init(&p->lock, NULL);
    *ret = p;
    return 0;
}

void presence_free(struct presence *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++)
        free(p->hosts[i].path);
    free(p->hosts);
    hashmap_done(&p->by_path);
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}

/* ---- hosts ---- */

/* What a sender may name is not what a person reads in a list: no blanks, no escapes.
 */
static bool is_host_name(struct span name)
{
    if (name.size == 0 || name.size > NAME_MAX_BYTES || name.data[0] == '-' ||
        name.data[0] == '.')
        return false;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'))
            return false;
    }
    return true;
}

static int host_make(struct presence *p, struct span path, struct presence_host **ret)
{
    if (p->count >= p->opts.hosts_max)
        return -ENOSPC;
    if (p->count == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 256;
        struct presence_host *grown = reallocarray(p->hosts, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        p->hosts = grown;
        p->capacity = capacity;
    }
    char *copy = strndup(path.data, path.size);
    uintptr_t *index = copy ? hashmap_put(&p->by_path, path, NULL) : NULL;
    if (!index) {
        free(copy);
        return -ENOMEM;
    }
    *index = ++p->count;
    *ret = &p->hosts[p->count - 1];
    **ret = (struct presence_host){ .path = copy };
    return 0;
}

/* The caller has the lock. */
static int presence_host_get(struct presence *p, struct span path,
                             struct presence_host **ret)
{
    const uintptr_t *known = hashmap_get(&p->by_path, path);
    if (known) {
        *ret = &p->hosts[*known - 1];
        return 0;
    }
    int rc = host_make(p, path, ret);
    if (rc < 0)
        p->refused++;
    return rc;
}

static int presence_path(struct presence *p, struct span cluster, struct span host,
                         struct strbuf *out)
{
    if (!is_host_name(cluster) || !is_host_name(host)) {
        LOCKED(&p->lock);
        p->refused++;
        return -EINVAL;
    }
    strbuf_addf(out, SPAN_FMT "/" SPAN_FMT, SPAN_ARG(cluster), SPAN_ARG(host));
    return strbuf_error(out);
}

/* The longest usual gap, and less of it as shorter ones come; not one of a silence. */
static void interval_note(struct presence_host *host, int64_t now_ns)
{
    int64_t gap_ns = now_ns - host->heard_ns;
    if (!host->was_heard || host->is_silent || gap_ns <= 0)
        return;
    if (gap_ns > host->interval_ns)
        host->interval_ns = gap_ns;
    else
        host->interval_ns -= (host->interval_ns - gap_ns) / 8;
}

int presence_heard(struct presence *p, struct span cluster, struct span host,
                   enum presence_sign sign, int64_t now_ns)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct presence_host *heard;
    int rc = presence_path(p, cluster, host, &path);
    if (rc < 0)
        return rc;
    LOCKED(&p->lock);
    rc = presence_host_get(p, strbuf_span(&path), &heard);
    if (rc < 0)
        return rc;
    interval_note(heard, now_ns);
    heard->heard_ns = now_ns;
    heard->lost_ns = 0;
    heard->sign = sign;
    heard->was_heard = true;
    return 0;
}

void presence_lost(struct presence *p, struct span cluster, struct span host,
                   int64_t now_ns)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    if (presence_path(p, cluster, host, &path) < 0)
        return;
    LOCKED(&p->lock);
    const uintptr_t *known = hashmap_get(&p->by_path, strbuf_span(&path));
    if (!known)
        return;
    struct presence_host *lost = &p->hosts[*known - 1];
    if (lost->lost_ns == 0)
        lost->lost_ns = now_ns;
}

int presence_known(struct presence *p, struct span component, bool is_silent,
                   int64_t now_ns)
{
    struct presence_host *host;
    LOCKED(&p->lock);
    size_t before = p->count;
    int rc = presence_host_get(p, component, &host);
    if (rc < 0 || p->count == before)
        return rc;
    host->heard_ns = now_ns;
    host->is_silent = is_silent;
    host->stated_ns = now_ns;
    host->since_ns = now_ns;
    return 0;
}

/* ---- what is stated ---- */

static int64_t presence_limit(const struct presence *p,
                              const struct presence_host *host)
{
    int64_t limit_ns = host->interval_ns > INT64_MAX / PRESENCE_INTERVALS
                           ? INT64_MAX
                           : host->interval_ns * PRESENCE_INTERVALS;
    if (!host->was_heard && limit_ns < PRESENCE_GRACE_NS)
        limit_ns = PRESENCE_GRACE_NS;
    return limit_ns > p->opts.silent_after_ns ? limit_ns : p->opts.silent_after_ns;
}

static bool is_silent_now(const struct presence *p, const struct presence_host *host,
                          int64_t now_ns)
{
    if (host->is_silent && !host->was_heard)
        return true; /* as it was before this start */
    if (host->lost_ns > 0)
        return now_ns - host->lost_ns >=
               (host->sign == PRESENCE_MEMBER ? 0 : host->interval_ns);
    return now_ns - host->heard_ns >= presence_limit(p, host);
}

/* Silent since it was heard last, and later than what was stated before. */
static int64_t presence_since(const struct presence_host *host, bool is_silent,
                              int64_t now_ns)
{
    int64_t since_ns = !is_silent          ? now_ns
                       : host->lost_ns > 0 ? host->lost_ns
                                           : host->heard_ns;
    return since_ns > host->since_ns ? since_ns : host->since_ns + NS_PER_MS;
}

static void presence_reason(const struct presence_host *host, struct strbuf *out)
{
    static const char *const signs[] = { "no sample", "no batch of rows",
                                         "no contact" };
    char when[TIMETEXT_SIZE];
    timetext_print(when, host->lost_ns > 0 ? host->lost_ns : host->heard_ns);
    if (host->lost_ns > 0)
        strbuf_addf(out, "presence: lost by the session at %s", when);
    else if (!host->was_heard)
        strbuf_addf(out, "presence: nothing since barod's start at %s", when);
    else
        strbuf_addf(out, "presence: %s since %s", signs[host->sign], when);
}

static void presence_state(const struct presence_host *host, struct strbuf *reason,
                           presence_fn *fn, void *arg)
{
    strbuf_clear(reason);
    if (host->is_silent)
        presence_reason(host, reason);
    if (strbuf_error(reason) < 0)
        return; /* again within the hour */
    const struct resource_statement statement = {
        .component = span_of(host->path),
        .source = SPAN(RESOURCE_SOURCE_PRESENCE),
        .health = host->is_silent ? RESOURCE_UNKNOWN : RESOURCE_UP,
        .reason = strbuf_span(reason),
        .t_ns = host->since_ns,
    };
    fn(arg, &statement);
}

void presence_check(struct presence *p, int64_t now_ns, presence_fn *fn, void *arg)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    LOCKED(&p->lock);
    for (size_t i = 0; i < p->count; i++) {
        struct presence_host *host = &p->hosts[i];
        if (now_ns < host->heard_ns)
            host->heard_ns = now_ns; /* the clock was set back */
        bool is_silent = is_silent_now(p, host, now_ns);
        bool is_again =
            now_ns - host->stated_ns >= PRESENCE_AGAIN_NS || now_ns < host->stated_ns;
        if (host->stated_ns > 0 && is_silent == host->is_silent && !is_again)
            continue;
        if (host->stated_ns > 0 && !host->was_heard && is_silent == host->is_silent)
            continue; /* what was stated before this start has its own reason */
        if (host->since_ns == 0 || is_silent != host->is_silent)
            host->since_ns = presence_since(host, is_silent, now_ns);
        host->is_silent = is_silent;
        host->stated_ns = now_ns;
        presence_state(host, &reason, fn, arg);
    }
}

void presence_count(struct presence *p, struct presence_counts *ret)
{
    LOCKED(&p->lock);
    *ret = (struct presence_counts){ .hosts = p->count, .refused = p->refused };
    for (size_t i = 0; i < p->count; i++)
        ret->silent += p->hosts[i].is_silent;
}
