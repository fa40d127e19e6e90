/* SPDX-License-Identifier: Apache-2.0 */
/* members - who is online in the session, from its thread to that of presence. */
#include "daemon/health/members.h"

#include "base/arena.h"
#include "base/span.h"

#include <errno.h>
#include <pthread.h>

struct members {
    /* Since members_begin(), under the lock until then. */
    struct arena arena;
    struct span *names; /* by rank */
    size_t count;
    uint32_t rank;
    int64_t valid_ns;
    /* Of members_each(). */
    struct rank_set now, before;
    bool is_now;          /* something was noted */
    pthread_mutex_t lock; /* of what follows; held for a copy alone */
    struct rank_set noted;
    int64_t noted_ns;
    bool is_new;
};

int members_new(struct members **ret)
{
    struct members *m = calloc(1, sizeof *m);
    if (!m)
        return -ENOMEM;
    arena_init(&m->arena, 0);
    (void)pthread_mutex_init(&m->lock, NULL);
    *ret = m;
    return 0;
}

void members_free(struct members *m)
{
    if (!m)
        return;
    arena_done(&m->arena);
    free(m->names);
    rank_set_done(&m->now);
    rank_set_done(&m->before);
    rank_set_done(&m->noted);
    (void)pthread_mutex_destroy(&m->lock);
    free(m);
}

int members_begin(struct members *m, const struct members_of *of)
{
    LOCKED(&m->lock);
    size_t count = hostset_count(of->hosts);
    m->names = calloc(count + 1, sizeof *m->names);
    if (!m->names)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct span name = span_of(hostset_at(of->hosts, i));
        const char *copy = arena_dup(&m->arena, name);
        if (!copy)
            return -ENOMEM;
        m->names[i] = (struct span){ copy, name.size };
    }
    m->rank = of->rank;
    m->valid_ns = of->valid_ns;
    m->count = count;
    return 0;
}

/* A part of a set would be the loss of the others. */
void members_note(struct members *m, const struct rank_set *online, int64_t steady_ns)
{
    LOCKED(&m->lock);
    m->is_new = rank_set_copy(&m->noted, online) == 0;
    if (m->is_new)
        m->noted_ns = steady_ns;
}

/* False: there is none, or none that holds. */
static bool noted_swap(struct members *m, int64_t steady_ns)
{
    LOCKED(&m->lock);
    if (m->is_new) {
        struct rank_set newer = m->noted;
        m->noted = m->now;
        m->now = newer;
        m->is_now = true;
    }
    m->is_new = false;
    return m->is_now && steady_ns - m->noted_ns < m->valid_ns;
}

void members_each(struct members *m, int64_t steady_ns, member_fn *fn, void *arg)
{
    if (!noted_swap(m, steady_ns))
        return;
    for (uint32_t rank = 0; rank < m->count; rank++) {
        bool is_online = rank_set_has(&m->now, rank);
        if (rank != m->rank && (is_online || rank_set_has(&m->before, rank)))
            fn(arg, m->names[rank], is_online);
    }
    /* Without memory those that are lost are so at the next time. */
    if (!rank_set_equal(&m->before, &m->now))
        (void)rank_set_copy(&m->before, &m->now);
}
