/* SPDX-License-Identifier: Apache-2.0 */
/* job_pair - in what two runs differ. */
#include "analysis/pair/job_pair.h"

#include "analysis/climate/climate.h"
#include "analysis/stats/stats.h"

void job_pair_done(struct job_pair *pair)
{
    job_comparison_done(&pair->comparison);
}

void job_pair_floor(struct job_pair *pair, double timed)
{
    difference_floors(timed, pair->floors);
}

int job_pair_floor_alike(struct job_pair *pair, const struct profile *alike,
                         size_t count, struct err *err)
{
    if (count < DIFFERENCE_ALIKE_MIN || count > JOB_PAIR_ALIKE_MAX)
        return err_set(err, EINVAL, "%zu runs are not in %d..%d", count,
                       DIFFERENCE_ALIKE_MIN, JOB_PAIR_ALIKE_MAX);
    int rc = difference_floors_measure(alike, count, pair->floors);
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    pair->alike_count = count;
    return 0;
}

int job_pair_floor_class(struct job_pair *pair, struct err *err)
{
    AUTO(floors_done) struct floors floors = { 0 };
    const struct job_comparison *c = &pair->comparison;
    if (!c->has_climate || !c->climate.set)
        return 0;
    if (floors_make(&c->runs, &floors) < 0)
        return err_set(err, ENOMEM, "out of memory");
    const struct floor *floor = floors_find(&floors, c->climate.set);
    if (!floor)
        return 0;
    difference_floors(floor_timed(floor), pair->floors);
    pair->set = floor == &floors.all ? "all classes" : c->climate.set;
    pair->pairs = floor->any.pairs;
    return 0;
}

/* Of a climate with so few others nothing is known. */
static const struct job_climate *climate_of(const struct job_comparison *c)
{
    bool is_enough =
        c->has_climate && c->climate.set && c->climate.others >= PERCENTILE_OTHERS_MIN;
    return is_enough ? &c->climate : NULL;
}

void job_pair_compare(struct job_pair *pair)
{
    difference_find(&pair->runs[0], &pair->runs[1], pair->floors, &pair->found);
    contrast_make(&pair->found, climate_of(&pair->comparison), &pair->contrast);
}
