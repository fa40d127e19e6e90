/* SPDX-License-Identifier: Apache-2.0 */
/* dump - what stands in one target's job_stats at one time, in the kernel's
 * order.
 *
 * Up to 2.16 the kernel lets go of its list between two pieces of a read, so
 * that an entry may be missing from a dump or stand in it twice; which ones is
 * a function of the seed, the target and the time, and thus known to the
 * reference too.
 */
#ifndef SIM_DUMP_H
#define SIM_DUMP_H

#include "print.h"

struct sim_item {
    struct sim_series series;
    struct sim_life life;
};

struct sim_dump {
    struct sim_item *items;
    size_t count, capacity;
    uint64_t skipped, doubled;
};

/* Errors: -ENOMEM, -ENOENT (the target is not mounted at t_ns). */
int sim_dump_take(const struct sim *sim, const struct sim_target *target, int64_t t_ns,
                  struct sim_dump *ret);
void sim_dump_done(struct sim_dump *dump);
DEFINE_AUTO_DONE(struct sim_dump, sim_dump_done);

/* The whole text of job_stats, as the file has it. */
void sim_dump_print(struct strbuf *out, const struct sim *sim,
                    const struct sim_mount *mount, const struct sim_dump *dump);

#endif
