/* SPDX-License-Identifier: Apache-2.0 */
/* profile_reader - the records of one log on their way into a profile. */
#include "analysis/job/profile_reader.h"

#include <stdlib.h>

#define GIB 1073741824.0
#define SIZE_COUNTERS 20 /* classes of reads, then of writes */
#define ONE_STRIPE_BYTES_MIN (16 * GIB)
#define ONE_STRIPE_PROCESSES_MIN 4

static void osts_note(struct profile_reader *m, const struct darshan_component *c)
{
    for (size_t i = 0; i < c->ost_count; i++)
        if (c->ost_ids[i] >= 0 && c->ost_ids[i] < SLOW_TARGET_OSTS_MAX)
            m->osts[c->ost_ids[i] / 8] |= (uint8_t)(1U << (c->ost_ids[i] % 8));
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
    for (size_t i = 0; i < r->component_count; i++)
        osts_note(m, &r->components[i]);
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

/* Whether it lies on one target, and was written collectively, or by all processes and
 * so much that the target counts. */
static bool is_one_stripe(const struct profile_reader *m,
                          const struct darshan_record *r)
{
    struct span key = { (const char *)&r->id, sizeof r->id };
    bool is_of_all = r->rank < 0 && m->job->nprocs >= ONE_STRIPE_PROCESSES_MIN &&
                     record_value(r, m->at.bytes_written) >= ONE_STRIPE_BYTES_MIN;
    return (record_value(r, m->at.coll_writes) > 0 || is_of_all) &&
           hashmap_get(&m->targets_of, key);
}

/* A record's time, without what its accesses were like. */
static struct io_record record_of(const struct profile_reader *m,
                                  const struct darshan_record *r)
{
    const struct record_columns *at = &m->at;
    struct io_record record = {
        .rank = r->rank,
        .move_s = record_time(r, at->read_time) + record_time(r, at->write_time),
        .meta_s = record_time(r, at->meta_time),
        .slowest_s = record_time(r, at->slowest_time),
        .slowest_rank = at->slowest_rank >= 0 ? r->counters[at->slowest_rank] : -1,
        .bytes = record_value(r, at->bytes_read) + record_value(r, at->bytes_written),
        .slowest_bytes = record_value(r, at->slowest_bytes),
        .shares = { [ACCESS_ONE_STRIPE] = is_one_stripe(m, r) ? 1 : 0 },
    };
    return record;
}

static int outer_add(struct profile_reader *m, const struct darshan_record *r)
{
    struct io_record record = record_of(m, r);
    uint32_t process;
    m->read_s += fmax(0, record_time(r, m->at.read_time));
    m->write_s += fmax(0, record_time(r, m->at.write_time));
    if (record.shares[ACCESS_ONE_STRIPE] > 0)
        m->one_stripe_s += fmax(0, record_time(r, m->at.write_time));
    return io_time_add(&m->outer, &record, &process);
}

/* What the accesses were like, and who had them. */
static int lower_add(struct profile_reader *m, const struct darshan_record *r)
{
    const struct record_columns *at = &m->at;
    struct io_record record = record_of(m, r);
    double accesses = record_value(r, at->reads) + record_value(r, at->writes);
    double ordered = record_value(r, at->seq_reads) + record_value(r, at->seq_writes);
    double small = access_size_small(r, m->has_sizes);
    record.shares[ACCESS_SMALL] = share(small, accesses);
    record.shares[ACCESS_UNALIGNED] = share(record_value(r, at->not_aligned), accesses);
    record.shares[ACCESS_RANDOM] =
        at->seq_reads >= 0 ? share(fmax(0, accesses - ordered - 1), accesses) : NAN;
    for (int i = 0; at->size_reads >= 0 && i < SIZE_COUNTERS; i++)
        m->classed[m->id] += record_value(r, at->size_reads + i);
    m->small[m->id] += small;
    uint32_t process;
    int rc = io_time_add(&m->time, &record, &process);
    return rc < 0 || process == UINT32_MAX ? rc : add_target(m, r, process);
}

/* Objects have ids of their own: below MPI-IO they are where files of it have nothing
 * else below. */
static int object_add(struct profile_reader *m, const struct darshan_record *r,
                      struct layer_bytes bytes, bool *ret_is_inside)
{
    const struct layer_bytes nothing = { 0, 0 };
    bool is_file = !m->has_open && !m->objects.count;
    if (m->id == DARSHAN_DAOS) {
        int rc = layers_add_lower(&m->objects, r->id, m->has_open ? nothing : bytes,
                                  is_file, ret_is_inside);
        if (m->has_open && !*ret_is_inside)
            layers_add_below(&m->layers, bytes);
        *ret_is_inside |= m->has_open;
        return rc;
    }
    *ret_is_inside = m->has_open;
    if (m->has_open)
        layers_add_below(&m->layers, bytes);
    return layers_add_upper(&m->objects, r->id, m->has_open ? nothing : bytes);
}

int profile_reader_add(struct profile_reader *reader,
                       const struct darshan_record *record, bool is_file)
{
    struct profile_reader *m = reader;
    const struct layer_bytes bytes = { record_value(record, m->at.bytes_read),
                                       record_value(record, m->at.bytes_written) };
    bool is_object = m->id == DARSHAN_DFS || m->id == DARSHAN_DAOS;
    bool is_inside = false;
    bool is_negative = record_is_negative(record, &m->at);
    int rc = 0;
    m->suspects += is_negative;
    if (is_negative)
        return 0;
    layer_use_add(&m->layers_used[log_layer_of(m->id)], &m->used, record);
    if (is_object)
        rc = object_add(m, record, bytes, &is_inside);
    else if (m->id == DARSHAN_MPIIO)
        rc = layers_add_upper(&m->layers, record->id, bytes);
    else
        rc = layers_add_lower(&m->layers, record->id, bytes,
                              is_file && !m->objects.count, &is_inside);
    if (rc == 0 && m->id != DARSHAN_MPIIO)
        rc = lower_add(m, record);
    return rc < 0 || is_inside ? rc : outer_add(m, record);
}

void profile_reader_use(struct profile_reader *reader,
                        const struct darshan_record *record)
{
    enum log_layer layer = log_layer_of(reader->id);
    if (layer < LOG_LAYERS)
        layer_use_add(&reader->layers_used[layer], &reader->used, record);
    mpi_calls_add(&reader->mpi, record);
}

void profile_reader_module(struct profile_reader *reader, enum darshan_module_id id)
{
    const struct darshan_module *module = darshan_module(id);
    bool is_first_object =
        (id == DARSHAN_DFS || id == DARSHAN_DAOS) && reader->objects.count == 0;
    reader->id = id;
    reader->at = record_columns_of(module);
    layer_columns_find(module, &reader->used);
    if (is_first_object)
        reader->has_open = layers_has_open(&reader->layers);
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
