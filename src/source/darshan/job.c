/* SPDX-License-Identifier: Apache-2.0 */
/* job - who ran what, when, and what was mounted there. */
#include "source/darshan/job.h"

#include "base/span.h"

#define METADATA_BYTES 1024
#define NUMBERS_MAX 7
#define TEXT_BYTES_MAX ((size_t)16384) /* four times what Darshan writes */
#define NUMBER_WITH_NS 341

static size_t count_lines(struct span text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == '\n';
    return count;
}

static int read_metadata(struct span text, struct arena *arena, struct darshan_job *job)
{
    struct span line;
    job->metadata = arena_alloc(arena, count_lines(text) * sizeof *job->metadata);
    if (!job->metadata)
        return -ENOMEM;
    while (text.size > 0) {
        struct span key;
        (void)span_cut(&text, '\n', &line);
        if (!span_cut(&line, '=', &key))
            continue;
        struct darshan_metadata *m = &job->metadata[job->metadata_count];
        m->key = arena_dup(arena, key);
        m->value = arena_dup(arena, line);
        if (!m->key || !m->value)
            return -ENOMEM;
        job->metadata_count++;
    }
    return 0;
}

/* The longest path first, so that the first that fits is the right one; of equals the
 * one that the log names first. */
static void add_mount(struct darshan_job *job, struct darshan_mount mount)
{
    size_t at = job->mount_count++;
    size_t size = strlen(mount.path);
    for (; at > 0 && strlen(job->mounts[at - 1].path) < size; at--)
        job->mounts[at] = job->mounts[at - 1];
    job->mounts[at] = mount;
}

static int read_mounts(struct span text, struct arena *arena, struct darshan_job *job)
{
    struct span line;
    job->mounts = arena_alloc(arena, count_lines(text) * sizeof *job->mounts);
    if (!job->mounts)
        return -ENOMEM;
    while (text.size > 0) {
        struct span type;
        (void)span_cut(&text, '\n', &line);
        if (!span_cut(&line, '\t', &type) || line.size == 0)
            continue;
        struct darshan_mount mount = { arena_dup(arena, line), arena_dup(arena, type) };
        if (!mount.path || !mount.type)
            return -ENOMEM;
        add_mount(job, mount);
    }
    return 0;
}

/* Up to the first NUL, or all of it. */
static struct span until_nul(const char *data, size_t size)
{
    return (struct span){ data, strnlen(data, size) };
}

static int read_texts(struct darshan_stream *s, struct arena *arena,
                      struct darshan_job *job)
{
    AUTO(strbuf_done) struct strbuf buf = STRBUF_INIT;
    size_t got = darshan_stream_append(s, &buf, METADATA_BYTES);
    int rc = read_metadata(until_nul(strbuf_text(&buf), got), arena, job);
    if (rc < 0)
        return rc;
    strbuf_clear(&buf);
    got = darshan_stream_append(s, &buf, TEXT_BYTES_MAX);
    if (strbuf_error(&buf) < 0)
        return strbuf_error(&buf);
    struct span exe;
    struct span rest = until_nul(strbuf_text(&buf), got);
    (void)span_cut(&rest, '\n', &exe);
    const char *text = arena_dup(arena, exe);
    if (!text)
        return -ENOMEM;
    job->exe = text;
    return read_mounts(rest, arena, job);
}

int darshan_job_read(struct darshan_stream *s, const struct darshan_header *header,
                     struct arena *arena, struct darshan_job *ret)
{
    uint8_t data[NUMBERS_MAX * 8];
    int64_t numbers[NUMBERS_MAX];
    bool has_ns = header->number >= NUMBER_WITH_NS;
    size_t count = has_ns ? 7 : 5;
    *ret = (struct darshan_job){ .exe = "", .has_ns = has_ns };
    if (darshan_stream_read(s, data, count * 8) < count * 8)
        return -ENODATA;
    for (size_t i = 0; i < count; i++)
        numbers[i] = darshan_i64(data + i * 8, header->is_big);
    struct darshan_job job = { .exe = "", .has_ns = has_ns, .uid = numbers[0] };
    job.start_s = numbers[1];
    job.start_ns = has_ns ? numbers[2] : 0;
    job.end_s = numbers[has_ns ? 3 : 2];
    job.end_ns = has_ns ? numbers[4] : 0;
    job.nprocs = numbers[count - 2];
    job.jobid = numbers[count - 1];
    int rc = read_texts(s, arena, &job);
    if (rc < 0)
        return rc;
    *ret = job;
    return 0;
}

double darshan_job_seconds(const struct darshan_job *job)
{
    double seconds = (double)job->end_s - (double)job->start_s;
    if (!job->has_ns)
        return seconds + 1;
    return seconds + ((double)job->end_ns - (double)job->start_ns) * 1e-9;
}

/* "/home" holds "/home" and "/home/a", but not "/homes/a". */
static bool is_on(const char *path, const char *mount)
{
    size_t size = strlen(mount);
    if (strncmp(path, mount, size) != 0)
        return false;
    return path[size] == '\0' || path[size] == '/' || mount[size - 1] == '/';
}

const struct darshan_mount *darshan_job_mount(const struct darshan_job *job,
                                              const char *path)
{
    for (size_t i = 0; i < job->mount_count; i++)
        if (is_on(path, job->mounts[i].path))
            return &job->mounts[i];
    return NULL;
}
