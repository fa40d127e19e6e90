/* SPDX-License-Identifier: Apache-2.0 */
/* log - one Darshan log, open for reading. */
#include "source/darshan/log.h"

#include "source/darshan/names.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#define NAMES_BYTES_DEFAULT (UINT64_C(256) << 20)
#define RECORD_BYTES_DEFAULT ((size_t)64 << 20)
/* zlib packs nothing tighter than 1032 to 1.  bzip2 does, but not records that differ.
 */
#define REGION_BYTES_FREE (UINT64_C(64) << 20)
#define REGION_RATIO UINT64_C(1100)
#define JOB_ARENA_BYTES ((size_t)4 << 20)

struct darshan_log {
    struct darshan_input input;
    struct darshan_opts opts;
    struct darshan_header header;
    struct darshan_job job;
    struct darshan_names names;
    struct arena arena; /* the job's texts */
};

__attribute__((format(printf, 3, 4))) static void tell(const struct darshan_log *log,
                                                       enum darshan_fault kind,
                                                       const char *fmt, ...)
{
    char text[256];
    if (!log->opts.on_fault)
        return;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    log->opts.on_fault(log->opts.arg, kind, text);
}

#define damage(log, ...) tell((log), DARSHAN_FAULT_DAMAGED, __VA_ARGS__)
#define skipped(log, ...) tell((log), DARSHAN_FAULT_SKIPPED, __VA_ARGS__)

static int stream_of(const struct darshan_log *log, struct darshan_region region,
                     struct darshan_stream **ret)
{
    uint64_t bytes_max = log->opts.region_bytes_max;
    uint64_t packed = region.size < log->input.size ? region.size : log->input.size;
    if (bytes_max == 0)
        bytes_max = packed < UINT64_MAX / REGION_RATIO - REGION_BYTES_FREE
                        ? REGION_BYTES_FREE + packed * REGION_RATIO
                        : UINT64_MAX;
    return darshan_stream_new(&log->input, log->header.compression, region, bytes_max,
                              ret);
}

static int read_job(struct darshan_log *log)
{
    AUTO(darshan_stream_free) struct darshan_stream *s = NULL;
    int rc = stream_of(log, log->header.job, &s);
    if (rc < 0)
        return rc;
    rc = darshan_job_read(s, &log->header, &log->arena, &log->job);
    int trouble = darshan_stream_trouble(s);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0 && trouble == 0)
        trouble = rc;
    if (trouble < 0)
        damage(log, "job: %s", darshan_trouble_text(trouble));
    return 0;
}

static int read_names(struct darshan_log *log)
{
    AUTO(darshan_stream_free) struct darshan_stream *s = NULL;
    if (log->header.names.size == 0)
        return 0;
    int rc = stream_of(log, log->header.names, &s);
    if (rc == 0)
        rc = darshan_names_read(&log->names, s, &log->header);
    if (rc < 0)
        return rc;
    if (darshan_stream_trouble(s) < 0)
        damage(log, "names: %s after %zu names",
               darshan_trouble_text(darshan_stream_trouble(s)), log->names.map.count);
    else if (log->names.left_out > 0)
        damage(log, "names: %zu too long or too many", log->names.left_out);
    return 0;
}

static int log_start(struct darshan_log *log, const struct darshan_opts *opts,
                     struct err *err)
{
    if (opts)
        log->opts = *opts;
    log->input.until_ns = log->opts.until_ns;
    if (log->opts.names_bytes_max == 0)
        log->opts.names_bytes_max = NAMES_BYTES_DEFAULT;
    if (log->opts.record_bytes_max == 0)
        log->opts.record_bytes_max = RECORD_BYTES_DEFAULT;
    arena_init(&log->arena, JOB_ARENA_BYTES);
    darshan_names_init(&log->names, (size_t)log->opts.names_bytes_max);
    int rc = darshan_header_read(&log->input, &log->header, err);
    if (rc < 0)
        return rc;
    rc = read_job(log);
    if (rc == 0)
        rc = read_names(log);
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}

int darshan_log_open_memory(const void *data, size_t size,
                            const struct darshan_opts *opts, struct darshan_log **ret,
                            struct err *err)
{
    AUTO(darshan_log_close) struct darshan_log *log = calloc(1, sizeof *log);
    if (!log)
        return err_set(err, ENOMEM, "%s", strerror(ENOMEM));
    log->input = (struct darshan_input){ .fd = -1, .data = data, .size = size };
    int rc = log_start(log, opts, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(log);
    return 0;
}

int darshan_log_open(const char *path, const struct darshan_opts *opts,
                     struct darshan_log **ret, struct err *err)
{
    struct stat st;
    /* A FIFO without a writer must not hold us: O_NONBLOCK means nothing to files. */
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, EINVAL, "%s: not a regular file", path);
    AUTO(darshan_log_close) struct darshan_log *log = calloc(1, sizeof *log);
    if (!log)
        return err_set(err, ENOMEM, "%s", strerror(ENOMEM));
    log->input =
        (struct darshan_input){ .fd = TAKE_FD(fd), .size = (uint64_t)st.st_size };
    int rc = log_start(log, opts, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", path);
    *ret = TAKE(log);
    return 0;
}

void darshan_log_close(struct darshan_log *log)
{
    if (!log)
        return;
    if (log->input.fd >= 0)
        (void)close(log->input.fd);
    darshan_names_done(&log->names);
    arena_done(&log->arena);
    free(log);
}

const struct darshan_header *darshan_log_header(const struct darshan_log *log)
{
    return &log->header;
}

const struct darshan_job *darshan_log_job(const struct darshan_log *log)
{
    return &log->job;
}

const char *darshan_log_name(const struct darshan_log *log, uint64_t id)
{
    return darshan_names_get(&log->names, id);
}

bool darshan_log_has(const struct darshan_log *log, unsigned slot)
{
    return slot < log->header.slot_count && log->header.slots[slot].region.size > 0;
}

bool darshan_log_is_readable(const struct darshan_log *log, unsigned slot)
{
    if (!darshan_log_has(log, slot))
        return false;
    uint32_t version = log->header.slots[slot].version;
    uint32_t newest = darshan_module(log->header.slots[slot].id)->version_newest;
    return version >= 1 && version <= newest;
}

/* Why a slot's records are not read. */
static void tell_skipped(const struct darshan_log *log, unsigned slot)
{
    const struct darshan_slot *s = &log->header.slots[slot];
    const struct darshan_module *module = darshan_module(s->id);
    if (s->id == DARSHAN_UNKNOWN)
        skipped(log, "module %u is not known: skipped", slot);
    else if (module->kind == DARSHAN_KIND_SKIPPED)
        skipped(log, "%s: records of this module are not read: skipped", module->name);
    else
        skipped(log, "%s: version %" PRIu32 " is not known: skipped", module->name,
                s->version);
}

int darshan_log_read(struct darshan_log *log, unsigned slot,
                     const struct darshan_visitor *visitor)
{
    AUTO(darshan_stream_free) struct darshan_stream *s = NULL;
    if (!darshan_log_has(log, slot))
        return 0;
    if (!darshan_log_is_readable(log, slot)) {
        tell_skipped(log, slot);
        return 0;
    }
    struct darshan_reader reader = { .slot = &log->header.slots[slot],
                                     .is_big = log->header.is_big,
                                     .record_bytes_max = log->opts.record_bytes_max };
    const char *name = darshan_module(reader.slot->id)->name;
    int rc = stream_of(log, reader.slot->region, &s);
    if (rc == 0)
        rc = darshan_records_read(&reader, s, visitor);
    if (rc == -ENOMEM)
        return rc;
    if (rc == -ENOTSUP) {
        skipped(log, "%s: this layout of its version is not known: skipped", name);
        rc = 0;
    }
    int trouble = darshan_stream_trouble(s);
    if (trouble == 0 && (rc == -EBADMSG || rc == -EFBIG))
        trouble = rc;
    if (trouble < 0)
        damage(log, "%s: %s after %" PRIu64 " records", name,
               darshan_trouble_text(trouble), reader.count);
    if (reader.omitted > 0)
        damage(log,
               "%s: %" PRIu64
               " records left out: version 1 mixes stdio calls into them",
               name, reader.omitted);
    return rc == -EBADMSG || rc == -EFBIG ? 0 : rc;
}
