/* SPDX-License-Identifier: Apache-2.0 */
/* work - what jobs do: for every entry the moments at which it does something.
 *
 *      start        start + period                           end
 *        │ jitter      │ jitter                                │
 *        ├──▶|||||||   ├────▶|||||||     ...                   ┤
 *             burst_events, step_ns apart
 *
 * Event n (from 1) of a series stands at series_event_time(n), and what was
 * counted after n events is a closed form of n: the state of any entry at any
 * time costs a few divisions, and counters over a life are differences of two
 * such numbers.
 */
#ifndef SIM_WORK_H
#define SIM_WORK_H

#include "site.h"

#define SIM_ID_BYTES_MAX 31 /* Lustre cuts here */

/* Of every `every` events one counts `samples` of the operation. */
struct sim_rule {
    uint32_t every, samples; /* every 0: never */
};

struct sim_profile {
    const char *name;
    struct sim_rule rules[SIM_KIND_COUNT][SIM_OP_COUNT];
};

struct sim_series {
    char id[SIM_ID_BYTES_MAX + 1];
    size_t id_size;
    const struct sim_profile *profile;
    enum sim_kind kind;
    int64_t start_ns, end_ns; /* events stand in [start, end) */
    int64_t period_ns, step_ns;
    int64_t jitter_ns; /* a burst begins up to this much late */
    uint64_t burst_events;
    uint64_t seed;
    uint64_t large_bytes; /* of seven I/Os in eight; the eighth has 4 KiB */
    bool is_even;         /* all I/Os have large_bytes */
};

/* How many events stand at or before t_ns. */
uint64_t sim_series_events(const struct sim_series *s, int64_t t_ns);
int64_t sim_series_event_time(const struct sim_series *s, uint64_t n);

struct sim_stat {
    uint64_t samples, min, max, sum, sumsq;
    uint64_t small; /* I/Os of 4 KiB among them */
};

/* "r01c01": racks of 48. */
#define SIM_NODE_SIZE 24
void sim_node_name(uint64_t node, char out[static SIM_NODE_SIZE]);

/* What events base+1 .. count of the series counted for op. */
void sim_series_stat(const struct sim_series *s, enum sim_op op, uint64_t base,
                     uint64_t count, struct sim_stat *ret);

/* Every series that may have an entry on target at some time in [from, to]. The
 * order is always the same.  An identifier may come back in a later series.  A
 * negative return of fn ends it and is returned. */
typedef int sim_series_fn(void *arg, const struct sim_series *s);
int sim_series_each(const struct sim *sim, const struct sim_target *target,
                    int64_t from_ns, int64_t to_ns, sim_series_fn *fn, void *arg);

#endif
