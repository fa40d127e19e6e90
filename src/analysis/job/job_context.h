/* SPDX-License-Identifier: Apache-2.0 */
/* job_context - all that is known of one job, typed: who and when, what its log says,
 * and what was around it.
 *
 *     identity    cluster, id, user, window      scheduler, log, site
 *     facts       what the log says              source/darshan
 *     weather     what the servers did           source/lmt
 *     coverage    the job's part of that         facts / weather
 *     health      fullness, failovers            source/health
 *     neighbours  co-scheduled jobs              source/scheduler
 *     topology    distance, shared gateways      source/topology
 *     site        peak, servers                  the site's file
 *     fabric      what others moved on it        source/lmt
 *     servers     its traffic by target          rows of jobstats
 *     targets     how full, moved where          the metric store
 *     nodes       metrics of the job's nodes     the metric store
 *
 * A value that was not observed is missing (job_value.h), and a part of which nothing
 * was observed says why where that is known.  job_columns.h is the table of all values
 * as columns.
 *
 * Memory   texts lie in the context's arena, or outlive it.  Threads  none inside.
 */
#ifndef ANALYSIS_JOB_JOB_CONTEXT_H
#define ANALYSIS_JOB_JOB_CONTEXT_H

#include "analysis/footprint/footprint.h"
#include "analysis/job/job_facts.h"
#include "analysis/job/job_health.h"
#include "analysis/job/job_neighbours.h"
#include "analysis/job/job_servers.h"
#include "analysis/job/job_targets.h"
#include "analysis/job/job_weather.h"
#include "analysis/job/parts/job_datasets.h"
#include "analysis/job/parts/job_ran_with.h"
#include "analysis/job/parts/job_sessions.h"
#include "analysis/job/parts/job_topology.h"
#include "analysis/weather/weather.h"
#include "base/arena.h"

struct job_identity {
    const char *cluster; /* NULL: not known, as each text */
    const char *id;      /* as its log and the scheduler number it */
    const char *step;
    const char *name; /* as its owner called it, often the script's */
    const char *user;
    const char *account;
    const char *partition;
    const char *state;
    const char *nodes; /* a set: "nid[00010-00013]" */
    int64_t submit_ns; /* JOB_TIME_NONE: not known, as each of these */
    int64_t start_ns;
    int64_t end_ns;
    const char *file_system; /* as the site calls it, else the mount's last part */
    const char *log;         /* where facts come from */
    int64_t from_s;          /* Unix time: the window of all that is around the job */
    int64_t to_s;            /* its end is one step of the servers' series later */
    const char *clocks;      /* which were corrected by what */
    struct job_resources resources; /* given and used, as the scheduler accounts */
};

/* What the site's file says of the job's file system. */
struct job_site {
    double peak_bytes_per_s;
    double fraction_of_peak; /* over 1: it was cached, or the peak is a guess */
    int64_t servers, targets, io_nodes;
};

/* What other file systems on the fabric of the job's one moved (fabric.h). */
struct job_fabric {
    const char *fabrics; /* "qdr-san edr"; NULL: the site's file names none */
    const char *names;   /* of the file systems that were measured; NULL: none was */
    double read, written;
    double rate;  /* bytes a second */
    double usual; /* of the same hours of other days */
    double times; /* rate / usual */
    double missing;
    int64_t days; /* other days that count */
    int64_t as_much;
};

/* Metrics of the job's nodes over its time. */
struct job_nodes {
    bool is_observed;            /* else footprint is not set */
    struct footprint footprint;  /* its texts lie in arena */
    struct node_samples samples; /* likewise: what it is made of */
    struct arena arena;
    const char *refused; /* why it was not observed; NULL: not known */
    /* Its footprint, as it was stored when it ended: of each metric, and of the run as
     * a whole (metric empty).  Texts lie in the context's arena. */
    const struct job_metric *stored;
    size_t stored_count;
};

#define JOB_METRICS_MAX ((size_t)257)

/* A step of the job, as its scheduler accounts for it. */
struct job_step {
    const char *step; /* "0", "batch" */
    const char
        *name; /* NULL: not known, as state and nodes; a text form of its bytes */
    const char *state;
    const char *nodes;
    int64_t start_ns, end_ns; /* JOB_TIME_NONE: not begun, not ended */
    struct job_resources resources;
};

#define JOB_STEPS_MAX ((size_t)1000)

struct job_steps {
    const struct job_step *items; /* by their start */
    size_t count;
    bool has_more; /* than JOB_STEPS_MAX */
};

/* The health of its nodes at its start, and at its end or now. */
#define JOB_NODE_HEALTH_MAX ((size_t)256)

enum job_moment { JOB_AT_START, JOB_AT_END, JOB_MOMENT_COUNT };

struct job_host_health {
    const char *host;
    enum resource_health health[JOB_MOMENT_COUNT];
    const char *reason[JOB_MOMENT_COUNT]; /* NULL: none was given */
};

struct job_node_health {
    bool is_known;  /* something was stated of one of its nodes by then */
    bool has_ended; /* else the second moment is now */
    size_t counts[JOB_MOMENT_COUNT][RESOURCE_HEALTH_COUNT];
    /* Those that were not up at both, or changed, in the order of the job's nodes. */
    const struct job_host_health *items;
    size_t count;
    bool has_more;   /* than JOB_NODE_HEALTH_MAX, or nodes than are looked up */
    size_t read_max; /* so many of its nodes, the first, were; 0: all */
    bool is_short;   /* none of it was read: memory is short */
};

struct job_context {
    struct arena arena;
    int error; /* -ENOMEM: a text is lost; remembered like strbuf's */
    struct job_identity identity;
    struct job_steps steps; /* none: not known */
    struct job_node_health node_health;
    struct job_ran_with ran_with;
    struct job_datasets datasets;
    struct job_sessions sessions;
    struct job_facts facts;
    struct job_weather weather;
    struct job_coverage coverage;
    struct job_health health;
    struct job_neighbours neighbours;
    struct job_topology topology;
    struct job_site site;
    struct job_fabric fabric;
    bool has_servers;
    struct job_servers servers;  /* in an arena of its own */
    const char *servers_refused; /* why there is none; NULL: not known */
    const char *log_refused;     /* why its log was not read; NULL: not known */
    const char *weather_refused; /* likewise of what the servers measured */
    struct job_targets targets;  /* in an arena of its own; none: not known */
    struct job_nodes nodes;
};

void job_context_done(struct job_context *context);
DEFINE_AUTO_DONE(struct job_context, job_context_done);

/* A copy in the context's arena; NULL of NULL, and when memory is out (then
 * context->error says so). */
const char *job_context_text(struct job_context *context, const char *text);
const char *job_context_span(struct job_context *context, struct span text);
/* Fill the part, and the texts that it has. */
void job_context_set_fabric(struct job_context *context, const struct fabric *fabric);
/* What the scheduler's record has of who and when; what is empty stays as it is. */
void job_context_set_record(struct job_context *context, const struct job *record);

/* Add a row of the stored footprint; beyond JOB_METRICS_MAX none is. */
void job_context_add_metric(struct job_context *context,
                            const struct job_metric *metric);

/* Add a step to the list, in the order of the calls. */
void job_context_add_step(struct job_context *context, const struct job *step);
/* The page is of this step: its time, its nodes, its resources. */
void job_context_set_step(struct job_context *context, const struct job *step);

/* One host at one moment: all of the first, then of the second, in one order.  health
 * unknown without a reason: nothing is stated. */
void job_context_add_node_health(struct job_context *context, enum job_moment moment,
                                 const char *host, enum resource_health health,
                                 struct span reason);

/* ---- values that more than one reader wants; NaN: not observed ---- */

/* By POSIX: read and written. */
double job_context_bytes(const struct job_context *context);
/* How many steps the servers' series have in the window. */
double job_context_steps(const struct job_context *context);

#endif
