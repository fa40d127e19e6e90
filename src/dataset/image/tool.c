/* SPDX-License-Identifier: Apache-2.0 */
/* tool - a program that reads or writes an image, in a confined process. */
#include "dataset/image/tool.h"

#include "base/file.h"
#include "base/span.h"
#include "base/system/write_wall.h"
#include "dataset/image/manifest.h"
#include "dataset/image/tree_bounds.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ERROR_TEXT_MAX 65536U
#define PATH_BYTES 256
#define SPACE_POLL_MS 500

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
        { __NR_socket, EPERM },
        { __NR_connect, EPERM },
        { __NR_ptrace, EPERM },
        { __NR_mount, EPERM },
        { __NR_unshare, EPERM },
        { __NR_setns, EPERM },
        { __NR_bpf, EPERM },
        { __NR_keyctl, EPERM },
        { __NR_init_module, EPERM },
        { __NR_io_uring_setup, ENOSYS },
        { __NR_copy_file_range, ENOSYS },
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

static bool tool_find(const char *name, char *path)
{
    static const char *const directories[] = { "/usr/bin", "/usr/sbin",
                                               "/usr/local/bin", "/bin", "/sbin" };
    for (size_t i = 0; i < COUNT_OF(directories); i++) {
        (void)snprintf(path, PATH_BYTES, "%s/%s", directories[i], name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static int child_confine(const struct image_tool *tool)
{
    const struct rlimit no_core = { 0, 0 };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        setrlimit(RLIMIT_CORE, &no_core) < 0)
        return -errno;
    int rc = tool->directory && chdir(tool->directory) < 0 ? -errno : 0;
    if (rc == 0 && tool->directory)
        rc = write_wall_enter(tool->directory);
    return rc < 0 ? rc : filter_set();
}

/* Does not return.  write_fd: its standard output or its standard error. */
static void child_run(const struct image_tool *tool, const char *path, pid_t parent,
                      int write_fd)
{
    /* Programs that a tool starts itself: tar does for compressed archives. */
    char *const environment[] = { (char *)"LC_ALL=C", (char *)"PATH=/usr/bin:/bin",
                                  NULL };
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0 ||
        dup2(tool->reads_output ? write_fd : null, 1) < 0 ||
        dup2(tool->reads_output ? null : write_fd, 2) < 0)
        _exit(EXIT_FAILED);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
        child_confine(tool) < 0)
        _exit(EXIT_FAILED);
    (void)execve(path, tool->arguments, environment);
    _exit(EXIT_FAILED);
}

/* Until it ends, or what it unpacks has filled the file system up to what stays free.
 */
static int output_read(const struct image_tool *tool, pid_t child, int fd,
                       struct strbuf *text, struct err *err)
{
    size_t bytes_max = tool->reads_output ? TOOL_OUTPUT_MAX : ERROR_TEXT_MAX;
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    char part[4096];
    ssize_t size = 1;
    while (size != 0) {
        int rc = tool->directory ? tree_space_check(tool->directory, 0, err) : 0;
        if (rc < 0) {
            (void)kill(child, SIGKILL);
            return rc;
        }
        if (poll(&wait, 1, SPACE_POLL_MS) <= 0)
            continue;
        size = read(fd, part, sizeof part);
        if (size < 0 && errno != EINTR && errno != EAGAIN)
            return err_set(err, errno, "%s: %s", tool->arguments[0], strerror(errno));
        if (size > 0 && text->size + (size_t)size <= bytes_max)
            strbuf_add(text, part, (size_t)size);
        else if (size > 0 && tool->reads_output)
            return err_set(err, EMSGSIZE, "%s: it printed too much",
                           tool->arguments[0]);
    }
    return strbuf_error(text);
}

static int child_read(const struct image_tool *tool, const char *path,
                      struct strbuf *text, int *ret_status, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, errno, "pipe: %s", strerror(errno));
    AUTO_CLOSE int read_fd = ends[0];
    AUTO_CLOSE int write_fd = ends[1];
    pid_t self = getpid();
    pid_t child = fork();
    if (child < 0)
        return err_set(err, errno, "fork: %s", strerror(errno));
    if (child == 0)
        child_run(tool, path, self, write_fd);
    (void)close(TAKE_FD(write_fd));
    int rc = output_read(tool, child, read_fd, text, err);
    (void)close(TAKE_FD(read_fd));
    while (waitpid(child, ret_status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, errno, "wait for %s: %s", tool->arguments[0],
                           strerror(errno));
    return rc;
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

static int tool_failed(const struct image_tool *tool, int status, struct span text,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    if (WIFSIGNALED(status))
        return err_set(err, EIO, "%s ended by signal %d", tool->arguments[0],
                       WTERMSIG(status));
    if (tool->reads_output)
        return err_set(err, EIO, "%s ended with status %d", tool->arguments[0],
                       WEXITSTATUS(status));
    image_manifest_text(&line, last_line(text)); /* it names files as they are */
    return err_set(err, EIO, "%s: %s", tool->arguments[0], strbuf_text(&line));
}

int image_tool_run(const struct image_tool *tool, struct strbuf *text, struct err *err)
{
    char path[PATH_BYTES];
    int status = 0;
    if (!tool_find(tool->arguments[0], path))
        return err_set(err, ENOENT, "there is no %s: install %s", tool->arguments[0],
                       tool->package);
    int rc = child_read(tool, path, text, &status, err);
    return rc < 0 || !status ? rc : tool_failed(tool, status, strbuf_span(text), err);
}
