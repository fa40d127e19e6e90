/* SPDX-License-Identifier: Apache-2.0 */
/* part_compare - a report of a host's parts against what is stored; private to records.
 *
 *     report ─▶ each part: there before? ─▶ stays (firmware, errors)
 *                   │ no: where it was, by its number ─▶ moved, returned, duplicate,
 * ... stored ─▶ each place that the report has not ─▶ gone, replaced
 *
 * Nothing is stored: places and others have is_changed, changes what happened.
 * All memory is of the arena.  Threads  the writer's.
 */
#ifndef RECORDS_INVENTORY_PART_COMPARE_H
#define RECORDS_INVENTORY_PART_COMPARE_H

#include "base/hashmap.h"
#include "records/inventory/stay_list.h"

struct change_list {
    struct part_change *changes;
    size_t count, capacity;
};

struct part_compare {
    /* Set by the caller: */
    struct arena *arena;
    struct records_reader *reader;
    const struct node_inventory *report;
    struct stay_list stays; /* of the host, as stored; with those that are new */
    /* Results: */
    struct stay_list others; /* of other hosts, that change */
    struct change_list changes;
    int64_t last_ns; /* of the report before; 0: there was none */
    /* Within: */
    struct span *ids;         /* of each part of the report */
    struct hashmap id_counts; /* of a part's id: how many parts of the report have it */
    struct hashmap there;     /* part and slot: its place, where it was until now */
    struct hashmap arrived;   /* class and slot: the part of the report + 1 */
};

/* Sets last_ns.  Errors: -ENOMEM. */
int part_compare_begin(struct part_compare *in);
/* After that.  Errors: -ENOMEM, as in records.h. */
int part_compare_run(struct part_compare *in, struct err *err);
void part_compare_done(struct part_compare *in);
DEFINE_AUTO_DONE(struct part_compare, part_compare_done);

#endif
