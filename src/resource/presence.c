/* SPDX-License-Identifier: Apache-2.0 */
/* presence - which hosts send something, and since when one that did is silent. */
#include "resource/presence.h"

#include "base/arena.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <pthread.h>

#define NAME_MAX_BYTES 255

#define SIGNS (PRESENCE_MEMBER + 1)
#define PAUSE_CHECKS 3 /* without any: barod did not run */
/* Where none may give way it is not looked for again so soon: many unknown names cost
 * no more than one. */
#define FULL_NS (60 * NS_PER_S)

/* One way of being heard. */
struct heard {
    struct presence_time last; /* t_ns 0: never since barod's start */
    int64_t interval_ns;       /* the usual time between two; 0: not known */
    int64_t silence_ns; /* the last gap, where it was a silence; 0: it was none */
    bool is_on;         /* heard, and not a member that the session has lost */
};

struct presence_host {
    char *path;
    struct heard heard[SIGNS];
    struct presence_time known; /* since when barod knows of it */
    struct presence_time lost;  /* by a session, and not heard since; t_ns 0: no */
    int64_t stated_ns;          /* steady, the last time */
    int64_t since_ns;           /* that it is so, as stated; 0: nothing was */
    bool is_silent, was_heard;  /* was_heard: since barod's start */
};

struct presence {
    struct presence_opts opts;
    pthread_mutex_t lock;   /* of all that follows */
    struct hashmap by_path; /* index + 1 */
    struct presence_host *hosts;
    size_t count, capacity;
    int64_t ran_ns;  /* steady: when barod ran for certain; 0: not yet */
    int64_t full_ns; /* steady: until then no other gives way */
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

static int64_t last_heard_ns(const struct presence_host *host)
{
    int64_t last_ns = host->known.steady_ns;
    for (size_t i = 0; i < SIGNS; i++)
        if (host->heard[i].last.t_ns != 0 && host->heard[i].last.steady_ns > last_ns)
            last_ns = host->heard[i].last.steady_ns;
    return last_ns;
}

/* The one that is silent longest; NULL: none is long enough.  Its unknown stays. */
static struct presence_host *oldest_silent(struct presence *p, int64_t now_ns)
{
    struct presence_host *oldest = NULL;
    if (now_ns < p->full_ns)
        return NULL;
    for (size_t i = 0; i < p->count; i++) {
        struct presence_host *host = &p->hosts[i];
        if (host->is_silent && now_ns - last_heard_ns(host) >= PRESENCE_OLD_NS &&
            (!oldest || last_heard_ns(host) < last_heard_ns(oldest)))
            oldest = host;
    }
    if (!oldest)
        p->full_ns = now_ns + FULL_NS;
    return oldest;
}

static int hosts_grow(struct presence *p)
{
    if (p->count < p->capacity)
        return 0;
    size_t capacity = p->capacity ? 2 * p->capacity : 256;
    struct presence_host *grown = reallocarray(p->hosts, capacity, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    p->hosts = grown;
    p->capacity = capacity;
    return 0;
}

static int host_make(struct presence *p, struct span path,
                     const struct presence_time *now, struct presence_host **ret)
{
    bool is_full = p->count >= p->opts.hosts_max;
    struct presence_host *host = is_full ? oldest_silent(p, now->steady_ns) : NULL;
    if (is_full && !host)
        return -ENOSPC;
    if (!is_full && hosts_grow(p) < 0)
        return -ENOMEM;
    char *copy = strndup(path.data, path.size);
    uintptr_t *index = copy ? hashmap_put(&p->by_path, path, NULL) : NULL;
    if (!index) {
        free(copy);
        return -ENOMEM;
    }
    if (!host)
        host = &p->hosts[p->count++];
    *index = (uintptr_t)(host - p->hosts) + 1;
    if (is_full) {
        (void)hashmap_remove(&p->by_path, span_of(host->path));
        free(host->path);
    }
    *host = (struct presence_host){ .path = copy, .known = *now };
    *ret = host;
    return 0;
}

/* The caller has the lock. */
static int presence_host_get(struct presence *p, struct span path,
                             const struct presence_time *now,
                             struct presence_host **ret)
{
    const uintptr_t *known = hashmap_get(&p->by_path, path);
    if (known) {
        *ret = &p->hosts[*known - 1];
        return 0;
    }
    int rc = host_make(p, path, now, ret);
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

/* ---- time ---- */

/* What barod could not hear counts against no host.  The caller has the lock. */
static void time_passed(struct presence *p, int64_t now_ns)
{
    int64_t gap_ns = p->ran_ns > 0 ? now_ns - p->ran_ns : 0;
    if (now_ns > p->ran_ns)
        p->ran_ns = now_ns;
    if (p->opts.check_every_ns == 0 || gap_ns <= PAUSE_CHECKS * p->opts.check_every_ns)
        return;
    for (size_t i = 0; i < p->count; i++) {
        struct presence_host *host = &p->hosts[i];
        for (size_t j = 0; j < SIGNS; j++)
            host->heard[j].last.steady_ns += gap_ns;
        host->known.steady_ns += gap_ns;
        host->lost.steady_ns += gap_ns;
    }
}

/* ---- what is heard ---- */

static int64_t times(int64_t ns, int64_t factor)
{
    return ns > INT64_MAX / factor ? INT64_MAX : ns * factor;
}

static int64_t at_least(int64_t ns, int64_t least_ns)
{
    return ns > least_ns ? ns : least_ns;
}

static int64_t heard_limit(const struct presence *p, const struct heard *heard)
{
    int64_t first_ns = times(p->opts.silent_after_ns, PRESENCE_FIRST);
    if (first_ns > PRESENCE_GRACE_NS)
        first_ns = PRESENCE_GRACE_NS;
    return at_least(heard->interval_ns > 0
                        ? times(heard->interval_ns, PRESENCE_INTERVALS)
                        : first_ns,
                    p->opts.silent_after_ns);
}

/* The longest usual gap, and less of it as shorter ones come.  One silence is no
 * interval; two of a length with nothing between them are: it sends so seldom. */
static void interval_note(const struct presence *p, struct heard *heard, int64_t now_ns)
{
    int64_t gap_ns = now_ns - heard->last.steady_ns, before_ns = heard->silence_ns;
    heard->silence_ns = 0;
    if (!heard->is_on || gap_ns <= 0 || gap_ns > PRESENCE_INTERVAL_MAX_NS)
        return;
    if (gap_ns >= heard_limit(p, heard)) {
        heard->silence_ns = gap_ns;
        if (before_ns == 0 || gap_ns / 2 > before_ns || before_ns / 2 > gap_ns)
            return;
        heard->interval_ns = at_least(gap_ns, before_ns);
    } else if (gap_ns > heard->interval_ns) {
        heard->interval_ns = gap_ns;
    } else {
        heard->interval_ns -= (heard->interval_ns - gap_ns) / 8;
    }
}

int presence_heard(struct presence *p, struct span cluster, struct span host,
                   enum presence_sign sign, const struct presence_time *now)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct presence_host *found;
    int rc = presence_path(p, cluster, host, &path);
    if (rc < 0)
        return rc;
    LOCKED(&p->lock);
    time_passed(p, now->steady_ns);
    rc = presence_host_get(p, strbuf_span(&path), now, &found);
    if (rc < 0)
        return rc;
    struct heard *heard = &found->heard[sign];
    interval_note(p, heard, now->steady_ns);
    heard->last = *now;
    heard->is_on = true;
    found->lost = (struct presence_time){ 0 };
    found->was_heard = true;
    return 0;
}

void presence_lost(struct presence *p, struct span cluster, struct span host,
                   const struct presence_time *now)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    if (presence_path(p, cluster, host, &path) < 0)
        return;
    LOCKED(&p->lock);
    time_passed(p, now->steady_ns);
    const uintptr_t *known = hashmap_get(&p->by_path, strbuf_span(&path));
    if (!known)
        return;
    struct presence_host *found = &p->hosts[*known - 1];
    found->heard[PRESENCE_MEMBER].is_on = false;
    if (found->lost.t_ns == 0)
        found->lost = *now;
}

int presence_known(struct presence *p, struct span component, bool is_silent,
                   int64_t since_ns, const struct presence_time *now)
{
    struct presence_host *host;
    LOCKED(&p->lock);
    if (hashmap_get(&p->by_path, component))
        return 0;
    int rc = presence_host_get(p, component, now, &host);
    if (rc < 0)
        return rc;
    if (is_silent && since_ns > 0 && since_ns < now->t_ns)
        host->known.steady_ns -= now->t_ns - since_ns;
    host->is_silent = is_silent;
    host->stated_ns = now->steady_ns;
    host->since_ns = at_least(now->t_ns, since_ns);
    return 0;
}

/* ---- what is stated ---- */

/* What a session has lost is expected to send soon, if it sends at all. */
static bool is_heard(const struct presence *p, const struct presence_host *host,
                     const struct heard *heard, int64_t now_ns)
{
    int64_t limit_ns = heard_limit(p, heard);
    if (!heard->is_on || now_ns - heard->last.steady_ns >= limit_ns)
        return false;
    int64_t soon_ns = heard->interval_ns > 0
                          ? times(heard->interval_ns, 2) + p->opts.check_every_ns
                          : p->opts.silent_after_ns;
    return host->lost.t_ns == 0 || now_ns - host->lost.steady_ns < soon_ns;
}

static bool is_silent_now(const struct presence *p, const struct presence_host *host,
                          int64_t now_ns)
{
    if (!host->was_heard)
        return host->is_silent /* as it was before this start */ ||
               host->lost.t_ns != 0 ||
               now_ns - host->known.steady_ns >=
                   at_least(PRESENCE_GRACE_NS, p->opts.silent_after_ns);
    for (size_t i = 0; i < SIGNS; i++)
        if (is_heard(p, host, &host->heard[i], now_ns))
            return false;
    return true;
}

/* The sign that came last; those before it. */
static enum presence_sign last_sign(const struct presence_host *host)
{
    enum presence_sign last = PRESENCE_SAMPLE;
    for (size_t i = 0; i < SIGNS; i++)
        if (host->heard[i].last.t_ns != 0 &&
            (host->heard[last].last.t_ns == 0 ||
             host->heard[i].last.steady_ns > host->heard[last].last.steady_ns))
            last = (enum presence_sign)i;
    return last;
}

static int64_t silent_since(const struct presence_host *host)
{
    return host->lost.t_ns != 0 ? host->lost.t_ns
           : host->was_heard    ? host->heard[last_sign(host)].last.t_ns
                                : host->known.t_ns;
}

/* Silent since it was heard last, and later than what was stated before. */
static int64_t presence_since(const struct presence_host *host, bool is_silent,
                              int64_t now_ns)
{
    int64_t since_ns = is_silent ? silent_since(host) : now_ns;
    return since_ns > host->since_ns ? since_ns : host->since_ns + NS_PER_MS;
}

static void presence_reason(const struct presence_host *host, struct strbuf *out)
{
    static const char *const signs[] = { "no sample", "no batch of rows",
                                         "no contact" };
    char when[TIMETEXT_SIZE];
    timetext_print(when, silent_since(host));
    if (host->lost.t_ns != 0)
        strbuf_addf(out, "presence: lost by the session at %s", when);
    else if (!host->was_heard)
        strbuf_addf(out, "presence: nothing since barod's start at %s", when);
    else
        strbuf_addf(out, "presence: %s since %s", signs[last_sign(host)], when);
}

/* Statements of one check, copied: they are given when the lock is not held. */
struct presence_news {
    struct arena arena;
    struct resource_statement *items;
    size_t count, capacity;
};

static void presence_news_done(struct presence_news *news)
{
    arena_done(&news->arena);
    free(news->items);
}
DEFINE_AUTO_DONE(struct presence_news, presence_news_done);

static int news_add(struct presence_news *news, const struct presence_host *host,
                    bool is_silent, int64_t since_ns)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    if (news->count == news->capacity) {
        size_t capacity = news->capacity ? 2 * news->capacity : 64;
        struct resource_statement *grown =
            reallocarray(news->items, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        news->items = grown;
        news->capacity = capacity;
    }
    if (is_silent)
        presence_reason(host, &reason);
    struct span path = span_of(host->path), text = strbuf_span(&reason);
    const char *path_copy = arena_dup(&news->arena, path);
    const char *text_copy = arena_dup(&news->arena, text);
    if (strbuf_error(&reason) < 0 || !path_copy || !text_copy)
        return -ENOMEM;
    news->items[news->count++] = (struct resource_statement){
        .component = { path_copy, path.size },
        .source = SPAN(RESOURCE_SOURCE_PRESENCE),
        .health = is_silent ? RESOURCE_UNKNOWN : RESOURCE_UP,
        .reason = { text_copy, text.size },
        .t_ns = since_ns,
    };
    return 0;
}

/* Without memory it is stated at a later check. */
static void host_check(const struct presence *p, struct presence_host *host,
                       const struct presence_time *now, struct presence_news *news)
{
    bool is_silent = is_silent_now(p, host, now->steady_ns);
    bool is_same = host->since_ns != 0 && is_silent == host->is_silent;
    /* What was stated before this start has its own reason. */
    if (is_same &&
        (now->steady_ns - host->stated_ns < PRESENCE_AGAIN_NS || !host->was_heard))
        return;
    int64_t since_ns =
        is_same ? host->since_ns : presence_since(host, is_silent, now->t_ns);
    if (news_add(news, host, is_silent, since_ns) < 0)
        return;
    host->since_ns = since_ns;
    host->is_silent = is_silent;
    host->stated_ns = now->steady_ns;
}

void presence_check(struct presence *p, const struct presence_time *now,
                    presence_fn *fn, void *arg)
{
    AUTO(presence_news_done) struct presence_news news = { 0 };
    arena_init(&news.arena, 0);
    {
        LOCKED(&p->lock);
        time_passed(p, now->steady_ns);
        for (size_t i = 0; i < p->count; i++)
            host_check(p, &p->hosts[i], now, &news);
    }
    for (size_t i = 0; i < news.count; i++)
        fn(arg, &news.items[i]);
}

void presence_count(struct presence *p, struct presence_counts *ret)
{
    LOCKED(&p->lock);
    *ret = (struct presence_counts){ .hosts = p->count, .refused = p->refused };
    for (size_t i = 0; i < p->count; i++)
        ret->silent += p->hosts[i].is_silent;
}
