/* SPDX-License-Identifier: Apache-2.0 */
/* phase_segments - a run cut where its series change. */
#include "analysis/footprint/phase_segments.h"

#include "analysis/footprint/job_phases.h"
#include "analysis/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Noise is at least this part of the greatest level: what has none is no oracle. */
#define NOISE_SHARE_MIN 0.03
/* In greatest levels; a value that is farther off counts as one that is so far. */
#define LEVELS_MAX 10.0
#define DEVIATION_OF_MAD 1.4826
/* At the border: this part of the shorter segment to each side of it. */
#define BORDER_SHARE 4
#define BORDER_JUMP_MIN 0.5 /* of the whole difference */
#define BACK_SHARE 0.5
#define LEVEL_SHARE_MIN 0.7
#define SHORT_LENGTHS 2 /* times the least length */
/* Below what differs by any of its series. */
#define SCORE_SIMILAR (-1000.0)

struct cutting {
    struct phase_cut *cut;
    double *space;   /* a number each column */
    double *noise;   /* [series * columns + column] */
    double *medians; /* [segment * series_count + series] */
    double *spreads; /* likewise: the deviation within it */
    double *scores;  /* of a segment and the one after it */
};

double phase_median(const double *series, size_t from, size_t to, double *space)
{
    size_t count = 0;
    for (size_t i = from; i < to; i++)
        if (isfinite(series[i]))
            space[count++] = series[i];
    return numbers_median(space, count);
}

static size_t length_min_of(size_t columns)
{
    size_t length = (size_t)ceil(PHASE_SHARE_MIN * (double)columns);
    return length > PHASE_WINDOWS_MIN ? length : PHASE_WINDOWS_MIN;
}

/* The greatest median of so many columns after each other. */
static double top_of(const struct cutting *c, const double *series)
{
    size_t columns = c->cut->columns, length = length_min_of(columns);
    double top = 0;
    for (size_t at = 0; at == 0 || at + length <= columns; at++) {
        size_t to = at + length < columns ? at + length : columns;
        top = fmax(top, fabs(phase_median(series, at, to, c->space)));
    }
    return top;
}

/* ---- the first cut ---- */

/* In units of the greatest level, around the median. */
static void series_scale(const struct cutting *c, size_t i, double *ret)
{
    const double *series = c->cut->series[i];
    size_t columns = c->cut->columns;
    double top = c->cut->tops[i];
    double middle = phase_median(series, 0, columns, c->space);
    change_smooth(series, columns, ret);
    for (size_t w = 0; w < columns; w++)
        ret[w] = isnan(ret[w])
                     ? NAN
                     : fmax(-LEVELS_MAX, fmin(LEVELS_MAX, (ret[w] - middle) / top));
}

/* Series that never leave 0 are left out. */
static int segments_find(struct cutting *c)
{
    struct phase_cut *cut = c->cut;
    size_t columns = cut->columns, used = 0, of_all = cut->series_count * columns + 1;
    AUTO_FREE double *numbers = calloc(2 * of_all, sizeof *numbers);
    AUTO_FREE struct change_series *scaled =
        calloc(cut->series_count + 1, sizeof *scaled);
    AUTO_FREE size_t *starts = calloc(columns + 1, sizeof *starts);
    if (!numbers || !scaled || !starts)
        return -ENOMEM;
    for (size_t i = 0; i < cut->series_count; i++) {
        double *values = numbers + i * columns, *noise = numbers + of_all + i * columns;
        if (!(cut->tops[i] > 0))
            continue;
        series_scale(c, i, values);
        for (size_t w = 0; w < columns; w++)
            noise[w] = c->noise[i * columns + w] / cut->tops[i];
        scaled[used++] = (struct change_series){ values, noise };
    }
    int count =
        change_points_find(scaled, used, columns, length_min_of(columns), starts);
    if (count < 0)
        return count;
    cut->segment_count = (size_t)count;
    for (size_t i = 0; i < cut->segment_count; i++)
        cut->segments[i] = (struct phase_segment){ starts[i], i + 1 < cut->segment_count
                                                                  ? starts[i + 1]
                                                                  : columns };
    return 0;
}

/* ---- what differs too little is joined ---- */

static void segment_measure(const struct cutting *c, size_t at)
{
    const struct phase_segment *s = &c->cut->segments[at];
    for (size_t i = 0; i < c->cut->series_count; i++) {
        const double *series = c->cut->series[i];
        double median = phase_median(series, s->from, s->to, c->space);
        size_t count = 0;
        for (size_t w = s->from; w < s->to; w++)
            if (isfinite(series[w]))
                c->space[count++] = fabs(series[w] - median);
        c->medians[at * c->cut->series_count + i] = median;
        double spread = DEVIATION_OF_MAD * numbers_median(c->space, count);
        double noise =
            phase_median(c->noise + i * c->cut->columns, s->from, s->to, c->space);
        c->spreads[at * c->cut->series_count + i] = fmax(spread, noise);
    }
}

static size_t segment_length(const struct phase_segment *s)
{
    return s->to - s->from;
}

/* By how much a series jumps at the border itself. */
static double border_jump(const struct cutting *c, const double *series,
                          const struct phase_segment *a, const struct phase_segment *b)
{
    size_t shorter =
        segment_length(a) < segment_length(b) ? segment_length(a) : segment_length(b);
    size_t near = shorter / BORDER_SHARE;
    if (near < PHASE_WINDOWS_MIN)
        near = shorter < PHASE_WINDOWS_MIN ? shorter : PHASE_WINDOWS_MIN;
    return phase_median(series, b->from, b->from + near, c->space) -
           phase_median(series, a->to - near, a->to, c->space);
}

/* By which part of its greatest level a series differs; NaN: that is not known. */
static double part_between(const struct cutting *c, size_t a, size_t b, size_t series)
{
    size_t n = c->cut->series_count;
    double top = c->cut->tops[series];
    return top > 0 ? (c->medians[b * n + series] - c->medians[a * n + series]) / top
                   : NAN;
}

static bool is_over_noise(const struct cutting *c, size_t a, size_t b, size_t series,
                          double part)
{
    size_t n = c->cut->series_count;
    double noise = fmax(c->spreads[a * n + series], c->spreads[b * n + series]);
    return fabs(part) * c->cut->tops[series] >= PHASE_NOISE_MIN * noise;
}

/* The part of a segment that is nearer to its own level than to the other's: a few
 * bursts are no level. */
static double level_share(const struct cutting *c, size_t at, size_t other,
                          size_t series)
{
    const struct phase_segment *s = &c->cut->segments[at];
    double own = c->medians[at * c->cut->series_count + series];
    double there = c->medians[other * c->cut->series_count + series];
    size_t known = 0, near = 0;
    for (size_t w = s->from; w < s->to; w++) {
        double value = c->cut->series[series][w];
        known += isfinite(value);
        near += isfinite(value) && fabs(value - own) < fabs(value - there);
    }
    return known > 0 ? (double)near / (double)known : 0;
}

enum clearness { UNCLEAR, CLEAR_TO_SOME, CLEAR_TO_ALL };

/* Whether a series differs between a segment and the next one; CLEAR_TO_ALL: in all
 * values of the shorter one. */
static enum clearness clearness_of(const struct cutting *c, size_t at, size_t series,
                                   double part)
{
    double top = c->cut->tops[series];
    if (fabs(part) < PHASE_EFFECT_MIN || !is_over_noise(c, at, at + 1, series, part))
        return UNCLEAR;
    double jump = border_jump(c, c->cut->series[series], &c->cut->segments[at],
                              &c->cut->segments[at + 1]);
    double here = level_share(c, at, at + 1, series);
    double next = level_share(c, at + 1, at, series);
    if (!(jump / top / part >= BORDER_JUMP_MIN) || fmin(here, next) < LEVEL_SHARE_MIN)
        return UNCLEAR;
    bool is_shorter = segment_length(&c->cut->segments[at]) <
                      segment_length(&c->cut->segments[at + 1]);
    return (is_shorter ? here : next) < 1 ? CLEAR_TO_SOME : CLEAR_TO_ALL;
}

/* A short segment may be a few bursts: where it is not clear in all of its values
 * another series has to show the same. */
static size_t votes_needed(const struct cutting *c, size_t at)
{
    const struct phase_segment *s = c->cut->segments;
    size_t shorter = segment_length(&s[at]) < segment_length(&s[at + 1])
                         ? segment_length(&s[at])
                         : segment_length(&s[at + 1]);
    return shorter < SHORT_LENGTHS * length_min_of(c->cut->columns) ? 2 : 1;
}

/* How much a segment and the next one differ: from 0 on they do. */
static double score_of(const struct cutting *c, size_t at)
{
    double best = 0, most = 0;
    size_t votes = 0, enough = votes_needed(c, at);
    for (size_t i = 0; i < c->cut->series_count; i++) {
        double part = part_between(c, at, at + 1, i);
        if (isnan(part))
            continue;
        most = fmax(most, fabs(part));
        enum clearness clear = clearness_of(c, at, i, part);
        if (clear != UNCLEAR)
            best = fmax(best, fabs(part));
        votes += clear == CLEAR_TO_ALL ? enough : clear == CLEAR_TO_SOME;
    }
    return votes >= enough ? best : SCORE_SIMILAR + fmin(most, -SCORE_SIMILAR / 2);
}

/* The segment and the next one become one. */
static void segments_join(const struct cutting *c, size_t at)
{
    struct phase_cut *cut = c->cut;
    size_t n = cut->series_count;
    cut->segments[at].to = cut->segments[at + 1].to;
    for (size_t i = at + 1; i + 1 < cut->segment_count; i++) {
        cut->segments[i] = cut->segments[i + 1];
        memcpy(c->medians + i * n, c->medians + (i + 1) * n, n * sizeof *c->medians);
        memcpy(c->spreads + i * n, c->spreads + (i + 1) * n, n * sizeof *c->spreads);
        c->scores[i] = c->scores[i + 1];
    }
    cut->segment_count--;
    segment_measure(c, at);
    if (at > 0)
        c->scores[at - 1] = score_of(c, at - 1);
    if (at + 1 < cut->segment_count)
        c->scores[at] = score_of(c, at);
}

static void similar_join(const struct cutting *c)
{
    struct phase_cut *cut = c->cut;
    for (size_t i = 0; i < cut->segment_count; i++)
        segment_measure(c, i);
    for (size_t i = 0; i + 1 < cut->segment_count; i++)
        c->scores[i] = score_of(c, i);
    while (cut->segment_count > 1) {
        size_t least = 0;
        for (size_t i = 1; i + 1 < cut->segment_count; i++)
            if (c->scores[i] < c->scores[least])
                least = i;
        if (c->scores[least] >= 0)
            return;
        segments_join(c, least);
    }
}

/* ---- groups ---- */

/* The segment is nearer to the one before the last than to the last. */
static bool is_back(const struct cutting *c, size_t at)
{
    for (size_t i = 0; i < c->cut->series_count; i++) {
        double limit =
            fmax(PHASE_EFFECT_MIN, BACK_SHARE * fabs(part_between(c, at - 1, at, i)));
        double part = part_between(c, at - 2, at, i);
        if (fabs(part) >= limit && is_over_noise(c, at - 2, at, i, part))
            return false;
    }
    return true;
}

/* The first segment that does not go on with the alternation that begins there. */
static size_t alternating_end(const struct cutting *c, size_t first)
{
    size_t end = first + 2;
    while (end < c->cut->segment_count && is_back(c, end))
        end++;
    return end;
}

static void groups_make(const struct cutting *c)
{
    struct phase_cut *cut = c->cut;
    for (size_t i = 0; i < cut->segment_count;) {
        size_t end = alternating_end(c, i);
        if (end - i < PHASE_ALTERNATING_MIN)
            end = i + 1;
        cut->groups[cut->group_count++] = (struct phase_group){ i, end };
        i = end;
    }
}

/* Those at whose border least changes become one. */
static void groups_limit(const struct cutting *c, size_t group_max)
{
    struct phase_cut *cut = c->cut;
    while (cut->group_count > group_max) {
        size_t least = 0;
        for (size_t i = 1; i + 1 < cut->group_count; i++)
            if (c->scores[cut->groups[i].end - 1] <
                c->scores[cut->groups[least].end - 1])
                least = i;
        cut->groups[least].end = cut->groups[least + 1].end;
        cut->group_count--;
        for (size_t i = least + 1; i < cut->group_count; i++)
            cut->groups[i] = cut->groups[i + 1];
    }
}

/* A segment of length_min columns at least: there are columns / 3 at most. */
static int cut_alloc(struct cutting *c, struct arena *arena)
{
    struct phase_cut *cut = c->cut;
    size_t most = cut->columns / PHASE_WINDOWS_MIN + 2;
    size_t numbers = most * (cut->series_count + 1);
    cut->tops = arena_alloc(arena, (cut->series_count + 1) * sizeof *cut->tops);
    cut->segments = arena_alloc(arena, most * sizeof *cut->segments);
    cut->groups = arena_alloc(arena, most * sizeof *cut->groups);
    c->space = arena_alloc(arena, (cut->columns + 1) * sizeof *c->space);
    c->noise =
        arena_alloc(arena, (cut->series_count * cut->columns + 1) * sizeof *c->noise);
    c->medians = arena_alloc(arena, numbers * sizeof *c->medians);
    c->spreads = arena_alloc(arena, numbers * sizeof *c->spreads);
    c->scores = arena_alloc(arena, most * sizeof *c->scores);
    return cut->tops && cut->segments && cut->groups && c->space && c->noise &&
                   c->medians && c->spreads && c->scores
               ? 0
               : -ENOMEM;
}

int phase_cut_make(const double *const *series, size_t series_count, size_t columns,
                   size_t group_max, struct arena *arena, struct phase_cut *ret)
{
    struct phase_cut cut = { .series = series,
                             .series_count = series_count,
                             .columns = columns };
    struct cutting c = { .cut = &cut };
    int rc = cut_alloc(&c, arena);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < series_count; i++) {
        cut.tops[i] = top_of(&c, series[i]);
        change_noise(series[i], columns, NOISE_SHARE_MIN * cut.tops[i],
                     c.noise + i * columns);
    }
    rc = segments_find(&c);
    if (rc < 0)
        return rc;
    similar_join(&c);
    groups_make(&c);
    groups_limit(&c, group_max);
    *ret = cut;
    return 0;
}
