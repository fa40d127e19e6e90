/* SPDX-License-Identifier: Apache-2.0 */
/* profile - one Darshan log as a few named numbers. */
#include "analysis/job/profile.h"

#include "base/hashmap.h"

#include <math.h>
#include <stdio.h>

#define MIB 1048576.0
#define GIB (1024 * MIB)
#define SIZE_COUNTERS 20 /* classes of reads, then of writes */
#define NEEDED_CALLS 2.0

/* Where counters of a module are; -1: it has none. */
struct counter_columns {
    int bytes_read, bytes_written, reads, writes, seq_reads, seq_writes;
    int size_reads, not_aligned, coll_writes;
    int read_time, write_time, meta_time, slowest_time, slowest_rank;
};

struct profile_reader {
    const struct darshan_job *job;
    bool has_sizes;            /* common ones that can be relied upon */
    uint64_t suspects;         /* records left out: see is_negative() */
    struct hashmap targets_of; /* file id -> 1 + OST, of files that lie on one */
    struct target_file *files; /* of one process and one target each */
    size_t file_count, file_capacity;
    struct io_time time;    /* of the lowest interfaces: POSIX and STDIO */
    struct io_time outer;   /* of the outermost one of each file */
    struct layers layers;   /* MPI-IO over POSIX and STDIO */
    struct layers objects;  /* DFS over DAOS */
    double read_s, write_s; /* of outer */
    double one_stripe_s;    /* likewise: collective writes to files of one stripe */
    /* Accesses by module: those below 1 MiB, and all of known classes. */
    double small[DARSHAN_UNKNOWN], classed[DARSHAN_UNKNOWN];
    double stripe_sum;
    uint64_t layouts;
    struct counter_columns at; /* of the counters of the module being read */
    enum darshan_module_id id;
};

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

/* NaN where there is nothing to divide by. */
static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static double share(double a, double b)
{
    double r = ratio(a, b);
    return r > 1 ? 1 : r < 0 ? 0 : r;
}

int profile_reader_layout(struct profile_reader *reader,
                          const struct darshan_record *record)
{
    struct profile_reader *m = reader;
    const struct darshan_record *r = record;
    struct span key = { (const char *)&r->id, sizeof r->id };
    if (r->stripe_count > 0) {
        m->stripe_sum += (double)r->stripe_count;
        m->layouts++;
    }
    if (r->stripe_count != 1 || r->component_count != 1 ||
        r->components[0].ost_count != 1 || m->targets_of.count >= PROFILE_FILES_MAX)
        return 0;
    int64_t ost = r->components[0].ost_ids[0];
    if (ost < 0 || ost >= SLOW_TARGET_OSTS_MAX)
        return 0;
    uintptr_t *at = hashmap_put(&m->targets_of, key, NULL);
    if (!at)
        return -ENOMEM;
    *at = (uintptr_t)ost + 1;
    return 0;
}

static int add_target(struct profile_reader *m, const struct darshan_record *r,
                      uint32_t process)
{
    struct span key = { (const char *)&r->id, sizeof r->id };
    const uintptr_t *at = hashmap_get(&m->targets_of, key);
    double bytes = (double)r->counters[m->at.bytes_read] +
                   (double)r->counters[m->at.bytes_written];
    double io_s = r->f_counters[m->at.read_time] + r->f_counters[m->at.write_time];
    if (!at || r->rank < 0 || !(bytes > 0) || !(io_s > 0) || !isfinite(io_s) ||
        m->file_count == PROFILE_FILES_MAX)
        return 0;
    if (m->file_count == m->file_capacity) {
        size_t capacity = m->file_capacity ? m->file_capacity * 2 : 256;
        struct target_file *more = realloc(m->files, capacity * sizeof *more);
        if (!more)
            return -ENOMEM;
        m->files = more;
        m->file_capacity = capacity;
    }
    m->files[m->file_count++] = (struct target_file){
        .bytes = bytes, .io_s = io_s, .process = process, .ost = (int32_t)(*at - 1)
    };
    return 0;
}

/* 0: the module or the log has none. */
static double value_of(const struct darshan_record *r, int column)
{
    return column >= 0 && r->counters[column] > 0 ? (double)r->counters[column] : 0;
}

static double time_of(const struct darshan_record *r, int column)
{
    return column >= 0 ? r->f_counters[column] : 0;
}

/* Whether it was written collectively and lies on one target. */
static bool is_one_stripe(const struct profile_reader *m,
                          const struct darshan_record *r)
{
    struct span key = { (const char *)&r->id, sizeof r->id };
    return value_of(r, m->at.coll_writes) > 0 && hashmap_get(&m->targets_of, key);
}

/* A record's time, without what its accesses were like. */
static struct io_record record_of(const struct profile_reader *m,
                                  const struct darshan_record *r)
{
    const struct counter_columns *at = &m->at;
    struct io_record record = {
        .rank = r->rank,
        .move_s = time_of(r, at->read_time) + time_of(r, at->write_time),
        .meta_s = time_of(r, at->meta_time),
        .slowest_s = time_of(r, at->slowest_time),
        .slowest_rank = at->slowest_rank >= 0 ? r->counters[at->slowest_rank] : -1,
        .shares = { [ACCESS_ONE_STRIPE] = is_one_stripe(m, r) ? 1 : 0 },
    };
    return record;
}

static int outer_add(struct profile_reader *m, const struct darshan_record *r)
{
    struct io_record record = record_of(m, r);
    uint32_t process;
    m->read_s += fmax(0, time_of(r, m->at.read_time));
    m->write_s += fmax(0, time_of(r, m->at.write_time));
    if (record.shares[ACCESS_ONE_STRIPE] > 0)
        m->one_stripe_s += fmax(0, time_of(r, m->at.write_time));
    return io_time_add(&m->outer, &record, &process);
}

/* What the accesses were like, and who had them. */
static int lower_add(struct profile_reader *m, const struct darshan_record *r)
{
    const struct counter_columns *at = &m->at;
    struct io_record record = record_of(m, r);
    double accesses = value_of(r, at->reads) + value_of(r, at->writes);
    double ordered = value_of(r, at->seq_reads) + value_of(r, at->seq_writes);
    double small = access_size_small(r, m->has_sizes);
    record.shares[ACCESS_SMALL] = share(small, accesses);
    record.shares[ACCESS_UNALIGNED] = share(value_of(r, at->not_aligned), accesses);
    record.shares[ACCESS_RANDOM] =
        at->seq_reads >= 0 ? share(fmax(0, accesses - ordered - 1), accesses) : NAN;
    for (int i = 0; at->size_reads >= 0 && i < SIZE_COUNTERS; i++)
        m->classed[m->id] += value_of(r, at->size_reads + i);
    m->small[m->id] += small;
    uint32_t process;
    int rc = io_time_add(&m->time, &record, &process);
    return rc < 0 || process == UINT32_MAX ? rc : add_target(m, r, process);
}

/* -1 is a counter that is not known. */
static bool is_negative(const struct profile_reader *m, const struct darshan_record *r)
{
    const struct counter_columns *at = &m->at;
    return r->counters[at->bytes_read] < -1 || r->counters[at->bytes_written] < -1 ||
           !(r->f_counters[at->read_time] >= -1) ||
           !(r->f_counters[at->write_time] >= -1) ||
           !(r->f_counters[at->meta_time] >= -1);
}

int profile_reader_add(struct profile_reader *reader,
                       const struct darshan_record *record, bool is_file)
{
    struct profile_reader *m = reader;
    const struct layer_bytes bytes = { value_of(record, m->at.bytes_read),
                                       value_of(record, m->at.bytes_written) };
    bool is_object = m->id == DARSHAN_DFS || m->id == DARSHAN_DAOS;
    struct layers *layers = is_object ? &m->objects : &m->layers;
    bool is_upper = m->id == DARSHAN_MPIIO || m->id == DARSHAN_DFS;
    bool is_inside = false;
    m->suspects += is_negative(m, record);
    if (is_negative(m, record))
        return 0;
    int rc = is_upper ? layers_add_upper(layers, record->id, bytes)
                      : layers_add_lower(layers, record->id, bytes,
                                         is_file && !m->objects.count, &is_inside);
    if (rc == 0 && m->id != DARSHAN_MPIIO)
        rc = lower_add(m, record);
    return rc < 0 || is_inside ? rc : outer_add(m, record);
}

/* Where a counter of a module with totals stands: its name behind the prefix. */
static int counter_column(const struct darshan_module *module, const char *name)
{
    char whole[64];
    (void)snprintf(whole, sizeof whole, "%s_%s", module->prefix, name);
    return name[0] == 'F' && name[1] == '_' ? darshan_f_counter_find(module, whole)
                                            : darshan_counter_find(module, whole);
}

static struct counter_columns columns_of(const struct darshan_module *module)
{
    return (struct counter_columns){
        .bytes_read = counter_column(module, "BYTES_READ"),
        .bytes_written = counter_column(module, "BYTES_WRITTEN"),
        .reads = counter_column(module, "READS"),
        .writes = counter_column(module, "WRITES"),
        .seq_reads = counter_column(module, "SEQ_READS"),
        .seq_writes = counter_column(module, "SEQ_WRITES"),
        .size_reads = counter_column(module, "SIZE_READ_0_100"),
        .not_aligned = counter_column(module, "FILE_NOT_ALIGNED"),
        .coll_writes = counter_column(module, "COLL_WRITES"),
        .read_time = counter_column(module, "F_READ_TIME"),
        .write_time = counter_column(module, "F_WRITE_TIME"),
        .meta_time = counter_column(module, "F_META_TIME"),
        .slowest_time = counter_column(module, "F_SLOWEST_RANK_TIME"),
        .slowest_rank = counter_column(module, "SLOWEST_RANK"),
    };
}

void profile_reader_module(struct profile_reader *reader, enum darshan_module_id id)
{
    reader->id = id;
    reader->at = columns_of(darshan_module(id));
}

/* A counter of a summary; NaN: the module or the log does not have it. */
static double counter(const struct darshan_summary *s, enum darshan_module_id id,
                      const char *name)
{
    int at = counter_column(darshan_module(id), name);
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
    p->io = costs.io;
    p->mean_s = p->values[PROFILE_PROCESSES] > 0 ? costs.mean_s : NAN;
    p->slowest_rank = costs.slowest_rank;
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        p->costs[i] = cost_unknown;
    p->costs[PROFILE_META_SHARE] = costs.meta;
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
    layers_sum_beside(&m->objects, &sums);
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

/* Once costs are known; as the file system saw it by the time of POSIX. */
static void fill_speeds(struct profile *p, const struct darshan_summary *main)
{
    double speed = ratio(p->values[PROFILE_BYTES] / MIB, p->io.high_s);
    p->values[PROFILE_SPEED] = speed > 0 ? speed : NAN;
    if (p->is_layered && main->mib_per_s > 0)
        p->values[PROFILE_FS_SPEED] = main->mib_per_s;
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
    p->values[PROFILE_SHARED_SHARE] = share(bytes - unique, bytes);
    p->values[PROFILE_META_CALLS] = ratio(call_sum, files);
    p->values[PROFILE_ACCESS] = ratio(bytes, accesses);
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

int profile_reader_new(const struct darshan_job *job, struct profile_reader **ret)
{
    struct profile_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return -ENOMEM;
    reader->job = job;
    reader->has_sizes = !log_has_wrong_sizes(job);
    *ret = reader;
    return 0;
}

void profile_reader_free(struct profile_reader *reader)
{
    if (!reader)
        return;
    io_time_done(&reader->time);
    io_time_done(&reader->outer);
    layers_done(&reader->layers);
    layers_done(&reader->objects);
    hashmap_done(&reader->targets_of);
    free(reader->files);
    free(reader);
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
    p.values[PROFILE_STRIPES] = ratio(reader->stripe_sum, (double)reader->layouts);
    p.fault_count = fault_count + (main->files_left_out > 0);
    int rc = fill_costs(reader, &p);
    fill_speeds(&p, main);
    fill_doubt(reader, &p);
    if (rc == 0)
        *ret = p;
    return rc;
}
