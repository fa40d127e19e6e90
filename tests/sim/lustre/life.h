/* SPDX-License-Identifier: Apache-2.0 */
/* life - from the creation of an entry on a server to its removal there.
 *
 *      mount ──┤ event event event      idle      event event ...   ├── unmount
 *               └──── life ─────────────────┘     └──── life ───────┘
 *                     removed by a scan: more than the cleanup interval after
 * the last event; scans come every half interval
 *
 * Counters grow only within one life; a move to another server ends all lives.
 */
#ifndef SIM_LIFE_H
#define SIM_LIFE_H

#include "work.h"

struct sim_life {
    const struct sim_mount *mount;
    uint64_t base, count; /* its events are base+1 .. count of the series */
    int64_t start_ns;     /* its first event */
    int64_t last_ns;      /* its last event so far */
};

/* The life that stands in the target's list at t_ns; false: none does. */
bool sim_life_at(const struct sim *sim, const struct sim_target *target,
                 const struct sim_series *s, int64_t t_ns, struct sim_life *ret);

/* Every life that began by until_ns, with what it had counted by then, in
 * order. */
typedef int sim_life_fn(void *arg, const struct sim_series *s,
                        const struct sim_life *life);
int sim_lives_each(const struct sim *sim, const struct sim_target *target,
                   const struct sim_series *s, int64_t until_ns, sim_life_fn *fn,
                   void *arg);

#endif
