/* SPDX-License-Identifier: Apache-2.0 */
/* process_job - the job that a process belongs to, by the cgroup that Slurm put it in.
 */
#include "base/system/process_job.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CGROUP_BYTES_MAX 8192

static bool is_scope(struct span part)
{
    static const char suffix[] = "_slurmstepd.scope";
    size_t size = sizeof suffix - 1;
    return span_is(part, "slurmstepd.scope") ||
           (part.size > size &&
            memcmp(part.data + part.size - size, suffix, size) == 0);
}

/* "job_4711" */
static bool job_of_part(struct span part, char ret[JOB_ID_BYTES])
{
    struct span id = part;
    if (!span_starts(part, "job_"))
        return false;
    id.data += strlen("job_");
    id.size -= strlen("job_");
    if (id.size == 0 || id.size >= JOB_ID_BYTES)
        return false;
    for (size_t i = 0; i < id.size; i++)
        if (id.data[i] < '0' || id.data[i] > '9')
            return false;
    memcpy(ret, id.data, id.size);
    ret[id.size] = '\0';
    return true;
}

static bool job_of_path(struct span path, char ret[JOB_ID_BYTES])
{
    struct span first, second, third;
    if (path.size == 0 || path.data[0] != '/')
        return false;
    path.data++;
    path.size--;
    (void)span_cut(&path, '/', &first);
    (void)span_cut(&path, '/', &second);
    (void)span_cut(&path, '/', &third);
    bool is_v2 = span_is(first, "system.slice") && is_scope(second);
    bool is_v1 = (span_is(first, "slurm") || span_starts(first, "slurm_")) &&
                 span_starts(second, "uid_");
    return (is_v1 || is_v2) && job_of_part(third, ret);
}

bool process_job_of_text(struct span text, char ret[JOB_ID_BYTES])
{
    struct span line, number, controllers;
    while (text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        (void)span_cut(&line, ':', &number);
        (void)span_cut(&line, ':', &controllers);
        if (job_of_path(line, ret))
            return true;
    }
    return false;
}

int process_job_find(const char *root, pid_t pid, uid_t uid, char ret[JOB_ID_BYTES])
{
    char path[512], text[CGROUP_BYTES_MAX];
    struct stat st;
    if (snprintf(path, sizeof path, "%s/proc/%ld", root, (long)pid) >= (int)sizeof path)
        return -ENAMETOOLONG;
    AUTO_CLOSE int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 || fstat(dir, &st) < 0 || st.st_uid != uid)
        return -ESRCH;
    AUTO_CLOSE int fd = openat(dir, "cgroup", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t size = 0;
    for (ssize_t got = 1; got > 0 && size < sizeof text; size += (size_t)got) {
        got = read(fd, text + size, sizeof text - size);
        if (got < 0)
            return -errno;
    }
    return process_job_of_text((struct span){ text, size }, ret) ? 0 : -ENOENT;
}
