/* SPDX-License-Identifier: Apache-2.0 */
/* window_runs - the runs that began in a window, each among the others of its class. */
#include "analysis/climate/window_runs.h"

#include <errno.h>
#include <stdlib.h>

static bool is_inside(const struct run *run, int64_t from_ns, int64_t to_ns)
{
    return run->t_ns >= from_ns && run->t_ns < to_ns;
}

static void judge(struct window_runs *window, const struct percentile *among)
{
    double slower = percentile_share(among);
    if (among->count < PERCENTILE_OTHERS_MIN)
        return;
    window->judged++;
    window->slow += slower < 0.25;
    window->fast += slower > 0.75;
}

static int set_add(struct window_runs *window, const struct runs *all,
                   const struct run_set *set, int64_t from_ns, int64_t to_ns)
{
    const struct run *runs = &all->runs[set->first];
    AUTO_FREE double *others = reallocarray(NULL, set->count + 1, sizeof *others);
    size_t count = 0;
    if (!others)
        return -ENOMEM;
    for (size_t i = 0; i < set->count; i++)
        if (!is_inside(&runs[i], from_ns, to_ns))
            others[count++] = runs[i].fraction;
    if (count == set->count)
        return 0; /* none of it is of the window */
    count = numbers_sort(others, count);
    for (size_t i = 0; i < set->count; i++) {
        if (!is_inside(&runs[i], from_ns, to_ns))
            continue;
        struct percentile among = percentile_of(others, count, runs[i].fraction);
        window->runs[window->count++] =
            (struct window_run){ set->name, &runs[i], among };
        judge(window, &among);
    }
    return 0;
}

int window_runs_make(const struct runs *runs, int64_t from_ns, int64_t to_ns,
                     struct window_runs *ret)
{
    AUTO(window_runs_done) struct window_runs window = { 0 };
    int rc = 0;
    window.runs = calloc(runs->count + 1, sizeof *window.runs);
    if (!window.runs)
        return -ENOMEM;
    for (size_t i = 0; rc == 0 && i < runs->set_count; i++)
        rc = set_add(&window, runs, &runs->sets[i], from_ns, to_ns);
    if (rc < 0)
        return rc;
    *ret = window;
    window = (struct window_runs){ 0 };
    return 0;
}

void window_runs_done(struct window_runs *window)
{
    free(window->runs);
    *window = (struct window_runs){ 0 };
}
