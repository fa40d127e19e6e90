/* SPDX-License-Identifier: Apache-2.0 */
/* job_traffic - the bytes that a job moved, second by second, as its log tells. */
#include "analysis/job/job_traffic.h"

#include "source/darshan/darshan.h"

#include <math.h>
#include <string.h>

struct reading {
    struct darshan_log *log;
    struct job_traffic *t;
    double *slopes; /* bytes a second that begin, or end, with each second */
    const struct darshan_module *module; /* the present one */
    /* Places of its counters; -1: it has none. */
    int bytes[2], starts[2], ends[2];
};

static double clamp(double value, double most)
{
    return value > 0 ? fmin(value, most) : 0; /* what is no number, too */
}

/* Bytes evenly from one second since the start to another. */
static void spread(struct reading *r, double from_s, double to_s, double bytes)
{
    double most = (double)r->t->count - 1e-6;
    from_s = clamp(from_s, most);
    to_s = clamp(to_s, most);
    size_t first = (size_t)from_s;
    size_t last = (size_t)to_s;
    if (!(bytes > 0))
        return;
    if (last <= first) {
        r->t->bytes[first] += bytes;
        return;
    }
    double rate = bytes / (to_s - from_s);
    r->t->bytes[first] += rate * ((double)first + 1 - from_s);
    r->t->bytes[last] += rate * (to_s - (double)last);
    r->slopes[first + 1] += rate;
    r->slopes[last] -= rate;
}

static int heatmap_record(void *arg, const struct darshan_record *record)
{
    struct reading *r = arg;
    const char *name = darshan_log_name(r->log, record->id);
    if (name && !strstr(name, "POSIX") && !strstr(name, "STDIO"))
        return 0; /* MPI-IO's bytes pass through POSIX once more */
    for (size_t i = 0; i < record->bin_count; i++) {
        double at = (double)i * record->bin_width_s;
        double bytes = (double)record->read_bins[i] + (double)record->write_bins[i];
        spread(r, at, at + record->bin_width_s, bytes);
    }
    return 0;
}

static int any_record(void *arg, const struct darshan_record *record)
{
    (void)arg;
    (void)record;
    return 0;
}

static int traced(void *arg, enum darshan_direction direction,
                  const struct darshan_segment *segments, size_t count)
{
    struct reading *r = arg;
    (void)direction;
    for (size_t i = 0; i < count; i++)
        spread(r, segments[i].start_s, segments[i].end_s,
               (double)segments[i].length_bytes);
    return 0;
}

static void places_find(struct reading *r, const struct darshan_module *module)
{
    static const char *const words[] = { "READ", "WRITE" };
    static const char *const bytes[] = { "READ", "WRITTEN" };
    char name[64];
    r->module = module;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        (void)snprintf(name, sizeof name, "%s_BYTES_%s", module->prefix, bytes[i]);
        r->bytes[i] = darshan_counter_find(module, name);
        (void)snprintf(name, sizeof name, "%s_F_%s_START_TIMESTAMP", module->prefix,
                       words[i]);
        r->starts[i] = darshan_f_counter_find(module, name);
        (void)snprintf(name, sizeof name, "%s_F_%s_END_TIMESTAMP", module->prefix,
                       words[i]);
        r->ends[i] = darshan_f_counter_find(module, name);
    }
}

static int file_record(void *arg, const struct darshan_record *record)
{
    struct reading *r = arg;
    if (record->module != r->module)
        places_find(r, record->module);
    for (size_t i = 0; i < 2; i++)
        if (r->bytes[i] >= 0 && r->starts[i] >= 0 && r->ends[i] >= 0 &&
            record->f_counters[r->ends[i]] > 0)
            spread(r, record->f_counters[r->starts[i]], record->f_counters[r->ends[i]],
                   (double)record->counters[r->bytes[i]]);
    return 0;
}

/* The parts of the interior, now that every slope is known. */
static void slopes_add(struct reading *r)
{
    double rate = 0;
    for (size_t i = 0; i < r->t->count; i++) {
        rate += r->slopes[i];
        r->t->bytes[i] += fmax(0, rate); /* what rounding leaves is no traffic */
        r->t->total += r->t->bytes[i];
    }
}

static int modules_read(struct reading *r, const enum darshan_module_id *ids,
                        size_t count, const struct darshan_visitor *visitor,
                        const char *source)
{
    const struct darshan_header *header = darshan_log_header(r->log);
    int rc = 0;
    memset(r->t->bytes, 0, r->t->count * sizeof(double));
    memset(r->slopes, 0, (r->t->count + 1) * sizeof(double));
    r->t->total = 0;
    for (unsigned slot = 0; rc == 0 && slot < header->slot_count; slot++)
        for (size_t i = 0; rc == 0 && i < count; i++)
            if (darshan_log_is_readable(r->log, slot) &&
                header->slots[slot].id == ids[i])
                rc = darshan_log_read(r->log, slot, visitor);
    slopes_add(r);
    r->t->source = source;
    return rc;
}

static int traffic_read(struct reading *r, struct err *err)
{
    static const enum darshan_module_id maps[] = { DARSHAN_HEATMAP };
    static const enum darshan_module_id traces[] = { DARSHAN_DXT_POSIX };
    static const enum darshan_module_id files[] = { DARSHAN_POSIX, DARSHAN_STDIO };
    const struct darshan_visitor by_map = { .record = heatmap_record, .arg = r };
    const struct darshan_visitor by_trace = { any_record, traced, r };
    const struct darshan_visitor by_file = { .record = file_record, .arg = r };
    int rc = modules_read(r, maps, COUNT_OF(maps), &by_map, "heat map");
    if (rc == 0 && !(r->t->total > 0))
        rc = modules_read(r, traces, COUNT_OF(traces), &by_trace, "traces");
    if (rc == 0 && !(r->t->total > 0))
        rc = modules_read(r, files, COUNT_OF(files), &by_file, "times of files");
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    if (!(r->t->total > 0))
        return err_set(err, ENODATA, "the log has no times at which bytes were moved");
    return 0;
}

int job_traffic_read(struct darshan_log *log, struct job_traffic *ret, struct err *err)
{
    AUTO(job_traffic_done) struct job_traffic t = { 0 };
    AUTO_FREE double *slopes = NULL;
    const struct darshan_job *job = darshan_log_job(log);
    double seconds = darshan_job_seconds(job);
    if (!(seconds < (double)JOB_TRAFFIC_SECONDS_MAX))
        return err_set(err, EFBIG, "the job lasted too long");
    t.start_s = job->start_s;
    t.count = seconds > 0 ? (size_t)ceil(seconds) + 1 : 1;
    t.bytes = calloc(t.count, sizeof(double));
    slopes = calloc(t.count + 1, sizeof(double));
    if (!t.bytes || !slopes)
        return err_set(err, ENOMEM, "out of memory");
    struct reading r = { .log = log, .t = &t, .slopes = slopes };
    int rc = traffic_read(&r, err);
    if (rc < 0)
        return rc;
    *ret = t;
    t.bytes = NULL;
    return 0;
}

void job_traffic_done(struct job_traffic *traffic)
{
    free(traffic->bytes);
    traffic->bytes = NULL;
}
