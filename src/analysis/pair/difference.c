/* SPDX-License-Identifier: Apache-2.0 */
/* difference - in what two runs differ, the most unusual first. */
#include "analysis/pair/difference.h"

#include "analysis/stats/stats.h"
#include "base/cleanup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR_COUNTER 0.05    /* of what is counted: nearly nothing */
#define FLOOR_PROCESSES 0.01  /* no run has 1 process more by chance */
#define FLOOR_TIMED_SHARE 0.1 /* at the default floor; it goes with the floor */
#define SCORE_PROGRAM 100.0   /* alike runs are of one program by definition */
#define DISTANCE_NOTHING 20.0 /* between nothing and something: e^20 times */
#define PAIRS_QUANTILE 0.95
#define REPEATED_MAX 1.1 /* times the distance of another measure */
#define PAIRS_MAX ((size_t)1 << 20)

void difference_floors(double timed, double *floors)
{
    double share = FLOOR_TIMED_SHARE * timed / DIFFERENCE_FLOOR_DEFAULT;
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++) {
        const struct profile_term *term = profile_term((enum profile_measure)i);
        floors[i] = FLOOR_COUNTER;
        if (term->is_timed)
            floors[i] = term->scale == PROFILE_SHARE ? share : log1p(timed);
    }
    floors[PROFILE_PROCESSES] = FLOOR_PROCESSES;
}

double difference_distance(enum profile_measure measure, const struct profile *a,
                           const struct profile *b)
{
    const struct profile_term *term = profile_term(measure);
    double x = a->values[measure];
    double y = b->values[measure];
    if (isnan(x) || isnan(y))
        return NAN;
    if (term->scale == PROFILE_SHARE)
        return fabs(y - x);
    if (x == y)
        return 0;
    if (!(x > 0 && y > 0))
        return DISTANCE_NOTHING;
    double distance = fabs(log(y / x));
    double processes = log(b->values[PROFILE_PROCESSES] / a->values[PROFILE_PROCESSES]);
    if (term->scale == PROFILE_AMOUNT && isfinite(processes))
        distance = fmin(distance, fabs(log(y / x) - processes));
    return distance;
}

int difference_floors_measure(const struct profile *alike, size_t count, double *floors)
{
    if (count < DIFFERENCE_ALIKE_MIN)
        return -EINVAL;
    while (count * (count - 1) / 2 > PAIRS_MAX)
        count--;
    double *pairs = calloc(count * (count - 1) / 2, sizeof *pairs);
    if (!pairs)
        return -ENOMEM;
    double least[PROFILE_MEASURE_COUNT];
    difference_floors(FLOOR_COUNTER, least);
    for (size_t m = 0; m < PROFILE_MEASURE_COUNT; m++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count; k++)
                pairs[n++] =
                    difference_distance((enum profile_measure)m, &alike[i], &alike[k]);
        n = numbers_sort(pairs, n);
        double usual = 2 * quantile(pairs, n, PAIRS_QUANTILE);
        floors[m] = usual > least[m] ? usual : least[m];
    }
    free(pairs);
    return 0;
}

static int rank_of(const struct difference *d)
{
    return d->is_effect ? 2 : d->is_because ? 1 : 0;
}

static int by_rank(const void *a, const void *b)
{
    const struct difference *x = a;
    const struct difference *y = b;
    if (rank_of(x) != rank_of(y))
        return rank_of(x) - rank_of(y);
    return (x->score < y->score) - (x->score > y->score);
}

static bool is_beyond(const double *scores, int measure)
{
    return measure >= 0 && scores[measure] > 1;
}

/* A layer's difference that one of the whole run already shows: as far apart, of the
 * same kind.  Metadata of the slowest process follows that of all. */
static bool is_repeated(const double *scores, const double *floors, size_t measure)
{
    const struct profile_term *term = profile_term((enum profile_measure)measure);
    double distance = scores[measure] * floors[measure];
    if (measure == PROFILE_META_RANK)
        return scores[PROFILE_META_SHARE] > 1;
    for (size_t i = 0; measure >= PROFILE_LAYER_FIRST && i < measure; i++) {
        const struct profile_term *other = profile_term((enum profile_measure)i);
        bool is_same_kind =
            (other->scale == PROFILE_SHARE) == (term->scale == PROFILE_SHARE) &&
            !other->is_timed;
        bool is_whole = i < PROFILE_LAYER_FIRST || other->family == term->family;
        if (is_same_kind && is_whole && scores[i] > 1 &&
            distance <= REPEATED_MAX * scores[i] * floors[i])
            return true;
    }
    return false;
}

void difference_find(const struct profile *a, const struct profile *b,
                     const double *floors, struct differences *ret)
{
    double scores[PROFILE_MEASURE_COUNT];
    memset(ret, 0, sizeof *ret);
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++) {
        scores[i] = difference_distance((enum profile_measure)i, a, b) / floors[i];
        ret->compared += !isnan(scores[i]);
    }
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++) {
        const struct profile_term *term = profile_term((enum profile_measure)i);
        if (!(scores[i] > 1) || is_repeated(scores, floors, i))
            continue;
        ret->items[ret->count++] = (struct difference){
            .name = term->name,
            .label = term->label,
            .unit = term->unit,
            .family = term->family,
            .a = a->values[i],
            .b = b->values[i],
            .distance = scores[i] * floors[i],
            .floor = floors[i],
            .score = scores[i],
            .is_ratio = term->scale != PROFILE_SHARE,
            .is_effect = term->is_effect,
            .is_because = is_beyond(scores, term->because),
        };
    }
    ret->is_program = strcmp(a->program, b->program) != 0;
    if (ret->is_program)
        ret->items[ret->count++] = (struct difference){
            .name = "program",
            .label = "program",
            .unit = "",
            .family = "program",
            .a = NAN,
            .b = NAN,
            .distance = NAN,
            .floor = NAN,
            .score = SCORE_PROGRAM,
        };
    qsort(ret->items, ret->count, sizeof *ret->items, by_rank);
}
