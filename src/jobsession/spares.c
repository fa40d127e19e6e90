/* SPDX-License-Identifier: Apache-2.0 */
/* spares - which ranks of a session work, and which wait to replace one of them. */
#include "jobsession/spares.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ranked_node {
    bool is_idle, is_online;
    const char *lost; /* why it counts as lost; NULL: it does not */
    char *condemned;  /* why; NULL: it may work */
};

struct spares {
    uint32_t count;
    bool has_begun;
    bool is_exhausted; /* as was reported */
    uint64_t replaced;
    struct ranked_node ranks[]; /* of rank 1, 2, ... */
};

int spares_new(uint32_t ranks, uint32_t idle_count, struct spares **ret)
{
    if (idle_count >= ranks)
        return -EINVAL;
    struct spares *s = calloc(1, sizeof *s + ranks * sizeof s->ranks[0]);
    if (!s)
        return -ENOMEM;
    s->count = ranks;
    for (uint32_t i = ranks - idle_count; i < ranks; i++)
        s->ranks[i].is_idle = true;
    *ret = s;
    return 0;
}

void spares_free(struct spares *s)
{
    for (uint32_t i = 0; s && i < s->count; i++)
        free(s->ranks[i].condemned);
    free(s);
}

static struct ranked_node *ranked_node_at(struct spares *s, uint32_t rank)
{
    return rank > 0 && rank <= s->count ? &s->ranks[rank - 1] : NULL;
}

void spares_joined(struct spares *s, uint32_t rank)
{
    struct ranked_node *r = ranked_node_at(s, rank);
    if (!r)
        return;
    r->is_online = true;
    r->lost = NULL;
}

void spares_lost(struct spares *s, uint32_t rank)
{
    struct ranked_node *r = ranked_node_at(s, rank);
    if (!r)
        return;
    r->is_online = false;
    r->lost = "lost";
}

void spares_begin(struct spares *s)
{
    s->has_begun = true;
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->ranks[i].is_online && !s->ranks[i].lost)
            s->ranks[i].lost = "did not join";
}

int spares_condemn(struct spares *s, uint32_t rank, const char *reason)
{
    struct ranked_node *r = ranked_node_at(s, rank);
    char *copy = r && reason ? strdup(reason) : NULL;
    if (r && reason && !copy)
        return -ENOMEM;
    if (r) {
        free(r->condemned);
        r->condemned = copy;
    }
    return 0;
}

static const char *replacement_reason(const struct ranked_node *r)
{
    return r->lost ? r->lost : r->condemned;
}

static uint32_t successor_find(const struct spares *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->ranks[i].is_idle && s->ranks[i].is_online && !s->ranks[i].condemned)
            return i + 1;
    return 0;
}

/* What is condemned may still sample, what is lost does not: it has the first spare. */
static uint32_t due_find(const struct spares *s)
{
    uint32_t condemned = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct ranked_node *r = &s->ranks[i];
        if (!r->is_idle && r->lost)
            return i + 1;
        if (!r->is_idle && r->condemned && !condemned)
            condemned = i + 1;
    }
    return condemned;
}

bool spares_are_due(const struct spares *s)
{
    return due_find(s) && successor_find(s);
}

bool spares_replace(struct spares *s, struct replacement *ret)
{
    uint32_t lost = due_find(s), successor = successor_find(s);
    if (successor)
        s->is_exhausted = false;
    if (!lost || (!successor && (s->is_exhausted || !s->has_begun)))
        return false;
    *ret = (struct replacement){ lost, successor,
                                 replacement_reason(&s->ranks[lost - 1]) };
    if (!successor) {
        s->is_exhausted = true;
        return true;
    }
    s->ranks[lost - 1].is_idle = true;
    s->ranks[successor - 1].is_idle = false;
    s->replaced++;
    return true;
}

int spares_idle(const struct spares *s, struct rank_set *ret)
{
    int rc = 0;
    rank_set_clear(ret);
    for (uint32_t i = 0; rc == 0 && i < s->count; i++)
        if (s->ranks[i].is_idle)
            rc = rank_set_add(ret, i + 1, i + 1);
    return rc;
}

void spares_count(const struct spares *s, struct spares_counts *ret)
{
    *ret = (struct spares_counts){ .replaced = s->replaced };
    for (uint32_t i = 0; i < s->count; i++)
        ret->waiting +=
            s->ranks[i].is_idle && s->ranks[i].is_online && !s->ranks[i].condemned;
}
