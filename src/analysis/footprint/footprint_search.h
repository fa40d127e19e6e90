/* SPDX-License-Identifier: Apache-2.0 */
/* footprint_search - what rules share: the grid of samples, hosts that are marked, and
 * findings on their way into a footprint; private to analysis/footprint. */
#ifndef ANALYSIS_FOOTPRINT_FOOTPRINT_SEARCH_H
#define ANALYSIS_FOOTPRINT_FOOTPRINT_SEARCH_H

#include "analysis/footprint/job_footprint.h"
#include "analysis/footprint/node_grid.h"

#define FOOTPRINT_WINDOWS_MIN 3 /* of less nothing is claimed */

struct footprint_search {
    const struct node_grid *grid;
    const struct footprint_job *job;
    struct arena *arena;
    struct footprint *ret;
    bool *marks; /* a host each */
    double length_s;
};

/* The hosts that are marked, as a set; NULL: out of memory. */
const char *footprint_hosts_text(const struct node_samples *samples,
                                 const bool *is_marked, struct arena *arena);

size_t footprint_marks_count(const struct footprint_search *search);
void footprint_marks_clear(struct footprint_search *search);
/* Unix time, at most the end of what was observed. */
int64_t footprint_window_start(const struct footprint_search *search, size_t window);
/* NULL: there is none. */
const struct node_samples_metric *footprint_metric_of(
    const struct footprint_search *search, enum metric_role role);
/* The median over the marked hosts, or over the others that work, of their medians. */
double footprint_median_of(const struct footprint_search *search, enum metric_role role,
                           bool of_marked, size_t window);
/* Whether so many windows are long enough to claim something of a job that goes on; of
 * one that is over always. */
bool footprint_is_settled(const struct footprint_search *search, size_t windows,
                          int64_t seconds_min);
/* Add a finding, which has its kind and numbers: its hosts are those that are marked.
 * Errors: -ENOMEM. */
int footprint_report(struct footprint_search *search, struct footprint_finding *finding,
                     enum metric_role role, size_t window);

#endif
