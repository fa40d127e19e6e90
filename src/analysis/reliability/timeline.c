/* SPDX-License-Identifier: Apache-2.0 */
/* timeline - one component in a range of time: how long it was how, and what failed. */
#include "analysis/reliability/timeline.h"

#include <errno.h>
#include <stdlib.h>

void timeline_init(struct timeline *timeline)
{
    *timeline = (struct timeline){ 0 };
}

void timeline_clear(struct timeline *timeline)
{
    struct timeline_times intervals = timeline->intervals, repairs = timeline->repairs;
    intervals.count = repairs.count = 0;
    *timeline = (struct timeline){ .intervals = intervals, .repairs = repairs };
}

void timeline_done(struct timeline *timeline)
{
    free(timeline->intervals.items);
    free(timeline->repairs.items);
    timeline_init(timeline);
}

static int times_add(struct timeline_times *times, int64_t length_ns)
{
    if (times->count == times->capacity) {
        size_t capacity = times->capacity ? 2 * times->capacity : 16;
        int64_t *grown = reallocarray(times->items, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        times->items = grown;
        times->capacity = capacity;
    }
    times->items[times->count++] = length_ns;
    return 0;
}

/* ---- how it is ---- */

struct play {
    struct timeline *timeline;
    int64_t from_ns, to_ns;
    int8_t *stated; /* of each source: its health; below 0: nothing yet */
    size_t source_count;
    bool is_silent;
    /* Now. */
    bool is_known; /* something is stated */
    bool is_drained;
    enum resource_health health; /* apart from the drain */
    /* What goes on. */
    bool is_failed, was_unknown, is_worn;
    int64_t failed_ns;      /* since when */
    int64_t last_failed_ns; /* in the range; INT64_MIN: none */
};

static void play_step(struct play *play, const struct timeline_change *change)
{
    if (change->is_silence)
        play->is_silent = change->health == RESOURCE_UNKNOWN;
    else
        play->stated[change->source] = (int8_t)change->health;
}

/* All that is stated at one time is so together. */
static void play_state(struct play *play)
{
    play->is_drained = play->is_known = false;
    play->health = RESOURCE_UP;
    bool is_stated = false;
    for (size_t i = 0; i < play->source_count; i++) {
        if (play->stated[i] < 0)
            continue;
        play->is_known = true;
        enum resource_health health = (enum resource_health)play->stated[i];
        if (health == RESOURCE_DRAINED) {
            play->is_drained = true;
            continue;
        }
        is_stated = true;
        if (health > play->health)
            play->health = health;
    }
    if (!is_stated || (play->is_silent && play->health == RESOURCE_UP))
        play->health = RESOURCE_UNKNOWN;
}

/* ---- how long ---- */

/* Which time passes: that of its health, or that of its drain. */
static int64_t *passing_time(struct play *play)
{
    struct timeline *t = play->timeline;
    if (play->is_drained)
        return &t->drained_ns;
    switch (play->health) {
    case RESOURCE_UP:
        return &t->up_ns;
    case RESOURCE_DEGRADED:
        return &t->degraded_ns;
    case RESOURCE_DOWN:
        return &t->down_ns;
    default:
        return &t->unknown_ns;
    }
}

static void play_pass(struct play *play, int64_t from_ns, int64_t to_ns)
{
    struct timeline *t = play->timeline;
    if (from_ns < play->from_ns)
        from_ns = play->from_ns;
    if (to_ns > play->to_ns)
        to_ns = play->to_ns;
    if (!play->is_known || to_ns <= from_ns)
        return;
    t->is_observed = true;
    *passing_time(play) += to_ns - from_ns;
}

/* ---- what happened ---- */

static int failure_begins(struct play *play, int64_t t_ns, bool is_within)
{
    struct timeline *t = play->timeline;
    int rc = 0;
    play->is_failed = true;
    play->was_unknown = false;
    play->failed_ns = t_ns;
    if (!is_within)
        return 0;
    t->failures++;
    if (play->last_failed_ns != INT64_MIN)
        rc = times_add(&t->intervals, t_ns - play->last_failed_ns);
    play->last_failed_ns = t_ns;
    return rc;
}

static int failure_ends(struct play *play, int64_t t_ns, bool is_within)
{
    struct timeline *t = play->timeline;
    play->is_failed = false;
    if (!is_within)
        return 0;
    if (!play->was_unknown)
        return times_add(&t->repairs, t_ns - play->failed_ns);
    t->repairs_unknown++;
    return 0;
}

static int play_events(struct play *play, int64_t t_ns, bool was_drained)
{
    struct timeline *t = play->timeline;
    bool is_within = t_ns >= play->from_ns && t_ns < play->to_ns;
    int rc = 0;
    if (play->is_drained && !was_drained && is_within)
        t->drains++;
    if (play->health == RESOURCE_UNKNOWN) {
        play->was_unknown = true;
    } else if (play->health != RESOURCE_DOWN) {
        if (play->is_failed)
            rc = failure_ends(play, t_ns, is_within);
    } else if (!play->is_failed && !play->is_drained) {
        rc = failure_begins(play, t_ns, is_within);
    }
    if (play->health == RESOURCE_UP) {
        play->is_worn = false;
    } else if (play->health == RESOURCE_DOWN) {
        play->is_worn = true;
    } else if (play->health == RESOURCE_DEGRADED && !play->is_worn &&
               !play->is_drained) {
        play->is_worn = true;
        t->degradations += is_within;
    }
    return rc;
}

/* ---- all of it ---- */

struct sorted_change {
    struct timeline_change change;
    size_t at;
};

static int compare_changes(const void *a, const void *b)
{
    const struct sorted_change *x = a, *y = b;
    if (x->change.t_ns != y->change.t_ns)
        return x->change.t_ns < y->change.t_ns ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Those of one source come in order: there is nothing to do. */
static int changes_sort(struct timeline_change *changes, size_t count)
{
    size_t sorted = 1;
    while (sorted < count && changes[sorted - 1].t_ns <= changes[sorted].t_ns)
        sorted++;
    if (sorted >= count)
        return 0;
    struct sorted_change *all = calloc(count, sizeof *all);
    if (!all)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        all[i] = (struct sorted_change){ changes[i], i };
    qsort(all, count, sizeof *all, compare_changes);
    for (size_t i = 0; i < count; i++)
        changes[i] = all[i].change;
    free(all);
    return 0;
}

static int play_all(struct play *play, const struct timeline_change *changes,
                    size_t count)
{
    int rc = 0;
    int64_t last_ns = INT64_MIN;
    for (size_t i = 0; rc == 0 && i < count && changes[i].t_ns < play->to_ns;) {
        int64_t t_ns = changes[i].t_ns;
        bool was_drained = play->is_drained;
        play_pass(play, last_ns, t_ns);
        while (i < count && changes[i].t_ns == t_ns)
            play_step(play, &changes[i++]);
        play_state(play);
        if (play->is_known)
            rc = play_events(play, t_ns, was_drained);
        last_ns = t_ns;
    }
    play_pass(play, last_ns, play->to_ns);
    play->timeline->is_failed = play->is_failed && play->timeline->is_observed;
    return rc;
}

int timeline_make(struct timeline_change *changes, size_t count, size_t source_count,
                  int64_t from_ns, int64_t to_ns, struct timeline *ret)
{
    struct play play = { .timeline = ret,
                         .from_ns = from_ns,
                         .to_ns = to_ns,
                         .stated = malloc(source_count + 1),
                         .source_count = source_count,
                         .last_failed_ns = INT64_MIN };
    if (!play.stated)
        return -ENOMEM;
    memset(play.stated, -1, source_count + 1);
    int rc = changes_sort(changes, count);
    if (rc == 0)
        rc = play_all(&play, changes, count);
    free(play.stated);
    return rc;
}
