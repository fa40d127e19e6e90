/* SPDX-License-Identifier: Apache-2.0 */
/* schedule - which BMC is read next, and when. */
#include "bmc/schedule.h"

#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

#define FAILURES_MAX 20

struct slot {
    int64_t due_ns, interval_ns;
    size_t position; /* in its heap */
    unsigned failures;
    bool is_in_flight, is_hurried;
};

/* Of indexes into slots, the earliest first. */
struct heap {
    size_t *items;
    size_t count;
};

enum { RESPONDING, SILENT, HEAPS };

struct schedule {
    struct schedule_opts opts;
    struct slot *slots;
    struct heap heaps[HEAPS];
    size_t in_flight, silent_in_flight;
    uint64_t random;
};

int schedule_new(const struct schedule_opts *opts, struct schedule **ret)
{
    AUTO(schedule_free) struct schedule *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->opts = *opts;
    s->slots = calloc(opts->count + 1, sizeof *s->slots);
    for (size_t i = 0; i < HEAPS; i++)
        s->heaps[i].items = calloc(opts->count + 1, sizeof(size_t));
    if (!s->slots || !s->heaps[RESPONDING].items || !s->heaps[SILENT].items)
        return -ENOMEM;
    if (getrandom(&s->random, sizeof s->random, 0) != (ssize_t)sizeof s->random)
        s->random = 1;
    *ret = TAKE(s);
    return 0;
}

void schedule_free(struct schedule *s)
{
    if (!s)
        return;
    free(s->slots);
    for (size_t i = 0; i < HEAPS; i++)
        free(s->heaps[i].items);
    free(s);
}

/* ---- a heap ---- */

static void heap_put(struct schedule *s, struct heap *h, size_t at, size_t index)
{
    h->items[at] = index;
    s->slots[index].position = at;
}

static bool is_before(const struct schedule *s, size_t a, size_t b)
{
    return s->slots[a].due_ns < s->slots[b].due_ns;
}

static void heap_up(struct schedule *s, struct heap *h, size_t at)
{
    size_t index = h->items[at];
    while (at > 0 && is_before(s, index, h->items[(at - 1) / 2])) {
        heap_put(s, h, at, h->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(s, h, at, index);
}

static void heap_down(struct schedule *s, struct heap *h, size_t at)
{
    size_t index = h->items[at];
    for (size_t child = 2 * at + 1; child < h->count; child = 2 * at + 1) {
        if (child + 1 < h->count && is_before(s, h->items[child + 1], h->items[child]))
            child++;
        if (!is_before(s, h->items[child], index))
            break;
        heap_put(s, h, at, h->items[child]);
        at = child;
    }
    heap_put(s, h, at, index);
}

static struct heap *heap_of(struct schedule *s, size_t index)
{
    return &s->heaps[s->slots[index].failures > 0 ? SILENT : RESPONDING];
}

static void heap_add(struct schedule *s, size_t index)
{
    struct heap *h = heap_of(s, index);
    heap_put(s, h, h->count, index);
    h->count++;
    heap_up(s, h, h->count - 1);
}

static size_t heap_remove_first(struct schedule *s, struct heap *h)
{
    size_t first = h->items[0];
    h->count--;
    if (h->count > 0) {
        heap_put(s, h, 0, h->items[h->count]);
        heap_down(s, h, 0);
    }
    return first;
}

/* ---- times ---- */

/* Within a twentieth of span on either side. */
static int64_t jitter(struct schedule *s, int64_t span_ns)
{
    s->random = s->random * UINT64_C(6364136223846793005) + 1442695040888963407U;
    int64_t tenth_ns = span_ns / 10;
    return tenth_ns > 0 ? (int64_t)(s->random >> 11) % tenth_ns - tenth_ns / 2 : 0;
}

static int64_t pause_of(struct schedule *s, const struct slot *slot)
{
    int64_t pause_ns = slot->interval_ns;
    for (unsigned i = 0; i < slot->failures && pause_ns < s->opts.backoff_max_ns; i++)
        pause_ns *= 2;
    if (slot->failures > 0 && pause_ns > s->opts.backoff_max_ns)
        pause_ns = s->opts.backoff_max_ns > slot->interval_ns ? s->opts.backoff_max_ns
                                                              : slot->interval_ns;
    return slot->failures > 0 ? pause_ns + jitter(s, pause_ns) : pause_ns;
}

void schedule_add(struct schedule *s, size_t index, const char *name,
                  int64_t interval_ns, int64_t now_ns)
{
    uint64_t hash = XXH3_64bits(name, strlen(name));
    s->slots[index] = (struct slot){
        .interval_ns = interval_ns,
        .due_ns = now_ns + (int64_t)(hash >> 1) % interval_ns,
    };
    heap_add(s, index);
}

bool schedule_next(struct schedule *s, int64_t now_ns, size_t *ret, int64_t *ret_due_ns)
{
    size_t silent_max = s->opts.in_flight > 1 ? s->opts.in_flight / 2 : 1;
    *ret_due_ns = INT64_MAX;
    for (size_t i = 0; i < HEAPS; i++) {
        struct heap *h = &s->heaps[i];
        if (h->count == 0 || (i == SILENT && s->silent_in_flight >= silent_max))
            continue;
        int64_t due_ns = s->slots[h->items[0]].due_ns;
        if (due_ns > now_ns) {
            *ret_due_ns = due_ns < *ret_due_ns ? due_ns : *ret_due_ns;
            continue;
        }
        *ret = heap_remove_first(s, h);
        s->slots[*ret].is_in_flight = true;
        s->in_flight++;
        s->silent_in_flight += i == SILENT;
        return true;
    }
    return false;
}

void schedule_done(struct schedule *s, size_t index, bool has_responded, int64_t now_ns)
{
    struct slot *slot = &s->slots[index];
    s->in_flight--;
    s->silent_in_flight -= slot->failures > 0;
    slot->failures = has_responded                   ? 0
                     : slot->failures < FAILURES_MAX ? slot->failures + 1
                                                     : FAILURES_MAX;
    /* Its moment within the interval stays, unless that is over already. */
    slot->due_ns += pause_of(s, slot);
    if (slot->due_ns <= now_ns)
        slot->due_ns = now_ns + slot->interval_ns / 2 + jitter(s, slot->interval_ns);
    if (slot->is_hurried)
        slot->due_ns = now_ns;
    slot->is_in_flight = slot->is_hurried = false;
    heap_add(s, index);
}

void schedule_hurry(struct schedule *s, size_t index, int64_t now_ns)
{
    struct slot *slot = &s->slots[index];
    if (slot->is_in_flight) {
        slot->is_hurried = true;
    } else if (slot->due_ns > now_ns) {
        slot->due_ns = now_ns;
        heap_up(s, heap_of(s, index), slot->position);
    }
}

void schedule_count(const struct schedule *s, int64_t now_ns,
                    struct schedule_counts *ret)
{
    *ret = (struct schedule_counts){ .in_flight = s->in_flight,
                                     .silent =
                                         s->heaps[SILENT].count + s->silent_in_flight };
    for (size_t i = 0; i < HEAPS; i++)
        if (s->heaps[i].count > 0) {
            int64_t behind_ns = now_ns - s->slots[s->heaps[i].items[0]].due_ns;
            ret->behind_ns = behind_ns > ret->behind_ns ? behind_ns : ret->behind_ns;
        }
}
