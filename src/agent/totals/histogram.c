/* SPDX-License-Identifier: Apache-2.0 */
/* histogram - brw_stats from one reading to the next, as quantiles of what came. */
#include "agent/totals/histogram.h"

#include "base/number.h"
#include "base/span.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS_MAX 64
#define HISTOGRAMS_MAX 2048

/* One part of one target's brw_stats. */
struct histogram {
    struct histogram *next;
    size_t part; /* of parts[] */
    bool has_before;
    size_t count;
    double at[BUCKETS_MAX];
    uint64_t before[BUCKETS_MAX][2], now[BUCKETS_MAX][2]; /* read, write */
    char target[];
};

static const struct {
    const char *heading, *name;
} parts[] = {
    { "disk I/O size", "io_bytes" },
    { "I/O time (1/1000s)", "io_ms" },
    { "disk I/Os in flight", "io_in_flight" },
    { "pages per bulk r/w", "bulk_pages" },
};

/* "256", "4K", "1M"; also with a colon. */
static bool parse_bucket(struct span text, double *ret)
{
    uint64_t number;
    double unit = 1;
    if (span_ends(text, ":"))
        text.size--;
    if (span_ends(text, "K"))
        unit = 1024;
    else if (span_ends(text, "M"))
        unit = 1024 * 1024;
    text.size -= unit > 1;
    if (number_parse_u64(text, &number) < 0)
        return false;
    *ret = (double)number * unit;
    return true;
}

static struct histogram *histogram_of(struct histograms *all, struct span target,
                                      size_t part)
{
    struct histogram *h = all->first;
    while (h && (h->part != part || !span_is(target, h->target)))
        h = h->next;
    if (h || all->count == HISTOGRAMS_MAX)
        return h;
    h = calloc(1, sizeof *h + target.size + 1);
    if (!h)
        return NULL;
    h->part = part;
    memcpy(h->target, target.data, target.size);
    h->next = all->first;
    all->first = h;
    all->count++;
    return h;
}

void histograms_add(struct histograms *all, const struct lustre_total *total)
{
    const struct lustre_reading *r = &total->reading;
    size_t part = 0, i = 0;
    double at;
    while (part < COUNT_OF(parts) && !span_is(r->name, parts[part].heading))
        part++;
    if (part == COUNT_OF(parts) || !parse_bucket(r->bucket, &at))
        return;
    struct histogram *h = histogram_of(all, total->target, part);
    if (!h)
        return;
    while (i < h->count && h->at[i] != at)
        i++;
    if (i == BUCKETS_MAX)
        return;
    if (i == h->count) {
        h->at[h->count++] = at;
        h->before[i][0] = h->before[i][1] = 0;
    }
    h->now[i][0] = r->has & READING_READ ? r->read : 0;
    h->now[i][1] = r->has & READING_WRITE ? r->write : 0;
}

/* Buckets are printed in their order, but a new one may come between. */
static double quantile(const struct histogram *h, const uint64_t grown[BUCKETS_MAX],
                       uint64_t all, unsigned percent)
{
    uint64_t wanted = all / 100 * percent + all % 100 * percent / 100;
    double best = NAN;
    wanted += wanted == 0;
    for (size_t i = 0; i < h->count; i++) {
        uint64_t below = 0;
        for (size_t k = 0; k < h->count; k++)
            below += h->at[k] <= h->at[i] ? grown[k] : 0;
        if (below >= wanted && !(h->at[i] >= best))
            best = h->at[i];
    }
    return best;
}

static void emit_one(struct histogram *h, size_t direction, histogram_fn *fn, void *arg)
{
    static const struct {
        unsigned percent;
        const char *suffix[2];
    } quantiles[] = {
        { 50, { "_read_p50", "_write_p50" } },
        { 90, { "_read_p90", "_write_p90" } },
        { 99, { "_read_p99", "_write_p99" } },
    };
    uint64_t grown[BUCKETS_MAX], all = 0;
    for (size_t i = 0; i < h->count; i++) {
        uint64_t now = h->now[i][direction], before = h->before[i][direction];
        /* Counters that fell began anew. */
        grown[i] = now >= before ? now - before : now;
        all += grown[i];
        h->before[i][direction] = now;
    }
    if (!h->has_before || all == 0)
        return;
    for (size_t i = 0; i < COUNT_OF(quantiles); i++)
        fn(arg, span_of(h->target), parts[h->part].name, quantiles[i].suffix[direction],
           quantile(h, grown, all, quantiles[i].percent));
}

void histograms_emit(struct histograms *all, histogram_fn *fn, void *arg)
{
    for (struct histogram *h = all->first; h; h = h->next) {
        emit_one(h, 0, fn, arg);
        emit_one(h, 1, fn, arg);
        h->has_before = true;
    }
}

void histograms_done(struct histograms *all)
{
    for (struct histogram *h = all->first; h;) {
        struct histogram *next = h->next;
        free(h);
        h = next;
    }
    *all = (struct histograms){ 0 };
}
