/* SPDX-License-Identifier: Apache-2.0 */
/* plant - jobs that are put into the played file system on purpose, to tell stories.
 *
 *     DIR/events     plant JOB UID @START LENGTH NODE NODES MDT OST OSTS STEP BYTES
 *
 * A planted job has a process a node; process n writes a file of its own on OST + n mod
 * OSTS, BYTES at a time, every STEP.  Nodes lie behind those of the played jobs, job
 * numbers before theirs.  How long an access takes is a matter of the target: see
 * sim_access_s() in truth.h.
 */
#ifndef SIM_PLANT_H
#define SIM_PLANT_H

#include "work.h"

#include "base/span_type.h"

struct sim_plant {
    uint64_t number, uid;
    int64_t start_ns, length_ns;
    uint64_t first_node, node_count;
    uint64_t mdt, ost_first, ost_count;
    int64_t step_ns;
    uint64_t bytes; /* of an access */
};

/* Stories: what a planted job suffers from. */
enum sim_story {
    SIM_STORY_OWN,       /* small unaligned records on a quiet target */
    SIM_STORY_NEIGHBOUR, /* large ones; a neighbour hammers one of its eight targets */
    SIM_STORY_BOTH,      /* small ones, on the target that a neighbour hammers */
    SIM_STORY_COUNT,
};

const char *sim_story_name(enum sim_story story);

/* Errors: -EINVAL. */
int sim_plant_parse(struct span line, struct sim_plant *ret);

/* As sim_series_each(), of the planted jobs alone. */
int sim_plants_each(const struct sim *sim, const struct sim_target *target,
                    int64_t from_ns, int64_t to_ns, sim_series_fn *fn, void *arg);

/* The series of process n on the target that its file lies on, and on the MDT. */
void sim_plant_series(const struct sim_plant *plant, enum sim_kind kind, uint64_t n,
                      struct sim_series *ret);
/* Index of the OST that process n writes to. */
uint64_t sim_plant_ost(const struct sim *sim, const struct sim_plant *plant,
                       uint64_t n);

/* NULL: there is no such job. */
const struct sim_plant *sim_plant_find(const struct sim *sim, uint64_t number);

/* Plant a story's job, and its neighbour, where the played jobs leave targets quiet
 * in that time.  Prints what was planted.  number: of the job; its neighbour has the
 * next one. */
int sim_story_plant(const struct sim *sim, enum sim_story story, uint64_t number,
                    int64_t start_ns, int64_t length_ns, struct err *err);

#endif
