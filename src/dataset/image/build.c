/* SPDX-License-Identifier: Apache-2.0 */
/* build - an EROFS image out of a directory, by mkfs.erofs in a confined process. */
#include "dataset/image/build.h"

#include "base/file.h"
#include "base/span.h"
#include "dataset/image/manifest.h"
#include "dataset/image/tree.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ERROR_TEXT_MAX 65536U

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define FILTER_ARCH AUDIT_ARCH_PPC64LE
#endif

/* No network and no other process: the rest is what a program that reads a tree and
 * writes a file needs.  copy_file_range(2) returns ENOSYS: mkfs.erofs moves the
 * content out of a file in /tmp by it, which fails with EXDEV where the image is on
 * another kind of file system; without it mkfs.erofs reads and writes the same bytes.
 */
static int filter_set(void)
{
#ifdef FILTER_ARCH
    static const struct {
        int number, errnum;
    } denied[] = {
        { __NR_socket, EPERM },      { __NR_connect, EPERM },
        { __NR_ptrace, EPERM },      { __NR_mount, EPERM },
        { __NR_unshare, EPERM },     { __NR_setns, EPERM },
        { __NR_bpf, EPERM },         { __NR_keyctl, EPERM },
        { __NR_init_module, EPERM }, { __NR_copy_file_range, ENOSYS },
    };
    struct sock_filter code[5 + 2 * COUNT_OF(denied)];
    unsigned short count = 0;
    code[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                 offsetof(struct seccomp_data, arch));
    code[count++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_K | BPF_JEQ, FILTER_ARCH, 1, 0);
    code[count++] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    code[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                 offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < COUNT_OF(denied); i++) {
        code[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_K | BPF_JEQ,
                                                     (uint32_t)denied[i].number, 0, 1);
        code[count++] = (struct sock_filter)BPF_STMT(
            BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)denied[i].errnum);
    }
    code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = { .len = count, .filter = code };
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 && errno != EINVAL)
        return -errno;
#endif
    return 0;
}

static const char *tool_find(void)
{
    static const char *const paths[] = { "/usr/bin/" IMAGE_BUILD_TOOL,
                                         "/usr/sbin/" IMAGE_BUILD_TOOL,
                                         "/usr/local/bin/" IMAGE_BUILD_TOOL,
                                         "/sbin/" IMAGE_BUILD_TOOL };
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        if (access(paths[i], X_OK) == 0)
            return paths[i];
    return NULL;
}

/* A process of the tool: its standard output and its standard error. */
struct tool_fds {
    int out, error;
};

/* Does not return. */
static void tool_run(const char *tool, char *const *arguments, pid_t parent,
                     const struct tool_fds *fds)
{
    char *const environment[] = { (char *)"LC_ALL=C", NULL };
    const struct rlimit no_core = { 0, 0 };
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0 || dup2(fds->out < 0 ? null : fds->out, 1) < 0 ||
        dup2(fds->error < 0 ? null : fds->error, 2) < 0)
        _exit(EXIT_FAILED);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
        _exit(EXIT_FAILED);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        setrlimit(RLIMIT_CORE, &no_core) < 0 || filter_set() < 0)
        _exit(EXIT_FAILED);
    (void)execve(tool, arguments, environment);
    _exit(EXIT_FAILED);
}

/* One of its outputs is text, the other one is not read. */
static int tool_read(const char *tool, char *const *arguments, bool reads_error,
                     struct strbuf *text, int *ret_status, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, errno, "pipe: %s", strerror(errno));
    AUTO_CLOSE int read_fd = ends[0];
    AUTO_CLOSE int write_fd = ends[1];
    const struct tool_fds fds = { .out = reads_error ? -1 : write_fd,
                                  .error = reads_error ? write_fd : -1 };
    pid_t self = getpid();
    pid_t child = fork();
    if (child < 0)
        return err_set(err, errno, "fork: %s", strerror(errno));
    if (child == 0)
        tool_run(tool, arguments, self, &fds);
    (void)close(TAKE_FD(write_fd));
    (void)file_read_fd(read_fd, ERROR_TEXT_MAX, text);
    (void)close(TAKE_FD(read_fd));
    while (waitpid(child, ret_status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, errno, "wait for " IMAGE_BUILD_TOOL ": %s",
                           strerror(errno));
    return 0;
}

/* The last line that is not empty. */
static struct span last_line(struct span text)
{
    struct span line, last = SPAN("no reason given");
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        line = span_trim(line);
        if (line.size)
            last = line;
    }
    return last;
}

static int tool_failed(int status, struct span text, struct err *err)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    if (WIFSIGNALED(status))
        return err_set(err, EIO, IMAGE_BUILD_TOOL " ended by signal %d",
                       WTERMSIG(status));
    image_manifest_text(&line, last_line(text)); /* it names files as they are */
    return err_set(err, EIO, IMAGE_BUILD_TOOL ": %s", strbuf_text(&line));
}

/* 1.5 prints "mkfs.erofs 1.5" before it refuses the option; later ones
 * "mkfs.erofs (erofs-utils) 1.7" and more lines. */
void image_build_version(char *out, size_t size)
{
    char *const arguments[] = { (char *)IMAGE_BUILD_TOOL, (char *)"--version", NULL };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const char *tool = tool_find();
    int status = 0;
    (void)snprintf(out, size, IMAGE_BUILD_TOOL);
    if (!tool || tool_read(tool, arguments, false, &text, &status, NULL) < 0)
        return;
    struct span rest = strbuf_span(&text), line, word = SPAN("");
    (void)span_cut(&rest, '\n', &line);
    if (!span_starts(line, IMAGE_BUILD_TOOL " "))
        return;
    while (line.size)
        (void)span_cut(&line, ' ', &word);
    AUTO(strbuf_done) struct strbuf version = STRBUF_INIT;
    image_manifest_text(&version, span_trim(word));
    (void)snprintf(out, size, IMAGE_BUILD_TOOL " %s", strbuf_text(&version));
}

static int image_make(const char *tool, char *path, char *image, struct err *err)
{
    char *const arguments[] = { (char *)IMAGE_BUILD_TOOL,
                                (char *)"--quiet",
                                (char *)"-T0",
                                (char *)"-U",
                                (char *)"00000000-0000-0000-0000-000000000000",
                                (char *)"--all-root",
                                (char *)"-x-1",
                                (char *)"--chunksize=65536",
                                image,
                                path,
                                NULL };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(tree_done) struct tree before = { HASHMAP_INIT };
    int status = 0;
    int rc = tree_read(path, &before, err);
    if (rc == 0)
        rc = tool_read(tool, arguments, true, &text, &status, err);
    /* First: where a file became shorter this is the reason, not what the tool reports.
     */
    if (rc == 0)
        rc = tree_check(path, &before, err);
    return rc < 0 || !status ? rc : tool_failed(status, strbuf_span(&text), err);
}

int image_build(const char *directory, const char *image_path, struct err *err)
{
    struct stat st;
    const char *tool = tool_find();
    if (stat(directory, &st) < 0)
        return err_set(err, errno, "'%s': %s", directory, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return err_set(
            err, ENOTDIR,
            "'%s' is not a directory: name the directory of the files, or see "
            "baro dataset import",
            directory);
    if (!tool)
        return err_set(err, ENOENT,
                       "there is no " IMAGE_BUILD_TOOL ": install erofs-utils");
    AUTO_FREE char *path = realpath(directory, NULL); /* no word that begins with - */
    if (!path)
        return err_set(err, errno, "'%s': %s", directory, strerror(errno));
    AUTO_FREE char *image = strdup(image_path);
    if (!image)
        return -ENOMEM;
    return image_make(tool, path, image, err);
}
