/* SPDX-License-Identifier: Apache-2.0 */
/* node_run - windows of one node that are out on the same side, one after another. */
#include "analysis/node/node_run.h"

/* One between two that are out may not be. */
enum { GAP_MAX = 1 };

/* 1: more than the others, -1: less, 0: not out. */
static int side_of(const struct node_score *score, double chance_max)
{
    if (!(score->chance < chance_max) && !score->is_apart)
        return 0;
    return score->deviations < 0 ? -1 : 1;
}

static bool run_close(const struct node_run *run, size_t run_min, struct node_run *ret)
{
    if (run->out == 0 || run->out < run_min)
        return false;
    *ret = *run;
    return true;
}

bool node_run_find(const struct node_score *scores, size_t count, double chance_max,
                   size_t run_min, struct node_run *ret)
{
    struct node_run run = { 0 };
    bool is_found = false;
    int side = 0;
    size_t compared = 0, quiet = 0; /* quiet: since the last of the run */
    for (size_t i = 0; i < count; i++) {
        if (scores[i].others == 0)
            continue;
        int now = side_of(&scores[i], chance_max);
        compared++;
        if (now != 0 && now == side) {
            run.last = i;
            run.out++;
            run.windows += quiet + 1;
            quiet = 0;
        } else if (now != 0 || (side != 0 && ++quiet > GAP_MAX)) {
            is_found |= run_close(&run, run_min, ret);
            run = (struct node_run){ i, i, now != 0, 1, compared == 1, false };
            side = now;
            quiet = 0;
        }
    }
    is_found |= run_close(&run, run_min, ret);
    size_t after = 0;
    for (size_t i = is_found ? ret->last + 1 : count; i < count; i++)
        after += scores[i].others > 0;
    if (is_found)
        ret->is_over = after > GAP_MAX;
    return is_found;
}
