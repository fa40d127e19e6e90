/* SPDX-License-Identifier: Apache-2.0 */
/* plan - how much each probe of a call writes, and whether it can end in time.
 *
 *     size ─────────────────────────┐
 *     peak of the file system × time ┼─▶ bytes ─▶ items of each process
 *     the shape's own size ─────────┘
 *     core-hours ÷ processes ─▶ deadline ─▶ what cannot end is not begun
 */
#ifndef PROBE_PLAN_H
#define PROBE_PLAN_H

#include "base/err.h"
#include "probe/shape.h"

#include <stddef.h>
#include <stdint.h>

#define PLAN_ID_BYTES 64

struct plan {
    unsigned processes;
    uint64_t size_bytes;     /* of each probe, over all processes; 0: not given */
    double peak_bytes_per_s; /* of the file system; 0: not known */
    int64_t measure_ns;      /* how long a phase is to last at the peak */
    int64_t deadline_ns;     /* clock_monotonic_ns; 0: none */
    const char *file_system; /* a name, for messages */
};

/* What each process writes of a shape, in items: of the size that was given; else of
 * what the file system writes at its peak in measure_ns; else of the shape's own size.
 */
uint64_t plan_items(const struct plan *plan, const struct shape *shape);

/* Errors: -ETIME (even at the peak of the file system it takes longer than is left). */
int plan_check(const struct plan *plan, const struct shape *shape, uint64_t items,
               int64_t now_ns, struct err *err);

/* When core-hours that begin at begin_ns are used up; 0 of them: 0, no deadline. */
int64_t plan_deadline_ns(int64_t begin_ns, double core_hours, unsigned processes);
double plan_core_hours(int64_t duration_ns, unsigned processes);

/* "20261121T010203Z-1234-hacc": sorts by time, and differs between processes. */
void plan_probe_id(char id[static PLAN_ID_BYTES], int64_t t_ns, long pid,
                   const struct shape *shape);

/* The shapes of these names, or all of them without a name; ret has space for
 * shape_count.  Errors: -EINVAL (a name that is none, or more than there are). */
int plan_choose(int name_count, char *const *names, const struct shape **ret,
                size_t *ret_count, struct err *err);

#endif
