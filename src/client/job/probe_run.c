/* SPDX-License-Identifier: Apache-2.0 */
/* probe_run - a phase of a probe as a job's context. */
#include "client/job/probe_run.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "source/probe/probe.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define MIB 1048576.0
#define RECORD_SUFFIX ".json"
#define STAMP_SIZE 16 /* "20261121T030000Z" */

const char *const probe_run_suffixes[2] = { ":write", ":read" };

/* "20261121T030000Z-4711-hacc.json" */
static bool begins_with_stamp(const char *name)
{
    if (strlen(name) <= STAMP_SIZE || name[8] != 'T' || name[STAMP_SIZE - 1] != 'Z' ||
        name[STAMP_SIZE] != '-')
        return false;
    for (size_t i = 0; i < STAMP_SIZE - 1; i++)
        if (i != 8 && !isdigit((unsigned char)name[i]))
            return false;
    return true;
}

bool probe_run_is_record(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return span_ends(span_of(name), RECORD_SUFFIX) && begins_with_stamp(name);
}

bool probe_run_is_log(const char *name)
{
    return span_ends(span_of(name), ".darshan") && begins_with_stamp(name);
}

bool probe_run_is_phase(const char *name, size_t *ret_path)
{
    struct span text = span_of(name);
    for (size_t i = 0; i < COUNT_OF(probe_run_suffixes); i++) {
        if (!span_ends(text, probe_run_suffixes[i]))
            continue;
        text.size -= strlen(probe_run_suffixes[i]);
        AUTO_FREE char *path = span_dup(text);
        if (!path || !probe_run_is_record(path))
            return false;
        if (ret_path)
            *ret_path = text.size;
        return true;
    }
    return false;
}

static int64_t floor_s(int64_t t_ns)
{
    return t_ns / NS_PER_S - (t_ns % NS_PER_S < 0);
}

static double seconds(int64_t ns)
{
    return (double)ns / (double)NS_PER_S;
}

static void total_set(struct job_facts *facts, enum job_posix_counter counter,
                      double value)
{
    facts->posix[counter].total = value;
}

/* What baro-abc did is known; what its libraries made of it is not: the counts of
 * MPI-IO and HDF5 are no counts of POSIX. */
static void posix_set(const struct probe_record *record, const struct probe_phase *p,
                      bool is_write, struct job_facts *facts)
{
    total_set(facts, JOB_POSIX_BYTES_WRITTEN, is_write ? (double)p->bytes : 0.0);
    total_set(facts, JOB_POSIX_BYTES_READ, is_write ? 0.0 : (double)p->bytes);
    facts->posix_bytes = (double)p->bytes;
    facts->posix_io_s = seconds(p->slowest_ns);
    if (p->slowest_ns > 0)
        facts->posix_mib_per_s = (double)p->bytes / seconds(p->slowest_ns) / MIB;
    if (!record->interface || strcmp(record->interface, "posix") != 0)
        return;
    total_set(facts, JOB_POSIX_OPENS, (double)p->opens);
    total_set(facts, JOB_POSIX_WRITES, is_write ? (double)p->transfers : 0.0);
    total_set(facts, JOB_POSIX_READS, is_write ? 0.0 : (double)p->transfers);
    total_set(facts, JOB_POSIX_F_META_TIME, seconds(p->metadata_ns));
    total_set(facts, is_write ? JOB_POSIX_F_WRITE_TIME : JOB_POSIX_F_READ_TIME,
              seconds(p->transfer_ns));
}

static void facts_set(const struct probe_record *record, size_t index,
                      struct job_context *c)
{
    const struct probe_phase *p = &record->phases[index];
    const bool is_write = index == PROBE_WRITE;
    struct job_facts *facts = &c->facts;
    struct job_biggest moved = { job_context_text(c, record->interface),
                                 (int64_t)p->bytes, (int64_t)p->files,
                                 job_context_text(c, record->mount),
                                 (int64_t)p->bytes };
    struct job_biggest none = { moved.api, 0, 0, moved.fs, 0 };
    facts->app = job_context_text(c, p->name);
    facts->jobid = job_context_text(c, record->job);
    facts->nprocs = (int64_t)record->processes;
    facts->start_s = floor_s(p->start_ns);
    facts->end_s = floor_s(p->start_ns + p->wall_ns);
    facts->walltime_s = seconds(p->wall_ns);
    facts->write = is_write ? moved : none;
    facts->read = is_write ? none : moved;
    facts->is_damaged = 0;
    posix_set(record, p, is_write, facts);
}

/* What the record says of itself beyond what readers found. */
static int identity_set(const struct probe_record *record, size_t index,
                        struct job_context *c)
{
    struct job_identity *identity = &c->identity;
    AUTO(strbuf_done) struct strbuf id = STRBUF_INIT;
    strbuf_addf(&id, "%s-%s", record->id, probe_run_suffixes[index] + 1);
    if (strbuf_error(&id) < 0)
        return -ENOMEM;
    identity->id = job_context_text(c, strbuf_text(&id));
    if (!identity->cluster || !identity->cluster[0])
        identity->cluster = job_context_text(c, record->cluster);
    if (record->file_system && strcmp(record->file_system, "unknown") != 0)
        identity->file_system = job_context_text(c, record->file_system);
    return c->error;
}

static int phase_build(const struct job_inputs *inputs, struct span text, size_t index,
                       struct job_context *context, struct err *err)
{
    AUTO(arena_done) struct arena arena;
    struct probe_record record = { 0 };
    arena_init(&arena, PROBE_RECORD_BYTES_MAX);
    int rc = probe_record_parse(text, &arena, &record, err);
    if (rc < 0)
        return rc;
    const struct probe_phase *p = &record.phases[index];
    if (!p->name || !p->is_done || p->start_ns <= 0)
        return err_set(err, ENODATA, "this phase did not come to its end");
    facts_set(&record, index, context);
    context->identity.nodes = job_context_text(context, record.nodes);
    rc = context->error < 0 ? context->error : job_build_around(inputs, context, err);
    return rc < 0 ? rc : identity_set(&record, index, context);
}

int probe_run_build(const struct job_inputs *inputs, const char *name,
                    struct job_context *context, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    size_t size = 0;
    if (!probe_run_is_phase(name, &size))
        return err_set(err, EINVAL, "%s: it is no phase of a record", name);
    AUTO_FREE char *path = span_dup((struct span){ name, size });
    if (!path)
        return err_set(err, ENOMEM, "out of memory");
    context->identity.log = job_context_text(context, name);
    int rc = file_read(path, PROBE_RECORD_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    size_t index = strcmp(name + size, probe_run_suffixes[PROBE_READ]) == 0;
    rc = phase_build(inputs, strbuf_span(&text), index, context, err);
    return rc < 0 ? err_prefix(err, rc, "%s", name) : 0;
}
