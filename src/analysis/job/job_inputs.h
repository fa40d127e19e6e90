/* SPDX-License-Identifier: Apache-2.0 */
/* job_inputs - where what is known of a job comes from: one interface, whoever fills
 * it.
 *
 *     command line   client fills it: files, a barod over HTTP
 *     barod          api fills it: its own store and records     ─▶ job_builder,
 * findings tests          a struct of constants
 *
 * Each reader may be NULL, and may give nothing (a count of 0, NULL): then that part is
 * not observed.  What a reader gives is its own and valid until the next call
 * of any reader, unless it says otherwise.  Times are Unix time in the job's clock: a
 * filler whose sources have other clocks corrects for them.
 *
 * Errors   what the reader's source returns; err gets the reason.  -ENOENT and -ENODATA
 * of log, stored, series, servers, record and nodes: there is none, and the context
 * names the reason. Threads  none inside.
 */
#ifndef ANALYSIS_JOB_JOB_INPUTS_H
#define ANALYSIS_JOB_JOB_INPUTS_H

#include "analysis/climate/climate.h"
#include "analysis/footprint/footprint.h"
#include "analysis/job/job_log.h"
#include "analysis/job/job_servers.h"
#include "analysis/job/job_targets.h"
#include "analysis/job/job_weather.h"
#include "analysis/weather/weather.h"
#include "source/scheduler/scheduler.h"
#include "source/topology/topology.h"

struct job_context;

/* The time of a job, and where it put its files. */
struct job_window {
    const char *mount; /* "/global/cscratch1"; NULL: not known */
    int64_t from_s;
    int64_t to_s;
};

/* What the site says of the file system at a mount. */
struct job_input_site {
    const char *name;        /* NULL: it says nothing, and no reader need be asked */
    const char *fsname;      /* as its servers call it; NULL: as it is mounted */
    double peak_bytes_per_s; /* 0: not known, as each count */
    uint64_t servers, targets, io_nodes;
    bool has_fabric;
};

struct job_input_series {
    struct lmt_series *const *series;
    size_t count;
    const char *names;     /* for people */
    const char *reference; /* so that they can be found again */
};

/* The job that servers and nodes are requested of. */
struct job_request {
    const char *id;
    const char *cluster; /* NULL: any */
    const char *hosts;   /* a set: "nid[00010-00013]"; NULL: not known */
    int64_t start_s, end_s;
    const struct profile *run; /* of its log; NULL: none was read */
    bool wants_steps;          /* what servers counted over time, too */
};

/* The targets whose state is requested. */
struct job_target_request {
    const char *fs; /* as Lustre calls it */
    int64_t from_ns, to_ns;
};

struct job_inputs {
    void *arg;
    const char *cluster;       /* whose jobs are meant; NULL: the job's own */
    const char *clocks;        /* which were corrected by what; NULL: none */
    int64_t health_offset_s;   /* by how much the clock of health's readings is ahead */
    int64_t health_age_max_ns; /* 0: an hour */
    int64_t now_s;    /* until when a job that has not ended is read; 0: it is not */
    bool wants_steps; /* for pictures: what servers counted is read over time, too */
    /* The job's log, open, to be closed by the caller.  name: as job_build() got it. */
    int (*log)(void *arg, const char *name, struct job_log **ret, struct err *err);
    void (*site)(void *arg, const char *mount, struct job_input_site *ret);
    /* What the servers of the file system measured. */
    int (*series)(void *arg, const struct job_window *window,
                  struct job_input_series *ret, struct err *err);
    /* Of other file systems on its fabric; *ret is to be done with. */
    int (*fabric)(void *arg, const struct job_window *window, struct fabric *ret,
                  struct err *err);
    /* Whole texts with the samples that may be the last before t_ns. */
    int (*health)(void *arg, int64_t t_ns, const struct span **ret, size_t *ret_count,
                  struct err *err);
    /* The scheduler's records of all jobs that ran in the window, of clusters that use
     * the file system (NULL: not known); NULL: none is known. */
    int (*jobs)(void *arg, const struct job_target_request *request,
                const struct job_list **ret, struct err *err);
    int (*topology)(void *arg, const struct node_map **ret, struct err *err);
    /* What the servers counted of the job by its id: its traffic by target; *ret is to
     * be done with. */
    int (*servers)(void *arg, const struct job_request *job, struct job_servers *ret,
                   struct err *err);
    /* How full the targets of a file system were at the end of the window, and which
     * moved to another server in it: tables as job_targets_make() reads them; ret is
     * initialised and empty.  Errors are no failure: then it is not known. */
    int (*space)(void *arg, const struct job_target_request *request, struct table *ret,
                 struct err *err);
    int (*moves)(void *arg, const struct job_target_request *request, struct table *ret,
                 struct err *err);
    /* Readings of a file system's targets in the window, with the last before it: a
     * table as health_readings_row_read() reads it; ret is initialised and empty.
     * Requested where health has none.  Errors are no failure, as above. */
    int (*readings)(void *arg, const struct job_target_request *request,
                    struct table *ret, struct err *err);
    /* What the batch system recorded of the run of this id that ran at t_ns, into the
     * identity of ret. */
    int (*record)(void *arg, const char *id, int64_t t_ns, struct job_context *ret,
                  struct err *err);
    /* Samples of the job's nodes while it ran; all of it is put into arena. */
    int (*nodes)(void *arg, const struct job_request *job, struct arena *arena,
                 struct node_samples *ret, struct err *err);
    /* Runs to compare with, and what their columns mean: with the jobs among them, as
     * wanted 1, 2.  Both are to be done with. */
    int (*climate)(void *arg, const struct job_context *const *jobs, size_t count,
                   struct mapping *ret_mapping, struct runs *ret_runs, struct err *err);
    /* What is stored of a job, its summary and what the batch system reported; ret is
     * initialised. */
    int (*stored)(void *arg, const char *id, struct job_context *ret, struct err *err);
    /* The log of the run that stored has found, open, to be closed by the caller before
     * another one is found; *ret_name as in log.  Errors are no failure: then there is
     * none, and the context has the reason.  -ENOSYS: none is looked for. */
    int (*find_log)(void *arg, const struct job_context *context, struct job_log **ret,
                    const char **ret_name, struct err *err);
};

#endif
