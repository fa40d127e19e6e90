/* SPDX-License-Identifier: Apache-2.0 */
/* inventory - parts of nodes: where each is, where it was, and what became of it.
 *
 *     report of a host ─▶ against what is stored of that host, and of each part that
 *                         is not where it was: places and changes, in one transaction
 *
 * A part is recognised by its class and serial number; without one that is an identity
 * (it begins with '@', or is no number: part_serial_is_identity) it is what sits in its
 * slot.  A part that another host reports later has moved there, although the host that
 * had it has not reported since, where that can be so.  Where both have it, it is no
 * identity: both places are marked as of a duplicate number, until one is gone.
 *
 *     at n1 since 09:00, seen 10:00; n2 reports it at 11:00
 *       n2 was started at 10:30                           it moved to n2
 *       n2 was started at 09:30, or that is not known:    duplicate
 *       it can be put in only while a node is off
 *       it can be put in at any time (part_class_is_hot)  it moved to n2
 *       n2's report is of 09:50                           duplicate
 *       n1 reports it at 12:00, never having reported     duplicate; but moved back
 *       without it                                        where n1 was started since
 */
#ifndef RECORDS_INVENTORY_INVENTORY_H
#define RECORDS_INVENTORY_INVENTORY_H

#include "records/jobs.h"
#include "records/tables/tables.h"

/* Of one host, with those that parts of it had before. */
#define RECORDS_STAYS_OF_HOST_MAX ((size_t)10000)
/* That one part was at; more are not read. */
#define RECORDS_STAYS_OF_PART_MAX ((size_t)1000)
#define RECORDS_INVENTORIES_MAX ((size_t)1000)

/* Less is refused: what comes at such a pace is no change of parts. */
#define RECORDS_INVENTORY_DISTANCE_NS (10 * NS_PER_S)

/* Each report in a durable transaction of its own.  One that is not later than the last
 * of its host changes nothing: so what is sent again does not.  Refused: what
 * node_inventory_check() refuses, a time still to come, older than retention_jobs, less
 * than RECORDS_INVENTORY_DISTANCE_NS after the last of its host, more than
 * host_bounds.h has.  Of a host with more than RECORDS_STAYS_OF_HOST_MAX the oldest
 * that are gone are deleted; where that does not suffice it is refused.  Errors: as in
 * records.h; reports before the one that failed are stored. */
int records_put_inventories(struct records *records,
                            const struct node_inventory *reports, size_t count,
                            int64_t now_ms, struct records_submission *ret,
                            struct err *err);

struct records_inventory_stats {
    uint64_t changes_dropped; /* over the bound of a host and day */
    uint64_t stays_pruned;    /* of hosts that had too many */
};
/* Threads  any. */
void records_inventory_stats(const struct records *records,
                             struct records_inventory_stats *ret);

struct part_filter {
    struct span cluster;         /* data NULL: any */
    const struct hostset *hosts; /* NULL: any; of changes the host after it */
    struct span class_name;      /* data NULL: any */
    struct span serial;          /* as it was reported; data NULL: any */
    enum { PARTS_THERE, PARTS_EVER } which;
    size_t limit; /* 0: all */
};

/* place is valid during the call. */
typedef int records_part_stay_fn(void *arg, const struct part_stay *stay);
typedef int records_part_change_fn(void *arg, const struct part_change *change);

/* By cluster, host, class and slot.  Errors: as in records.h, also for a database of
 * before there were such rows (barod migrates it when it starts). */
int records_find_parts(struct records_reader *reader, const struct part_filter *filter,
                       records_part_stay_fn *fn, void *arg, bool *ret_has_more,
                       struct err *err);
/* The newest first. */
int records_find_part_changes(struct records_reader *reader,
                              const struct part_filter *filter,
                              records_part_change_fn *fn, void *arg, bool *ret_has_more,
                              struct err *err);

#endif
