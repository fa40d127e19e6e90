/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - the jobs of a node, by their cgroups as Slurm names them.
 *
 *     version 2   system.slice/[NODE_]slurmstepd.scope/job_ID
 *     version 1   CONTROLLER/slurm[_NODE]/uid_UID/job_ID
 *
 * A round looks for job_* and opens the files of new ones; those of jobs that are gone
 * are closed.
 */
#include "source/node/node_private.h"

#include "base/number.h"
#include "base/span.h"

#include <glob.h>
#include <stdio.h>

struct job_layout {
    const char *pattern, *cpu, *memory, *io, *pids;
    const char *other; /* instead of "/memory/" of the path, for the CPU's files */
};

static const struct job_layout layouts[] = {
    { "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_*", "cpu.stat", "memory.stat",
      "io.stat", "pids.current", NULL },
    { "/sys/fs/cgroup/system.slice/*_slurmstepd.scope/job_*", "cpu.stat", "memory.stat",
      "io.stat", "pids.current", NULL },
    { "/sys/fs/cgroup/memory/slurm/uid_*/job_*", "cpuacct.usage", "memory.stat", NULL,
      NULL, "/cpuacct/" },
    { "/sys/fs/cgroup/memory/slurm_*/uid_*/job_*", "cpuacct.usage", "memory.stat", NULL,
      NULL, "/cpuacct/" },
};

static void job_file(const struct node_sources *s, struct node_file *file,
                     const char *directory, const char *name)
{
    char path[640];
    file->fd = -1;
    if (name &&
        snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path)
        node_file_open(s, file, path);
}

static void job_open(struct node_sources *s, const struct job_layout *layout,
                     const char *path, const char *id)
{
    struct node_job *grown = reallocarray(s->jobs, s->job_count + 1, sizeof *grown);
    if (!grown)
        return;
    s->jobs = grown;
    struct node_job *job = &s->jobs[s->job_count++];
    *job = (struct node_job){ .is_seen = true };
    (void)snprintf(job->id, sizeof job->id, "%s", id);
    (void)snprintf(job->path, sizeof job->path, "%s", path);
    char cpu[640];
    const char *controller = layout->other ? strstr(path, "/memory/") : NULL;
    if (controller)
        (void)snprintf(cpu, sizeof cpu, "%.*s%s%s", (int)(controller - path), path,
                       layout->other, controller + strlen("/memory/"));
    job_file(s, &job->cpu, controller ? cpu : path, layout->cpu);
    job_file(s, &job->memory, path, layout->memory);
    job_file(s, &job->io, path, layout->io);
    job_file(s, &job->pids, path, layout->pids);
}

static void job_see(struct node_sources *s, const struct job_layout *layout,
                    const char *path)
{
    const char *id = strrchr(path, '/') + strlen("/job_");
    if (!*id || strlen(id) >= NODE_NAME_MAX || strlen(path) >= sizeof s->jobs[0].path)
        return;
    for (size_t i = 0; i < s->job_count; i++)
        if (strcmp(s->jobs[i].path, path) == 0) {
            s->jobs[i].is_seen = true;
            return;
        }
    if (s->job_count < NODE_JOBS_MAX)
        job_open(s, layout, path, id);
}

static void jobs_find(struct node_sources *s)
{
    size_t skip = strlen(s->root);
    for (size_t i = 0; i < s->job_count; i++)
        s->jobs[i].is_seen = false;
    for (size_t i = 0; i < COUNT_OF(layouts); i++) {
        char pattern[640];
        glob_t found = { 0 };
        (void)snprintf(pattern, sizeof pattern, "%s%s", s->root, layouts[i].pattern);
        if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc; k++)
                job_see(s, &layouts[i], found.gl_pathv[k] + skip);
        globfree(&found);
    }
    for (size_t i = s->job_count; i-- > 0;) {
        if (s->jobs[i].is_seen)
            continue;
        node_file_close(&s->jobs[i].cpu);
        node_file_close(&s->jobs[i].memory);
        node_file_close(&s->jobs[i].io);
        node_file_close(&s->jobs[i].pids);
        s->jobs[i] = s->jobs[--s->job_count];
    }
}

static void job_emit(const struct node_sources *s, const struct node_job *job,
                     const char *metric, const char *unit, double value)
{
    node_emit_of(s, metric, unit, value, "job", span_of(job->id));
}

/* Version 2 has usage_usec among others, version 1 nanoseconds alone. */
static void job_cpu(struct node_sources *s, struct node_job *job)
{
    struct span text = node_file_read(s, &job->cpu), line;
    uint64_t used_us = 0, ns;
    bool has_used = false;
    if (number_parse_u64(span_trim(text), &ns) == 0) {
        used_us = ns / 1000;
        has_used = true;
    }
    while (!has_used && text.size) {
        (void)span_cut(&text, '\n', &line);
        has_used =
            span_is(node_word(&line), "usage_usec") && node_number(&line, &used_us);
    }
    if (has_used && job->has_cpu && s->elapsed_s > 0 && used_us >= job->cpu_us)
        job_emit(s, job, "job_cpu_used", "Percent",
                 100 * (double)(used_us - job->cpu_us) / 1e6 / s->elapsed_s);
    job->has_cpu = has_used;
    job->cpu_us = used_us;
}

/* What a job really holds: pages of files that it read can be dropped. */
static void job_memory(struct node_sources *s, const struct node_job *job)
{
    struct span text = node_file_read(s, &job->memory), line;
    uint64_t sum = 0;
    bool has_any = false;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        struct span name = node_word(&line);
        uint64_t value;
        bool is_one = span_is(name, "anon") || span_is(name, "shmem") ||
                      span_is(name, "total_rss") || span_is(name, "total_shmem");
        if (is_one && node_number(&line, &value)) {
            sum += value;
            has_any = true;
        }
    }
    if (has_any)
        job_emit(s, job, "job_mem_used", "Bytes", (double)sum);
}

/* "8:0 rbytes=1 wbytes=2 rios=3 ..." of each device. */
static void job_io(struct node_sources *s, const struct node_job *job)
{
    struct span text = node_file_read(s, &job->io), line;
    uint64_t read_bytes = 0, write_bytes = 0;
    bool has_any = false;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        (void)node_word(&line);
        while (line.size) {
            struct span value = node_word(&line), key;
            uint64_t number;
            (void)span_cut(&value, '=', &key);
            if (number_parse_u64(value, &number) < 0)
                continue;
            has_any = true;
            read_bytes += span_is(key, "rbytes") ? number : 0;
            write_bytes += span_is(key, "wbytes") ? number : 0;
        }
    }
    if (has_any) {
        job_emit(s, job, "job_read_bytes", "Bytes", (double)read_bytes);
        job_emit(s, job, "job_write_bytes", "Bytes", (double)write_bytes);
    }
}

void node_read_jobs(struct node_sources *s)
{
    jobs_find(s);
    for (size_t i = 0; i < s->job_count; i++) {
        struct node_job *job = &s->jobs[i];
        uint64_t count;
        job_cpu(s, job);
        job_memory(s, job);
        job_io(s, job);
        if (number_parse_u64(span_trim(node_file_read(s, &job->pids)), &count) == 0)
            job_emit(s, job, "job_pids", "", (double)count);
    }
}
