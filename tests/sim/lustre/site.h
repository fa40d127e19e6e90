/* SPDX-License-Identifier: Apache-2.0 */
/* site - the simulated file system: servers, targets, who serves what when.
 *
 *     DIR/sim.conf    key value        made by `baro-sim init`, never changed
 * after DIR/events      moves, upgrades  appended by `baro-sim move` and
 * `upgrade` DIR/journal     every dump that was served, and what was left out
 * of it
 *
 * Nothing else is kept anywhere: what a server prints is a function of these
 * two files and the time, so that the players need no process and survive any
 * kill.
 *
 * Units    times are nanoseconds since the epoch (suffix _ns).
 */
#ifndef SIM_SITE_H
#define SIM_SITE_H

#include "version.h"

#include "base/cleanup.h"
#include "base/err.h"

#include <limits.h>

#define SIM_NAME_SIZE 64
#define SIM_FOREVER INT64_MAX

struct sim_conf {
    char fsname[16];
    char version[32]; /* of every server, until an upgrade */
    uint64_t seed;
    uint64_t mdts, osts, mds, oss;
    uint64_t nodes, users, logins;
    uint64_t busy_percent; /* of job slots that hold a job */
    uint64_t rate_percent; /* of operations: 100 is a busy centre */
    uint64_t skip_ppm;     /* entries left out of one dump (up to 2.16) */
    uint64_t double_ppm;   /* entries that stand twice in one dump */
    uint64_t malformed_ppm;
    uint64_t odd_ids; /* 1: also an identifier with a newline in it */
    int64_t epoch_ns; /* the file system was mounted first */
    int64_t cleanup_ns;
    int64_t job_min_ns, job_max_ns;
};

/* One time of service of a target; counters live within one only. */
struct sim_mount {
    size_t server;
    const struct sim_version *version;
    int64_t from_ns, to_ns; /* [from, to) */
};

struct sim_target {
    char name[SIM_NAME_SIZE];
    enum sim_kind kind;
    unsigned index;
    struct sim_mount *mounts; /* in order of time */
    size_t mount_count;
};

/* Nodes that get their jobs together. */
struct sim_group {
    uint64_t first_node, node_count;
    int64_t slot_ns, phase_ns; /* slot i is [phase + i slot, phase + (i + 1) slot) */
};

struct sim_plant;

struct sim {
    char dir[PATH_MAX];
    struct sim_conf conf;
    struct sim_target *targets; /* MDTs, then OSTs */
    size_t target_count;
    char (*servers)[SIM_NAME_SIZE]; /* mds01.., oss01.. */
    size_t server_count;
    struct sim_group *groups;
    size_t group_count;
    struct sim_plant *plants;
    size_t plant_count;
};

/* What `init` takes; also the names in sim.conf. */
void sim_conf_default(struct sim_conf *conf);
/* Errors: -EINVAL (unknown key, bad value). */
int sim_conf_set(struct sim_conf *conf, const char *key, const char *value,
                 struct err *err);
int sim_conf_write(const struct sim_conf *conf, const char *dir, struct err *err);

int sim_open(const char *dir, struct sim **ret, struct err *err);
void sim_free(struct sim *sim);
DEFINE_AUTO(struct sim, sim_free);

/* Index, or -ENOENT. */
int sim_find_server(const struct sim *sim, const char *name);
int sim_find_target(const struct sim *sim, const char *name);
/* The mount that serves target at t_ns, or NULL while it is between servers. */
const struct sim_mount *sim_mount_at(const struct sim_target *target, int64_t t_ns);

/* Append to DIR/events. */
int sim_add_event(const char *dir, const char *line, struct err *err);

/* A well-mixed number out of two; all chance in the simulation comes from here.
 */
uint64_t sim_mix(uint64_t a, uint64_t b);

#endif
