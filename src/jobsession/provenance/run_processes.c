/* SPDX-License-Identifier: Apache-2.0 */
/* run_processes - which processes of this node are of a run, and what they have open.
 */
#include "jobsession/provenance/run_processes.h"

#include "base/span.h"
#include "jobsession/provenance/maps_line.h"
#include "jobsession/provenance/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define CGROUP_BYTES_MAX ((size_t)16384)
#define FDINFO_BYTES_MAX ((size_t)4096)
#define PATH_BYTES 4096
#define MAPPED_MAX 1024
#define MOUNTS_BYTES_MAX ((size_t)1 << 20)

/* A process that is looked at. */
struct process {
    int dir;            /* /proc/PID */
    struct span mounts; /* as it sees them; empty: not known */
    bool is_elsewhere;  /* a container: its paths are below its own root */
};

/* ---- reading ---- */

static int read_at(int dir, const char *name, size_t bytes_max, struct strbuf *out)
{
    char bytes[16384];
    AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    while (out->size < bytes_max) {
        ssize_t size = read(fd, bytes, sizeof bytes);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return size < 0 ? -errno : strbuf_error(out);
        strbuf_add(out, bytes, (size_t)size);
    }
    return strbuf_error(out);
}

static bool link_at(int dir, const char *name, char ret[PATH_BYTES])
{
    ssize_t size = readlinkat(dir, name, ret, PATH_BYTES - 1);
    if (size <= 0 || size >= PATH_BYTES - 1)
        return false;
    ret[size] = '\0';
    return ret[0] == '/';
}

/* Without waiting for the server of a network's file system. */
static bool stat_at(int dir, const char *name, struct file_found *found)
{
    struct statx st;
    if (statx(dir, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT | AT_EMPTY_PATH,
              STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_INO, &st) < 0 ||
        !S_ISREG(st.stx_mode))
        return false;
    found->size = st.stx_size <= INT64_MAX ? (int64_t)st.stx_size : -1;
    found->mtime_s = st.stx_mtime.tv_sec > 0 ? st.stx_mtime.tv_sec : 0;
    found->inode = st.stx_ino <= INT64_MAX ? st.stx_ino : 0;
    return true;
}

static void read_build_id(int dir, const char *name, uint64_t inode,
                          struct file_known *file)
{
    struct file_found opened = { .inode = 0 };
    AUTO_FREE char *head = malloc(ELF_HEAD_BYTES);
    AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (!head || fd < 0 || !stat_at(fd, "", &opened) || opened.inode != inode)
        return;
    ssize_t size = pread(fd, head, ELF_HEAD_BYTES, 0);
    if (size > 0)
        elf_build_id((struct span){ head, (size_t)size }, file->build_id);
}

/* ---- of one process ---- */

/* Memory that has a name. */
static bool is_pseudo(struct span path)
{
    return span_starts(path, "/SYSV") || span_starts(path, "/anon_hugepage") ||
           span_starts(path, "/[") || span_starts(path, "/proc/") ||
           span_starts(path, "/sys/") || span_starts(path, "/dev/") ||
           span_starts(path, "/memfd:");
}

static void read_executable(const struct process *process, struct file_table *table)
{
    char path[PATH_BYTES];
    struct file_found found = { .kind = JOB_FILE_EXECUTABLE, .size = -1 };
    if (!link_at(process->dir, "exe", path))
        return;
    found.path = span_of(path);
    (void)maps_path_is_deleted(&found.path);
    bool may_read = mounts_may_read(process->mounts, found.path);
    if (may_read && !stat_at(process->dir, "exe", &found))
        return;
    struct file_known *file = file_table_add(table, &found);
    if (file && may_read)
        read_build_id(process->dir, "exe", found.inode, file);
}

struct mapped {
    struct maps_line line;
    enum job_file_kind kind;
};

/* A library is mapped in several pieces, of which one is code. */
static void merge_line(const struct maps_line *line, struct mapped *mapped,
                       size_t *count, struct file_table *table)
{
    enum job_file_kind kind = line->is_executed  ? JOB_FILE_LIBRARY
                              : line->is_written ? JOB_FILE_WRITTEN
                                                 : JOB_FILE_READ;
    for (size_t i = *count; i-- > 0;) {
        if (mapped[i].line.inode != line->inode ||
            !span_eq(mapped[i].line.path, line->path))
            continue;
        if (kind == JOB_FILE_LIBRARY ||
            (kind == JOB_FILE_WRITTEN && mapped[i].kind == JOB_FILE_READ))
            mapped[i].kind = kind;
        return;
    }
    if (*count == MAPPED_MAX) {
        table->cut++;
        return;
    }
    mapped[(*count)++] = (struct mapped){ *line, kind };
}

/* As this process can open it. */
static bool mapped_path(const struct process *process, struct span path,
                        char ret[PATH_BYTES])
{
    int size = snprintf(ret, PATH_BYTES, "%s" SPAN_FMT,
                        process->is_elsewhere ? "root" : "", SPAN_ARG(path));
    return size > 0 && size < PATH_BYTES;
}

/* What has another inode than is mapped is another file by now: of that nothing but its
 * name is known. */
static void add_mapped(const struct process *process, const struct mapped *mapped,
                       struct span executable, struct file_table *table)
{
    char path[PATH_BYTES];
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    struct file_found found = { .kind = mapped->kind };
    maps_path_print(mapped->line.path, &name);
    found.path = strbuf_span(&name);
    if (strbuf_error(&name) < 0 || is_pseudo(found.path) ||
        span_eq(found.path, executable))
        return;
    bool is_same =
        !mapped->line.is_deleted && mounts_may_read(process->mounts, found.path) &&
        mapped_path(process, found.path, path) && stat_at(process->dir, path, &found) &&
        found.inode == mapped->line.inode;
    if (!is_same) {
        found.size = -1;
        found.mtime_s = 0;
        found.inode = mapped->line.inode;
    }
    struct file_known *file = file_table_add(table, &found);
    if (file && is_same && mapped->kind == JOB_FILE_LIBRARY)
        read_build_id(process->dir, path, found.inode, file);
}

static void read_maps(const struct process *process, struct file_table *table)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO_FREE struct mapped *mapped = calloc(MAPPED_MAX, sizeof *mapped);
    char path[PATH_BYTES] = "";
    struct span rest, line, executable = SPAN("");
    struct maps_line parsed;
    size_t count = 0;
    if (!mapped || read_at(process->dir, "maps", RUN_MAPS_BYTES_MAX, &text) < 0)
        return;
    table->cut += text.size >= RUN_MAPS_BYTES_MAX;
    if (link_at(process->dir, "exe", path)) {
        executable = span_of(path);
        (void)maps_path_is_deleted(&executable);
    }
    rest = strbuf_span(&text);
    while (span_cut(&rest, '\n', &line)) /* the last one may be cut off */
        if (maps_line_parse(line, &parsed))
            merge_line(&parsed, mapped, &count, table);
    for (size_t i = 0; i < count; i++)
        add_mapped(process, &mapped[i], executable, table);
}

/* "flags:\t0100002": octal, as of open(). */
static unsigned long open_flags(int dir, const char *fd_name)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char name[300];
    struct span rest, line;
    unsigned long flags = 0;
    (void)snprintf(name, sizeof name, "fdinfo/%s", fd_name);
    if (read_at(dir, name, FDINFO_BYTES_MAX, &text) < 0)
        return 0;
    rest = strbuf_span(&text);
    while (rest.size > 0) {
        (void)span_cut(&rest, '\n', &line);
        if (!span_starts(line, "flags:"))
            continue;
        for (size_t i = sizeof "flags:" - 1; i < line.size; i++)
            if (line.data[i] >= '0' && line.data[i] <= '7')
                flags = flags * 8 + (unsigned long)(line.data[i] - '0');
        return flags;
    }
    return 0;
}

static void read_fd(const struct process *process, const char *name,
                    struct file_table *table)
{
    char path[PATH_BYTES], link[300];
    struct file_found found = { .size = -1 };
    (void)snprintf(link, sizeof link, "fd/%s", name);
    if (!link_at(process->dir, link, path))
        return;
    found.path = span_of(path);
    (void)maps_path_is_deleted(&found.path);
    if (is_pseudo(found.path))
        return;
    unsigned long flags = open_flags(process->dir, name);
    bool may_read = mounts_may_read(process->mounts, found.path);
    if (may_read ? !stat_at(process->dir, link, &found)
                 : (flags & (O_DIRECTORY | O_PATH)) != 0)
        return; /* no file */
    bool is_for_writing = (flags & O_ACCMODE) != O_RDONLY;
    found.kind = is_for_writing ? JOB_FILE_WRITTEN : JOB_FILE_READ;
    (void)file_table_add(table, &found);
}

static bool is_decimal_name(const char *name)
{
    size_t size = strspn(name, "0123456789");
    return size > 0 && size < 20 && name[size] == '\0';
}

static DIR *open_dir_at(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream && fd >= 0)
        (void)close(fd);
    return stream;
}

static void read_fds(const struct process *process, struct file_table *table)
{
    AUTO_CLOSEDIR DIR *stream = open_dir_at(process->dir, "fd");
    const struct dirent *entry;
    size_t count = 0;
    while (stream && (entry = readdir(stream)) != NULL) {
        if (!is_decimal_name(entry->d_name))
            continue;
        if (count++ == RUN_FDS_MAX) {
            table->cut++;
            return;
        }
        read_fd(process, entry->d_name, table);
    }
}

/* ---- which of them ---- */

struct span run_job_of_cgroup(struct span text)
{
    struct span line;
    while (text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        struct span path = line, part;
        (void)span_cut(&path, ':', &part);
        (void)span_cut(&path, ':', &part);
        struct span rest = path;
        bool is_slurm = false;
        while (rest.size > 0) {
            (void)span_cut(&rest, '/', &part);
            is_slurm = is_slurm || span_glob(part, "*slurm*");
            if (is_slurm && span_glob(part, "job_[0-9]*"))
                return (struct span){ path.data,
                                      (size_t)(part.data + part.size - path.data) };
        }
    }
    return (struct span){ "", 0 };
}

/* Which session it is of by its environment: that of its id is drawn for each. */
enum membership { OF_NONE, OF_THIS, OF_ANOTHER };

static enum membership environment_session(int dir, const char *id)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    static const char name[] = "BARO_SESSION_ID=";
    struct span rest, word;
    if (read_at(dir, "environ", RUN_ENVIRONMENT_BYTES_MAX, &text) < 0)
        return OF_NONE;
    rest = strbuf_span(&text);
    while (rest.size > 0) {
        (void)span_cut(&rest, '\0', &word);
        if (span_starts(word, name))
            return span_is(span_skip(word, sizeof name - 1), id) ? OF_THIS : OF_ANOTHER;
    }
    return OF_NONE;
}

/* The programs of the session itself are in the job, and not of it. */
static bool is_of_session(int dir)
{
    char path[PATH_BYTES];
    if (!link_at(dir, "exe", path))
        return true; /* it has ended, or may not be looked at */
    const char *name = strrchr(path, '/') + 1;
    return strcmp(name, "baro-session-node") == 0 ||
           strcmp(name, "baro-plugin-host") == 0 || strcmp(name, "baro") == 0;
}

static bool is_in_job(int dir, const struct strbuf *own)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct span job = run_job_of_cgroup(strbuf_span(own));
    return job.size > 0 && read_at(dir, "cgroup", CGROUP_BYTES_MAX, &text) == 0 &&
           span_eq(job, run_job_of_cgroup(strbuf_span(&text)));
}

static bool is_of_run(const struct run_opts *opts, int dir, const struct strbuf *own)
{
    struct stat st;
    if (fstat(dir, &st) < 0 || st.st_uid != opts->uid)
        return false;
    switch (environment_session(dir, opts->id)) {
    case OF_THIS:
        return true;
    case OF_ANOTHER:
        return false;
    default:
        return is_in_job(dir, own) && !is_of_session(dir);
    }
}

/* This process, as what others are compared with. */
struct own {
    struct strbuf cgroup, mounts;
    char mount_space[64]; /* "": not known */
};

static void own_process_done(struct own *own)
{
    strbuf_done(&own->cgroup);
    strbuf_done(&own->mounts);
}
DEFINE_AUTO_DONE(struct own, own_process_done);

static void read_space(int dir, const char *name, char ret[64])
{
    ssize_t size = readlinkat(dir, name, ret, 63);
    ret[size > 0 ? size : 0] = '\0';
}

static void read_own(int proc, struct own *own)
{
    (void)read_at(proc, "self/cgroup", CGROUP_BYTES_MAX, &own->cgroup);
    (void)read_at(proc, "self/mountinfo", MOUNTS_BYTES_MAX, &own->mounts);
    mounts_add_root(&own->mounts);
    read_space(proc, "self/ns/mnt", own->mount_space);
}

static void read_process(int dir, const struct own *own, struct file_table *table)
{
    AUTO(strbuf_done) struct strbuf mounts = STRBUF_INIT;
    struct process process = { .dir = dir, .mounts = strbuf_span(&own->mounts) };
    char space[64];
    read_space(dir, "ns/mnt", space);
    if (strcmp(space, own->mount_space) != 0) {
        if (read_at(dir, "mountinfo", MOUNTS_BYTES_MAX, &mounts) < 0 ||
            mounts.size == 0)
            return; /* it has ended, or may not be looked at */
        process.is_elsewhere = true;
        process.mounts = strbuf_span(&mounts);
    }
    read_executable(&process, table);
    read_maps(&process, table);
    read_fds(&process, table);
}

size_t run_processes_read(const struct run_opts *opts, struct file_table *table)
{
    AUTO(own_process_done) struct own own = { .cgroup = STRBUF_INIT };
    char proc[256];
    const struct dirent *entry;
    size_t count = 0;
    (void)snprintf(proc, sizeof proc, "%s/proc", opts->root);
    AUTO_CLOSEDIR DIR *stream = opendir(proc);
    if (!stream)
        return 0;
    read_own(dirfd(stream), &own);
    while ((entry = readdir(stream)) != NULL) {
        if (!is_decimal_name(entry->d_name))
            continue;
        AUTO_CLOSE int dir =
            openat(dirfd(stream), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (dir < 0 || !is_of_run(opts, dir, &own.cgroup))
            continue;
        if (count == RUN_PROCESSES_MAX) {
            table->cut++;
            break;
        }
        count++;
        read_process(dir, &own, table);
    }
    return count;
}
