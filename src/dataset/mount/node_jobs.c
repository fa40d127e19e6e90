/* SPDX-License-Identifier: Apache-2.0 */
/* node_jobs - which datasets jobs have references of on this node. */
#include "dataset/mount/node_jobs.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_MAX_SIZE (DIGEST_TEXT_SIZE + 12 + NODE_MOUNTS_NAME_SIZE + 2)
#define FILE_BYTES_MAX (NODE_JOBS_DATASETS_MAX * 2 * LINE_MAX_SIZE)
#define ENDED ".ended"
#define MARK "\n-\n" /* behind it is what the job has had since */

struct job_file {
    int fd;
    char path[NODE_MOUNTS_PATH_SIZE];
    struct strbuf text;
};

static void job_file_done(struct job_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    strbuf_done(&file->text);
}
DEFINE_AUTO_DONE(struct job_file, job_file_done);

static int file_failed(const struct job_file *file, struct err *err)
{
    return err_set(err, errno, "%s: %s", file->path, strerror(errno));
}

/* With its lock, and while it has that name: another process may have ended the job
 * between. */
static int job_file_lock(struct job_file *file, int flags, struct err *err)
{
    struct stat here, there;
    for (;;) {
        file->fd = open(file->path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0600);
        if (file->fd < 0 || flock(file->fd, LOCK_EX) < 0 || fstat(file->fd, &here) < 0)
            return file_failed(file, err);
        if (stat(file->path, &there) == 0 && there.st_ino == here.st_ino)
            return 0;
        (void)close(file->fd);
        file->fd = -1;
    }
}

static int job_file_open(struct job_file *file, int flags, struct err *err)
{
    char piece[4096];
    ssize_t size;
    int rc = job_file_lock(file, flags, err);
    if (rc < 0)
        return rc;
    while ((size = read(file->fd, piece, sizeof piece)) > 0 &&
           file->text.size < FILE_BYTES_MAX)
        strbuf_add(&file->text, piece, (size_t)size);
    return size < 0 ? file_failed(file, err) : 0;
}

static void job_path(const struct node_mounts *node, const char *name,
                     char path[static NODE_MOUNTS_PATH_SIZE])
{
    (void)snprintf(path, NODE_MOUNTS_PATH_SIZE, "%s/jobs/%s", node->dir, name);
}

/* ---- lines ---- */

struct job_line {
    struct digest digest;
    uint64_t uid;
    struct span name; /* empty: the reference is there */
};

static bool line_next(struct span *text, struct job_line *ret)
{
    struct span line, word;
    while (text->size) {
        *ret = (struct job_line){ 0 };
        (void)span_cut(text, '\n', &line);
        (void)span_cut(&line, ' ', &word);
        if (digest_parse(word, &ret->digest) < 0)
            continue; /* its process was killed while it wrote it */
        (void)span_cut(&line, ' ', &word);
        ret->name = line;
        if (word.size == 0 || number_parse_u64(word, &ret->uid) == 0)
            return true;
    }
    return false;
}

static int line_add(struct job_file *file, const struct digest *digest, uint32_t uid,
                    const char *name, struct err *err)
{
    char line[LINE_MAX_SIZE + 1], text[DIGEST_TEXT_SIZE];
    digest_print(digest, text);
    /* A line that was not written whole ends here. */
    const char *before =
        file->text.size && file->text.data[file->text.size - 1] != '\n' ? "\n" : "";
    int size =
        name ? snprintf(line, sizeof line, "%s%s %u %s\n", before, text, uid, name)
             : snprintf(line, sizeof line, "%s%s\n", before, text);
    return write(file->fd, line, (size_t)size) == size ? 0 : file_failed(file, err);
}

/* What the job knows of a name: false where it has not named it yet. */
static bool name_find(const struct job_file *file, const char *name, struct digest *ret)
{
    struct span text = { file->text.data, file->text.size };
    struct job_line line;
    while (line_next(&text, &line))
        if (span_is(line.name, name)) {
            *ret = line.digest;
            return true;
        }
    return false;
}

/* Since the last time that the job had ended. */
static bool is_held(const struct job_file *file, const struct digest *digest)
{
    const char *data = file->text.data, *end = data + file->text.size, *at;
    while (data && (at = memmem(data, (size_t)(end - data), MARK, strlen(MARK))))
        data = at + strlen(MARK);
    struct span text = { data, data ? (size_t)(end - data) : 0 };
    struct job_line line;
    while (line_next(&text, &line))
        if (line.name.size == 0 && digest_eq(&line.digest, digest))
            return true;
    return false;
}

/* ---- references are requested ---- */

static int name_resolve(const struct node_mounts *node, struct job_file *file,
                        const char *name, const struct reader *reader,
                        struct digest *ret, struct err *err)
{
    char text[DIGEST_TEXT_SIZE];
    struct digest digest;
    bool is_known = name_find(file, name, &digest);
    if (is_known)
        digest_print(&digest, text);
    int rc = node_mounts_resolve(node, is_known ? text : name, reader, ret, err);
    if (rc < 0 || is_known)
        return rc;
    if (file->text.size + (size_t)2 * LINE_MAX_SIZE > FILE_BYTES_MAX)
        return err_set(err, EDQUOT, "a job has at most about %u datasets on a node",
                       NODE_JOBS_DATASETS_MAX);
    return line_add(file, ret, reader->uid, name, err);
}

/* A job that was queued again, before all of its first run was given back: what names
 * mean for it stays. */
static void job_begin_again(const struct node_mounts *node, uint64_t job,
                            char path[static NODE_MOUNTS_PATH_SIZE])
{
    char number[32], ended[NODE_MOUNTS_PATH_SIZE];
    (void)snprintf(number, sizeof number, "%" PRIu64 ENDED, job);
    job_path(node, number, ended);
    (void)snprintf(number, sizeof number, "%" PRIu64, job);
    job_path(node, number, path);
    (void)renameat2(AT_FDCWD, ended, AT_FDCWD, path, RENAME_NOREPLACE);
}

int node_jobs_hold(const struct node_mounts *node, uint64_t job, const char *name,
                   const struct reader *reader, struct digest *ret, struct err *err)
{
    AUTO(job_file_done) struct job_file file = { .fd = -1, .text = STRBUF_INIT };
    struct digest digest;
    job_begin_again(node, job, file.path);
    int rc = job_file_open(&file, O_CREAT, err);
    if (rc == 0)
        rc = name_resolve(node, &file, name, reader, &digest, err);
    if (rc == 0 && !is_held(&file, &digest)) {
        const struct node_job_ref ref = { job, reader->uid, digest };
        rc = node_mounts_job_ref(node, &ref, true, err);
        if (rc == 0)
            rc = line_add(&file, &digest, 0, NULL, err);
    }
    if (rc == 0)
        *ret = digest;
    return rc;
}

/* ---- giving back ---- */

static int refs_remove(const struct node_mounts *node, const struct job_file *file,
                       uint64_t job, struct err *err)
{
    struct span text = { file->text.data, file->text.size };
    struct job_line line;
    int rc = 0;
    while (rc == 0 && line_next(&text, &line)) {
        const struct node_job_ref ref = { job, (uint32_t)line.uid, line.digest };
        if (line.name.size)
            rc = node_mounts_job_ref(node, &ref, false, err);
    }
    return rc;
}

/* The file is "4711.ended". */
static int ended_remove(const struct node_mounts *node, const char *name,
                        struct err *err)
{
    AUTO(job_file_done) struct job_file file = { .fd = -1, .text = STRBUF_INIT };
    struct span word, rest = span_of(name);
    uint64_t job = 0;
    (void)span_cut(&rest, '.', &word);
    if (number_parse_u64(word, &job) < 0)
        return 0;
    job_path(node, name, file.path);
    int rc = job_file_open(&file, 0, err);
    if (rc == -ENOENT)
        return 0;
    if (rc == 0 && write(file.fd, MARK, strlen(MARK)) != (ssize_t)strlen(MARK))
        rc = file_failed(&file, err);
    if (rc == 0)
        rc = refs_remove(node, &file, job, err);
    if (rc == 0 && unlink(file.path) < 0)
        rc = file_failed(&file, err);
    return rc;
}

int node_jobs_end(const struct node_mounts *node, uint64_t job, struct err *err)
{
    char number[24], ended[32], from[NODE_MOUNTS_PATH_SIZE], to[NODE_MOUNTS_PATH_SIZE];
    (void)snprintf(number, sizeof number, "%" PRIu64, job);
    (void)snprintf(ended, sizeof ended, "%s" ENDED, number);
    job_path(node, number, from);
    job_path(node, ended, to);
    if (rename(from, to) < 0 && errno != ENOENT)
        return err_set(err, errno, "%s: %s", to, strerror(errno));
    return ended_remove(node, ended, err);
}

bool node_jobs_sweep(const struct node_mounts *node)
{
    char path[NODE_MOUNTS_PATH_SIZE];
    const struct dirent *entry;
    bool is_right = true;
    job_path(node, "", path);
    DIR *jobs = opendir(path);
    while (jobs && (entry = readdir(jobs)))
        if (strstr(entry->d_name, ENDED))
            is_right &= ended_remove(node, entry->d_name, NULL) == 0;
    if (jobs)
        (void)closedir(jobs);
    return is_right;
}
