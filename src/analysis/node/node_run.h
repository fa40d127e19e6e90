/* SPDX-License-Identifier: Apache-2.0 */
/* node_run - windows of one node that are out on the same side, one after another;
 * private to analysis/node. */
#ifndef ANALYSIS_NODE_NODE_RUN_H
#define ANALYSIS_NODE_NODE_RUN_H

#include "analysis/node/node_peers.h"

struct node_run {
    size_t first, last;  /* windows that are out */
    size_t out, windows; /* how many are out, of how many that were compared */
    bool is_longer;      /* no window before it was compared */
    bool is_over;        /* two were compared after it */
};

/* The latest run of at least run_min, among the scores of one node; others 0: the
 * window was not compared.  false: there is none. */
bool node_run_find(const struct node_score *scores, size_t count, double chance_max,
                   size_t run_min, struct node_run *ret);

#endif
