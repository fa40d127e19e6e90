/* SPDX-License-Identifier: Apache-2.0 */
/* failure_report - failures, repairs and availability of classes of components, and of
 * the worst of each, out of statements in their order.
 *
 *     history, by component, source, time ─┐
 *     what holds, by component, source ────┴▶ timeline of each ─▶ sums of its class
 *                                                               └▶ the worst so many
 *
 * What holds is for those of which the history has nothing: it was stated before the
 * history begins.  A failure counts where it was stated: that a part makes its host
 * degraded is no second one, of the host.  Parts of a host that presence states silent
 * are unknown where they were up.
 *
 * Bounds   FAILURE_CLASSES_MAX classes, the rest are "other"; those of
 *          failure_stats.h.
 * Threads  none inside.
 */
#ifndef ANALYSIS_RELIABILITY_FAILURE_REPORT_H
#define ANALYSIS_RELIABILITY_FAILURE_REPORT_H

#include "analysis/reliability/component_class.h"
#include "analysis/reliability/failure_stats.h"

#define FAILURE_CLASSES_MAX 128

struct failure_class {
    char name[COMPONENT_CLASS_SIZE];
    struct failure_stats stats;
    struct failure_worst_list worst;
};

struct failure_report_opts {
    int64_t from_ns, to_ns;
    size_t worst; /* of each class, at most FAILURE_WORST_MAX */
    /* Is it one to be reported?  NULL: all. */
    bool (*wants)(void *arg, struct span path, const char *class_name);
    /* Is it an enclosure, by the configuration?  NULL: none. */
    bool (*is_enclosure)(void *arg, struct span path);
    void *arg;
};

struct failure_report;

/* Errors: -ENOMEM. */
int failure_report_new(const struct failure_report_opts *opts,
                       struct failure_report **ret);
void failure_report_free(struct failure_report *report);
DEFINE_AUTO(struct failure_report, failure_report_free);

/* First all that holds, then the history, each by component, source and time; texts are
 * copied.  Errors: -ENOMEM. */
int failure_report_hold(struct failure_report *report,
                        const struct resource_statement *statement);
int failure_report_add(struct failure_report *report,
                       const struct resource_statement *statement);
/* All that follows is of other components, and may come in another order than after
 * those before.  Errors: -ENOMEM. */
int failure_report_flush(struct failure_report *report);
/* After the last flush: classes by name. */
void failure_report_finish(struct failure_report *report);

size_t failure_report_count(const struct failure_report *report);
const struct failure_class *failure_report_at(const struct failure_report *report,
                                              size_t index);
/* Components that are in "other" since their classes are too many. */
uint64_t failure_report_others(const struct failure_report *report);
/* The memory that it has. */
size_t failure_report_bytes(const struct failure_report *report);

#endif
