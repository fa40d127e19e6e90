/* SPDX-License-Identifier: Apache-2.0 */
/* profile - one Darshan log as a few named numbers. */
#include "analysis/job/profile_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIB 1048576.0
#define GIB (1024 * MIB)
#define NEEDED_CALLS 2.0

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

/* A counter of a summary; NaN: the module or the log does not have it. */
static double counter(const struct darshan_summary *s, enum darshan_module_id id,
                      const char *name)
{
    int at = record_column_find(darshan_module(id), name);
    if (at < 0)
        return NAN;
    if (name[0] == 'F' && name[1] == '_')
        return s->f_counters[at] >= 0 ? s->f_counters[at] : NAN;
    return s->counters[at] >= 0 ? (double)s->counters[at] : NAN;
}

/* Opening a file and looking it up once cannot be spared: as calls, since a log has no
 * time of each. */
static double needed_meta(const struct profile *p)
{
    double calls = p->values[PROFILE_META_CALLS];
    return calls > NEEDED_CALLS ? NEEDED_CALLS / calls : 1;
}

/* In a collective call all wait for whoever does the work: then such accesses of all
 * processes together may have cost that much, not only those of the slowest. */
static struct cost access_cost(const struct profile_reader *m, const struct profile *p,
                               const struct io_costs *lower, enum access_kind kind)
{
    struct cost cost = lower->access[kind];
    if (!p->is_layered || !(cost.high_s > 0))
        return cost;
    double all = m->time.sum.kind_s[kind];
    for (size_t i = 0; i < m->time.count; i++)
        all += m->time.own[i].kind_s[kind];
    return cost_between(0, fmin(all, p->io.high_s), cost.reason);
}

/* What it all cost, once the values are known. */
static int fill_costs(struct profile_reader *m, struct profile *p)
{
    const struct io_run run = { p->values[PROFILE_PROCESSES], p->run_s,
                                needed_meta(p) };
    struct io_costs costs = { 0 }, lower = { 0 };
    struct cost target = cost_unknown;
    int rc = slow_target_find(m->files, m->file_count, &p->target);
    if (rc == 0)
        rc = io_time_costs(&m->outer, &run, &costs);
    if (rc == 0)
        rc = io_time_costs(&m->time, &run, &lower);
    if (rc == 0)
        rc = io_time_target(&m->time, m->files, m->file_count, &p->target, p->run_s,
                            &target);
    if (rc == 0)
        rc = io_time_targets(m->files, m->file_count, p->targets);
    if (rc < 0)
        return rc;
    p->target_count = (size_t)rc;
    p->values[PROFILE_SLOW_TARGET] = p->target.ratio;
    p->values[PROFILE_IMBALANCE] = costs.balance;
    p->values[PROFILE_META_RANK] = costs.slowest_meta;
    p->io = costs.io;
    p->mean_s = p->values[PROFILE_PROCESSES] > 0 ? costs.mean_s : NAN;
    p->slowest_rank = costs.slowest_rank;
    p->slowest_bytes = costs.slowest_bytes;
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        p->costs[i] = cost_unknown;
    p->costs[PROFILE_META_SHARE] = costs.meta;
    p->costs[PROFILE_META_RANK] = costs.meta;
    p->costs[PROFILE_STRIPES] = costs.meta;
    p->costs[PROFILE_ONE_STRIPE] = costs.access[ACCESS_ONE_STRIPE];
    p->costs[PROFILE_SMALL_SHARE] = access_cost(m, p, &lower, ACCESS_SMALL);
    p->costs[PROFILE_UNALIGNED_SHARE] = access_cost(m, p, &lower, ACCESS_UNALIGNED);
    p->costs[PROFILE_RANDOM_SHARE] = access_cost(m, p, &lower, ACCESS_RANDOM);
    p->costs[PROFILE_IMBALANCE] = costs.imbalance;
    p->costs[PROFILE_SLOW_TARGET] = target;
    return 0;
}

/* The values that not all interfaces have counters for. */
static void fill_accesses(const struct profile_reader *m, struct profile *p,
                          const struct darshan_summary *s, enum darshan_module_id id)
{
    p->values[PROFILE_SMALL_SHARE] = share(m->small[id], m->classed[id]);
    if (id != DARSHAN_POSIX)
        return;
    double accesses = (double)p->accesses;
    double ordered =
        known(counter(s, id, "SEQ_READS")) + known(counter(s, id, "SEQ_WRITES"));
    p->values[PROFILE_UNALIGNED_SHARE] =
        share(counter(s, id, "FILE_NOT_ALIGNED"), accesses);
    /* The first access to a file is in no order yet, and is not counted as such. */
    double first = (double)s->files[DARSHAN_ALL_FILES].count;
    p->values[PROFILE_RANDOM_SHARE] =
        accesses > 0 ? share(fmax(0, accesses - ordered - first), accesses) : NAN;
}

/* Bytes and seconds by the outermost interface of each file. */
static void fill_bytes(const struct profile_reader *m, struct profile *p)
{
    struct layer_sums sums;
    layers_sum(&m->layers, &sums);
    double files = sums.files;
    layers_sum_beside(&m->objects, &sums);
    if (m->has_open)
        sums.files = files; /* its objects are what those files are made of */
    double bytes = sums.application.read + sums.application.written;
    p->fs_bytes = sums.file_system.read + sums.file_system.written;
    p->is_layered = sums.is_layered;
    p->read_s = m->read_s;
    p->write_s = m->write_s;
    p->meta_s = m->outer.meta_s;
    double io_s = p->read_s + p->write_s + p->meta_s;
    p->values[PROFILE_BYTES] = bytes;
    p->values[PROFILE_READ_SHARE] = share(sums.application.read, bytes);
    p->values[PROFILE_FILES] = sums.files;
    p->values[PROFILE_AMPLIFICATION] = sums.amplification;
    p->values[PROFILE_READ_COST] = ratio(p->read_s, sums.application.read / GIB);
    p->values[PROFILE_WRITE_COST] = ratio(p->write_s, sums.application.written / GIB);
    p->values[PROFILE_META_SHARE] = share(p->meta_s, io_s);
    /* Of the run, not of its I/O: so that records that are missing change nothing. */
    if (p->run_s > 0)
        p->values[PROFILE_ONE_STRIPE] =
            share(m->one_stripe_s, p->run_s * p->values[PROFILE_PROCESSES]);
}

/* What is below MPI-IO. */
static enum darshan_module_id lower_find(const struct profile_reader *m,
                                         const struct profile_summaries *sums,
                                         const struct darshan_summary **ret)
{
    bool is_dfs = m->has_open && sums->dfs.records > 0;
    bool is_daos = m->has_open && !is_dfs;
    bool is_stdio = sums->posix.records == 0;
    *ret = is_dfs     ? &sums->dfs
           : is_daos  ? &sums->daos
           : is_stdio ? &sums->stdio
                      : &sums->posix;
    return is_dfs     ? DARSHAN_DFS
           : is_daos  ? DARSHAN_DAOS
           : is_stdio ? DARSHAN_STDIO
                      : DARSHAN_POSIX;
}

/* Once costs are known; as the file system saw it by the time of what is below MPI-IO.
 * Records that are missing there are no bytes that it did not see. */
static void fill_speeds(const struct profile_reader *m, struct profile *p,
                        const struct profile_summaries *sums)
{
    const struct darshan_summary *lower = NULL;
    enum darshan_module_id id = lower_find(m, sums, &lower);
    double speed = ratio(p->values[PROFILE_BYTES] / MIB, p->io.high_s);
    p->lower = darshan_module(id)->name;
    if (log_gaps_lacking(&p->gaps) & LOG_BITS_IO & ~LOG_BIT(DARSHAN_MPIIO)) {
        p->fs_bytes = NAN;
        p->values[PROFILE_AMPLIFICATION] = NAN;
        lower = NULL;
    }
    if (p->io.reason == COST_THREADS)
        return; /* what threads spent at a time is not known, only that it fits */
    p->values[PROFILE_SPEED] = speed > 0 ? speed : NAN;
    if (p->is_layered && lower && lower->mib_per_s > 0)
        p->values[PROFILE_FS_SPEED] = lower->mib_per_s;
}

/* The OSTs of all layouts. */
static void fill_targets(const struct profile_reader *m, struct profile *p)
{
    memcpy(p->osts, m->osts, sizeof p->osts);
    for (size_t i = 0; i < sizeof p->osts; i++)
        p->has_osts |= p->osts[i] != 0;
}

static void fill_work(struct profile *p, const struct darshan_summary *s,
                      enum darshan_module_id id)
{
    double bytes =
        known(counter(s, id, "BYTES_READ")) + known(counter(s, id, "BYTES_WRITTEN"));
    static const char *const moves[] = { "READS",       "WRITES",      "READXS",
                                         "WRITEXS",     "OBJ_FETCHES", "OBJ_UPDATES",
                                         "ARRAY_READS", "ARRAY_WRITES" };
    double accesses = 0;
    for (size_t i = 0; i < COUNT_OF(moves); i++)
        accesses += known(counter(s, id, moves[i]));
    double files = (double)s->files[DARSHAN_ALL_FILES].count;
    double unique = (double)s->files[DARSHAN_UNIQUE].bytes;
    static const char *const calls[] = { "OPENS", "STATS", "FSYNCS", "FDSYNCS" };
    double call_sum = 0;
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        call_sum += known(counter(s, id, calls[i]));
    p->accesses = (uint64_t)accesses;
    p->longest_s =
        fmax(counter(s, id, "F_MAX_READ_TIME"), counter(s, id, "F_MAX_WRITE_TIME"));
    p->values[PROFILE_SHARED_SHARE] = share(bytes - unique, bytes);
    p->values[PROFILE_META_CALLS] = ratio(call_sum, files);
    p->values[PROFILE_ACCESS] = ratio(bytes, accesses);
}

/* What each interface was used for, and what was recorded beside I/O. */
static void fill_layers(const struct profile_reader *m, struct profile *p)
{
    for (int layer = 0; layer < LOG_LAYERS; layer++) {
        const struct layer_use *use = &m->layers_used[layer];
        p->layer_records[layer] = use->records;
        for (int figure = 0; figure < LAYER_FIGURES; figure++)
            p->values[profile_layer((enum log_layer)layer, (enum layer_figure)figure)] =
                layer_use_figure(use, (enum layer_figure)figure);
    }
    p->mpi = m->mpi;
    if (p->run_s > 0)
        p->values[PROFILE_MPI_SHARE] = share(mpi_calls_mean_s(&m->mpi), p->run_s);
    p->values[PROFILE_STALLS] = ratio(m->mpi.stalls, m->mpi.flits);
}

static void fill_interfaces(struct profile *p, const struct profile_summaries *sums)
{
    const struct darshan_summary *mpiio = &sums->mpiio;
    double collective = known(counter(mpiio, DARSHAN_MPIIO, "COLL_READS")) +
                        known(counter(mpiio, DARSHAN_MPIIO, "COLL_WRITES"));
    double alone = known(counter(mpiio, DARSHAN_MPIIO, "INDEP_READS")) +
                   known(counter(mpiio, DARSHAN_MPIIO, "INDEP_WRITES"));
    p->values[PROFILE_STDIO_SHARE] =
        share((double)sums->stdio.bytes,
              (double)sums->stdio.bytes + (double)sums->posix.bytes +
                  fmax((double)sums->dfs.bytes, (double)sums->daos.bytes));
    p->values[PROFILE_COLLECTIVE_SHARE] = share(collective, collective + alone);
}

/* Only the first word has a path: the rest are arguments. */
static void fill_job(struct profile *p, const struct darshan_job *job)
{
    (void)snprintf(p->exe, sizeof p->exe, "%s", job->exe);
    for (char *c = p->exe; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            *c = '?';
    size_t end = strcspn(p->exe, " ");
    size_t start = end;
    while (start > 0 && p->exe[start - 1] != '/')
        start--;
    (void)snprintf(p->program, sizeof p->program, "%.*s", (int)(end - start),
                   p->exe + start);
    p->jobid = job->jobid;
    p->start_s = job->start_s;
    p->run_s = log_run_s(job);
    p->has_wrong_sizes = log_has_wrong_sizes(job);
    p->values[PROFILE_PROCESSES] = job->nprocs > 0 ? (double)job->nprocs : NAN;
}

static void fill_doubt(const struct profile_reader *m, struct profile *p)
{
    const struct log_amounts amounts = { fmax(p->values[PROFILE_BYTES], p->fs_bytes),
                                         m->outer.total_s, p->run_s,
                                         p->values[PROFILE_PROCESSES] };
    p->suspects = m->suspects;
    p->doubt = log_doubt(&amounts);
}

/* The one with most bytes; DAOS is below DFS. */
static enum darshan_module_id main_find(const struct profile_summaries *sums,
                                        const struct darshan_summary **ret)
{
    const struct {
        const struct darshan_summary *sum;
        enum darshan_module_id id;
    } all[] = { { &sums->posix, DARSHAN_POSIX },
                { &sums->stdio, DARSHAN_STDIO },
                { &sums->dfs, DARSHAN_DFS },
                { &sums->daos, DARSHAN_DAOS } };
    enum darshan_module_id id = DARSHAN_NULL;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (all[i].sum->records > 0 &&
            !(all[i].id == DARSHAN_DAOS && sums->dfs.records) &&
            (!*ret || all[i].sum->bytes > (*ret)->bytes)) {
            *ret = all[i].sum;
            id = all[i].id;
        }
    return id;
}

int profile_reader_end(struct profile_reader *reader,
                       const struct profile_summaries *sums, uint64_t fault_count,
                       const struct log_gaps *gaps, struct profile *ret)
{
    const struct darshan_summary *main = NULL;
    enum darshan_module_id id = main_find(sums, &main);
    if (!main)
        return -ENODATA;
    struct profile p = { .gaps = *gaps };
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        p.values[i] = NAN;
    fill_job(&p, reader->job);
    fill_work(&p, main, id);
    fill_bytes(reader, &p);
    fill_interfaces(&p, sums);
    fill_accesses(reader, &p, main, id);
    fill_targets(reader, &p);
    fill_layers(reader, &p);
    p.accessed = darshan_module(id)->name;
    p.values[PROFILE_STRIPES] = ratio(reader->stripe_sum, (double)reader->layouts);
    p.fault_count = fault_count + (main->files_left_out > 0);
    int rc = fill_costs(reader, &p);
    fill_doubt(reader, &p);
    fill_speeds(reader, &p, sums);
    if (rc == 0)
        *ret = p;
    return rc;
}

/* ---- what each is called, and how two compare ---- */

/* A layer's figures.  What a figure of the whole run explains comes after that. */
#define LAYER_AT(layer, figure) [PROFILE_LAYER_FIRST + (layer)*LAYER_FIGURES + (figure)]
#define LAYER_TERMS(layer, name, text, family)                                      \
    LAYER_AT(layer,                                                                 \
             LAYER_OPENS) = { name "_opens", "opens, " text, "",                    \
                              family,        PROFILE_AMOUNT, 0,                     \
                              false,         false,          PROFILE_FILES },       \
             LAYER_AT(layer, LAYER_ACCESSES) = { name "_accesses",                  \
                                                 "accesses, " text,                 \
                                                 "",                                \
                                                 family,                            \
                                                 PROFILE_AMOUNT,                    \
                                                 0,                                 \
                                                 false,                             \
                                                 false,                             \
                                                 PROFILE_ACCESS },                  \
             LAYER_AT(layer, LAYER_BYTES) = { name "_bytes",  "bytes moved, " text, \
                                              "bytes",        family,               \
                                              PROFILE_AMOUNT, 0,                    \
                                              false,          false,                \
                                              PROFILE_BYTES },                      \
             LAYER_AT(layer, LAYER_READ_SHARE) = { name "_read_share",              \
                                                   "read, of all bytes, " text,     \
                                                   "",                              \
                                                   family,                          \
                                                   PROFILE_SHARE,                   \
                                                   0,                               \
                                                   false,                           \
                                                   false,                           \
                                                   PROFILE_READ_SHARE },            \
             LAYER_AT(layer, LAYER_COLLECTIVE_SHARE) = { name "_collective_share",  \
                                                         "collective, " text,       \
                                                         "",                        \
                                                         family,                    \
                                                         PROFILE_SHARE,             \
                                                         1,                         \
                                                         false,                     \
                                                         false,                     \
                                                         PROFILE_COLLECTIVE_SHARE }

static const struct profile_term terms[PROFILE_MEASURE_COUNT] = {
    [PROFILE_PROCESSES] = { "processes", "processes", "", "processes", PROFILE_RATIO, 0,
                            false, false, -1 },
    [PROFILE_BYTES] = { "bytes", "bytes moved", "bytes", "volume", PROFILE_AMOUNT, 0,
                        false, false, -1 },
    [PROFILE_READ_SHARE] = { "read_share", "read, of all bytes", "", "direction",
                             PROFILE_SHARE, 0, false, false, -1 },
    [PROFILE_FILES] = { "files", "files", "", "files", PROFILE_AMOUNT, 0, false, false,
                        PROFILE_SHARED_SHARE },
    [PROFILE_SHARED_SHARE] = { "shared_share", "bytes of files that processes share",
                               "", "sharing", PROFILE_SHARE, 0, false, false, -1 },
    [PROFILE_META_CALLS] = { "meta_calls_per_file", "opens, stats and syncs a file", "",
                             "metadata", PROFILE_RATIO, -1, false, false,
                             PROFILE_FILES },
    [PROFILE_ACCESS] = { "access_bytes", "mean size of a read or write", "bytes",
                         "access size", PROFILE_RATIO, 1, false, false, -1 },
    [PROFILE_SMALL_SHARE] = { "small_share", "accesses below 1 MiB", "", "access size",
                              PROFILE_SHARE, -1, false, false, PROFILE_ACCESS },
    [PROFILE_UNALIGNED_SHARE] = { "unaligned_share", "accesses across blocks", "",
                                  "alignment", PROFILE_SHARE, -1, false, false,
                                  PROFILE_ACCESS },
    [PROFILE_RANDOM_SHARE] = { "random_share", "accesses that go back in the file", "",
                               "order", PROFILE_SHARE, -1, false, false, -1 },
    [PROFILE_STDIO_SHARE] = { "stdio_share", "bytes through STDIO", "", "interface",
                              PROFILE_SHARE, -1, false, false, -1 },
    [PROFILE_COLLECTIVE_SHARE] = { "collective_share", "collective, of MPI-IO accesses",
                                   "", "interface", PROFILE_SHARE, 1, false, false,
                                   -1 },
    [PROFILE_STRIPES] = { "stripes", "stripes a file", "", "placement", PROFILE_RATIO,
                          0, false, false, -1 },
    [PROFILE_ONE_STRIPE] = { "one_stripe_share",
                             "run time in collective writes to files of one stripe", "",
                             "placement", PROFILE_SHARE, -1, true, false,
                             PROFILE_STRIPES },
    [PROFILE_AMPLIFICATION] = { "amplification",
                                "moved by the file system, of what was requested", "",
                                "interface", PROFILE_RATIO, -1, false, false,
                                PROFILE_COLLECTIVE_SHARE },
    [PROFILE_SLOW_TARGET] = { "slow_target", "slowest target, against the median one",
                              "", "server", PROFILE_RATIO, -1, true, false, -1 },
    [PROFILE_IMBALANCE] = { "imbalance", "slowest process, against the mean", "",
                            "balance", PROFILE_RATIO, -1, true, false,
                            PROFILE_SLOW_TARGET },
    [PROFILE_SPEED] = { "speed_mib_per_s", "speed by the slowest process", "MiB/s",
                        "speed", PROFILE_RATIO, 1, true, true, -1 },
    [PROFILE_FS_SPEED] = { "fs_speed_mib_per_s", "speed as the file system saw it",
                           "MiB/s", "speed", PROFILE_RATIO, 1, true, true, -1 },
    [PROFILE_READ_COST] = { "read_s_per_gib", "time to read a GiB", "s", "speed",
                            PROFILE_RATIO, -1, true, true, -1 },
    [PROFILE_WRITE_COST] = { "write_s_per_gib", "time to write a GiB", "s", "speed",
                             PROFILE_RATIO, -1, true, true, -1 },
    [PROFILE_META_SHARE] = { "meta_time_share", "time in metadata, of all I/O time", "",
                             "speed", PROFILE_SHARE, -1, true, true, -1 },
    [PROFILE_META_RANK] = { "slowest_meta_share",
                            "time in metadata, of the slowest process's", "", "speed",
                            PROFILE_SHARE, -1, true, true, -1 },
    [PROFILE_MPI_SHARE] = { "mpi_time_share", "run time in calls of MPI, on average",
                            "", "communication", PROFILE_SHARE, -1, true, true, -1 },
    [PROFILE_STALLS] = { "stalls_per_flit", "stalls of its routers by flit", "",
                         "network", PROFILE_RATIO, -1, true, false, -1 },
    LAYER_TERMS(LAYER_H5F, "h5f", "HDF5 files", "H5F"),
    LAYER_TERMS(LAYER_H5D, "h5d", "HDF5 data sets", "H5D"),
    LAYER_TERMS(LAYER_PNETCDF_FILE, "pnetcdf_file", "PnetCDF files", "PnetCDF"),
    LAYER_TERMS(LAYER_PNETCDF_VAR, "pnetcdf_var", "PnetCDF variables", "PnetCDF"),
    LAYER_TERMS(LAYER_MPIIO, "mpiio", "MPI-IO", "MPI-IO"),
    LAYER_TERMS(LAYER_POSIX, "posix", "POSIX", "POSIX"),
    LAYER_TERMS(LAYER_STDIO, "stdio", "STDIO", "STDIO"),
    LAYER_TERMS(LAYER_DFS, "dfs", "DFS", "DFS"),
    LAYER_TERMS(LAYER_DAOS, "daos", "DAOS", "DAOS"),
    LAYER_TERMS(LAYER_APMPI, "mpi", "calls of MPI", "communication"),
};

const struct profile_term *profile_term(enum profile_measure measure)
{
    return &terms[measure];
}
