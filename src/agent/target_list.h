/* SPDX-License-Identifier: Apache-2.0 */
/* target_list - which targets a server has, and their job_cleanup_interval, out of what
 * get_param printed.
 *
 *     obdfilter.scratch-OST0001.job_stats                     (get_param -N)
 *     obdfilter.scratch-OST0001.job_cleanup_interval=600      (get_param)
 *
 * Threads  any: nothing is remembered.
 */
#ifndef AGENT_TARGET_LIST_H
#define AGENT_TARGET_LIST_H

#include "base/config.h"
#include "observe/observe.h"

/* Whether a target is of these file systems (patterns; NULL or empty: of any). */
bool target_is_wanted(const struct config_list *filesystems, struct span target);

/* The targets whose names stand in text, those of the wanted file systems only
 * (patterns; NULL or empty: all); *ret is the caller's to free, its names point into
 * text.  Errors: -ENOMEM. */
int target_list_parse(struct span text, const struct config_list *filesystems,
                      struct observe_listed **ret, size_t *ret_count);

struct target_cleanup {
    struct observe_listed target; /* its name points into the line */
    int64_t cleanup_ms;
};
/* The target of one line of cleanup intervals, whatever the interval is; its name
 * points into the line.  Errors: -EINVAL. */
int target_cleanup_name(struct span line, struct observe_listed *ret);
/* One line of cleanup intervals.  Errors: -EINVAL. */
int target_cleanup_parse(struct span line, struct target_cleanup *ret);
/* All lines of text into the targets that observe knows; fn (may be NULL) is
 * called for each of those. */
typedef void target_cleanup_fn(void *arg, struct observe_target *target);
void target_cleanup_apply(struct span text, struct observe *observe,
                          target_cleanup_fn *fn, void *arg);

#endif
