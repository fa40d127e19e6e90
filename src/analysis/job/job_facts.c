/* SPDX-License-Identifier: Apache-2.0 */
/* job_facts - what a Darshan log says of its job: who, when, how much, how fast. */
#include "analysis/job/job_facts.h"

#include "analysis/job/job_value.h"
#include "analysis/log/log.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "source/darshan/darshan.h"

#include <math.h>

#define FILES_MAX ((size_t)4 << 20) /* distinguished by interface and direction */

static const char *const posix_names[JOB_POSIX_COUNTERS] = {
    [JOB_POSIX_BYTES_READ] = "POSIX_BYTES_READ",
    [JOB_POSIX_BYTES_WRITTEN] = "POSIX_BYTES_WRITTEN",
    [JOB_POSIX_F_META_TIME] = "POSIX_F_META_TIME",
    [JOB_POSIX_F_READ_TIME] = "POSIX_F_READ_TIME",
    [JOB_POSIX_F_WRITE_TIME] = "POSIX_F_WRITE_TIME",
    [JOB_POSIX_FILE_NOT_ALIGNED] = "POSIX_FILE_NOT_ALIGNED",
    [JOB_POSIX_MEM_NOT_ALIGNED] = "POSIX_MEM_NOT_ALIGNED",
    [JOB_POSIX_OPENS] = "POSIX_OPENS",
    [JOB_POSIX_READS] = "POSIX_READS",
    [JOB_POSIX_SEQ_READS] = "POSIX_SEQ_READS",
    [JOB_POSIX_SEQ_WRITES] = "POSIX_SEQ_WRITES",
    [JOB_POSIX_STATS] = "POSIX_STATS",
    [JOB_POSIX_WRITES] = "POSIX_WRITES",
};

static const struct {
    const char *word;
    enum darshan_module_id id;
    const char *read;
    const char *written;
} apis[JOB_APIS] = {
    [JOB_API_POSIX] = { "posix", DARSHAN_POSIX, "POSIX_BYTES_READ",
                        "POSIX_BYTES_WRITTEN" },
    [JOB_API_MPIIO] = { "mpiio", DARSHAN_MPIIO, "MPIIO_BYTES_READ",
                        "MPIIO_BYTES_WRITTEN" },
    [JOB_API_STDIO] = { "stdio", DARSHAN_STDIO, "STDIO_BYTES_READ",
                        "STDIO_BYTES_WRITTEN" },
};

enum { READ, WRITE, DIRECTIONS };

/* Bytes of one direction by interface and place; the last place is the unknown one. */
struct flow {
    bool has_api[JOB_APIS];
    size_t first_place[JOB_APIS]; /* of its first record */
    int64_t api_bytes[JOB_APIS];
    int64_t *fs_bytes[JOB_APIS];
    struct hashmap files[JOB_APIS];
};

struct job_facts_reader {
    const struct darshan_log *log;
    struct arena *arena; /* of the texts */
    struct job_facts facts;
    int64_t posix_records;
    struct flow flows[DIRECTIONS];
    size_t place_count; /* mounts and the unknown one */
    enum job_api api;   /* being read */
    int columns[DIRECTIONS];
    int counters[JOB_POSIX_COUNTERS]; /* of POSIX: among the integers, or the floats */
};

static bool is_float(size_t counter)
{
    return counter >= JOB_POSIX_F_META_TIME && counter <= JOB_POSIX_F_WRITE_TIME;
}

/* Counters that a version does not know are -1: nothing is added for them. */
static void posix_add(struct job_facts_reader *r, const struct darshan_record *record)
{
    struct job_facts *facts = &r->facts;
    for (size_t i = 0; i < JOB_POSIX_COUNTERS; i++) {
        struct job_counter *c = &facts->posix[i];
        double value = is_float(i) ? record->f_counters[r->counters[i]]
                                   : (double)record->counters[r->counters[i]];
        if (!isfinite(value) || value < 0)
            value = 0;
        bool is_first = r->posix_records == 0;
        c->total = is_first ? value : c->total + value;
        c->min = is_first || value < c->min ? value : c->min;
        c->max = is_first || value > c->max ? value : c->max;
    }
    r->posix_records++;
}

static size_t place_of(const struct job_facts_reader *r,
                       const struct darshan_record *record)
{
    const struct darshan_job *job = darshan_log_job(r->log);
    const char *name = darshan_log_name(r->log, record->id);
    const struct darshan_mount *mount = name ? darshan_job_mount(job, name) : NULL;
    return mount ? (size_t)(mount - job->mounts) : job->mount_count;
}

static int flow_add(struct job_facts_reader *r, int direction,
                    const struct darshan_record *record, int64_t bytes)
{
    struct flow *flow = &r->flows[direction];
    struct hashmap *files = &flow->files[r->api];
    int64_t *total = &flow->api_bytes[r->api];
    size_t place = place_of(r, record);
    int64_t *fs = &flow->fs_bytes[r->api][place];
    if (!flow->has_api[r->api])
        flow->first_place[r->api] = place; /* where nothing flowed, it might have */
    flow->has_api[r->api] = true;
    if (bytes <= 0)
        return 0;
    if (__builtin_add_overflow(*total, bytes, total))
        *total = INT64_MAX; /* of a damaged log */
    if (__builtin_add_overflow(*fs, bytes, fs))
        *fs = INT64_MAX;
    const struct span id = { (const char *)&record->id, sizeof record->id };
    if (files->count < FILES_MAX && !hashmap_put(files, id, NULL))
        return -ENOMEM;
    return 0;
}

int job_facts_reader_add(struct job_facts_reader *reader,
                         const struct darshan_record *record)
{
    struct job_facts_reader *r = reader;
    int rc = 0;
    if (r->api == JOB_API_POSIX)
        posix_add(r, record);
    for (int direction = 0; rc == 0 && direction < DIRECTIONS; direction++)
        rc = flow_add(r, direction, record, record->counters[r->columns[direction]]);
    return rc;
}

void job_facts_reader_module(struct job_facts_reader *reader, enum darshan_module_id id)
{
    struct job_facts_reader *r = reader;
    const struct darshan_module *module = darshan_module(id);
    unsigned api = 0;
    while (api + 1 < JOB_APIS && apis[api].id != id)
        api++;
    r->api = api;
    r->columns[READ] = darshan_counter_find(module, apis[api].read);
    r->columns[WRITE] = darshan_counter_find(module, apis[api].written);
    for (size_t i = 0; api == JOB_API_POSIX && i < JOB_POSIX_COUNTERS; i++)
        r->counters[i] = is_float(i) ? darshan_f_counter_find(module, posix_names[i])
                                     : darshan_counter_find(module, posix_names[i]);
}

static void counters_end(struct job_facts_reader *r)
{
    for (size_t i = 0; r->posix_records > 0 && i < JOB_POSIX_COUNTERS; i++) {
        struct job_counter *c = &r->facts.posix[i];
        c->records = r->posix_records;
        c->mean = c->total / (double)r->posix_records;
    }
}

/* The place is the biggest of the interface that is the biggest: bytes of a file are
 * seen by MPI-IO and again by the POSIX below it, and must not be added. */
static int biggest_find(const struct job_facts_reader *r, const struct flow *flow,
                        struct job_biggest *ret)
{
    const struct darshan_job *job = darshan_log_job(r->log);
    int api = -1;
    for (int i = 0; i < JOB_APIS; i++)
        if (flow->has_api[i] && (api < 0 || flow->api_bytes[i] > flow->api_bytes[api]))
            api = i;
    if (api < 0)
        return 0;
    size_t place = flow->first_place[api];
    const int64_t *bytes = flow->fs_bytes[api];
    for (size_t i = 0; i < r->place_count; i++)
        if (bytes[i] > bytes[place])
            place = i;
    bool is_known = place < job->mount_count;
    ret->api = apis[api].word;
    ret->api_bytes = flow->api_bytes[api];
    ret->api_files = (int64_t)flow->files[api].count;
    ret->fs_bytes = bytes[place];
    ret->fs =
        is_known ? arena_dup(r->arena, span_of(job->mounts[place].path)) : "_unknown";
    return ret->fs ? 0 : -ENOMEM;
}

static int flows_new(struct job_facts_reader *r)
{
    r->place_count = darshan_log_job(r->log)->mount_count + 1;
    for (int direction = 0; direction < DIRECTIONS; direction++)
        for (int api = 0; api < JOB_APIS; api++) {
            int64_t **bytes = &r->flows[direction].fs_bytes[api];
            *bytes = calloc(r->place_count, sizeof **bytes);
            if (!*bytes)
                return -ENOMEM;
        }
    return 0;
}

static void flows_done(struct job_facts_reader *r)
{
    for (int direction = 0; direction < DIRECTIONS; direction++)
        for (int api = 0; api < JOB_APIS; api++) {
            free(r->flows[direction].fs_bytes[api]);
            hashmap_done(&r->flows[direction].files[api]);
        }
}

static int job_read(struct job_facts_reader *r)
{
    const struct darshan_job *job = darshan_log_job(r->log);
    struct job_facts *facts = &r->facts;
    size_t app_size = strcspn(job->exe, " ");
    char id[24];
    (void)snprintf(id, sizeof id, "%lld", (long long)job->jobid);
    facts->app = arena_dup(r->arena, (struct span){ job->exe, app_size });
    facts->jobid = arena_dup(r->arena, span_of(id));
    facts->nprocs = job->nprocs;
    facts->start_s = job->start_s;
    facts->end_s = job->end_s;
    facts->walltime_s = log_run_s(job);
    return facts->app && facts->jobid ? 0 : -ENOMEM;
}

static struct job_facts facts_missing(void)
{
    const struct job_counter counter = { NAN, NAN, NAN, NAN, JOB_I64_NONE };
    const struct job_biggest biggest = { NULL, JOB_I64_NONE, JOB_I64_NONE, NULL,
                                         JOB_I64_NONE };
    struct job_facts facts = { .posix_bytes = NAN,
                               .posix_mib_per_s = NAN,
                               .posix_io_s = NAN,
                               .read = biggest,
                               .write = biggest };
    for (size_t i = 0; i < JOB_POSIX_COUNTERS; i++)
        facts.posix[i] = counter;
    return facts;
}

int job_facts_reader_new(const struct darshan_log *log, struct arena *arena,
                         struct job_facts_reader **ret)
{
    AUTO(job_facts_reader_free) struct job_facts_reader *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->log = log;
    r->arena = arena;
    r->facts = facts_missing();
    int rc = job_read(r);
    if (rc == 0)
        rc = flows_new(r);
    if (rc == 0)
        *ret = TAKE(r);
    return rc;
}

void job_facts_reader_free(struct job_facts_reader *reader)
{
    if (!reader)
        return;
    flows_done(reader);
    free(reader);
}

int job_facts_reader_end(struct job_facts_reader *reader,
                         const struct darshan_summary *posix, bool is_damaged,
                         struct job_facts *ret)
{
    struct job_facts_reader *r = reader;
    struct job_facts *facts = &r->facts;
    facts->is_damaged = is_damaged;
    counters_end(r);
    if (r->posix_records > 0) {
        facts->posix_bytes = (double)posix->bytes;
        facts->posix_io_s = posix->io_s;
        facts->posix_mib_per_s = posix->io_s > 0 ? posix->mib_per_s : NAN;
    }
    int rc = biggest_find(r, &r->flows[READ], &facts->read);
    if (rc == 0)
        rc = biggest_find(r, &r->flows[WRITE], &facts->write);
    if (rc == 0)
        *ret = *facts;
    return rc;
}

const char *job_facts_mount(const struct job_facts *facts)
{
    const struct job_biggest *more =
        facts->write.fs_bytes >= facts->read.fs_bytes ? &facts->write : &facts->read;
    if (!more->fs || strcmp(more->fs, "_unknown") == 0)
        return NULL;
    return more->fs;
}
