/* SPDX-License-Identifier: Apache-2.0 */
/* build - an EROFS image out of a directory, by mkfs.erofs in a confined process. */
#include "dataset/image/build.h"

#include "base/file.h"
#include "base/span.h"

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
 * writes a file needs. */
static int filter_set(void)
{
#ifdef FILTER_ARCH
    static const int denied[] = { __NR_socket, __NR_connect, __NR_ptrace,
                                  __NR_mount,  __NR_unshare, __NR_setns,
                                  __NR_bpf,    __NR_keyctl,  __NR_init_module };
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
                                                     (uint32_t)denied[i], 0, 1);
        code[count++] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
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

/* Does not return. */
static void tool_run(const char *tool, char *directory, char *image_path, pid_t parent,
                     int error_fd)
{
    char *const arguments[] = { (char *)IMAGE_BUILD_TOOL,
                                (char *)"--quiet",
                                (char *)"-T0",
                                (char *)"-U",
                                (char *)"00000000-0000-0000-0000-000000000000",
                                (char *)"--all-root",
                                (char *)"-x-1",
                                (char *)"--chunksize=65536",
                                image_path,
                                directory,
                                NULL };
    char *const environment[] = { (char *)"LC_ALL=C", NULL };
    const struct rlimit no_core = { 0, 0 };
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(error_fd, 2) < 0)
        _exit(EXIT_FAILED);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
        _exit(EXIT_FAILED);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        setrlimit(RLIMIT_CORE, &no_core) < 0 || filter_set() < 0)
        _exit(EXIT_FAILED);
    (void)execve(tool, arguments, environment);
    _exit(EXIT_FAILED);
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

static int tool_wait(pid_t child, int fd, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int status = 0;
    (void)file_read_fd(fd, ERROR_TEXT_MAX, &text);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, errno, "wait for " IMAGE_BUILD_TOOL ": %s",
                           strerror(errno));
    if (WIFSIGNALED(status))
        return err_set(err, EIO, IMAGE_BUILD_TOOL " ended by signal %d",
                       WTERMSIG(status));
    if (status) {
        struct span line = last_line(strbuf_span(&text));
        return err_set(err, EIO, IMAGE_BUILD_TOOL ": " SPAN_FMT, SPAN_ARG(line));
    }
    return 0;
}

int image_build(const char *directory, const char *image_path, struct err *err)
{
    struct stat st;
    int ends[2];
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
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, errno, "pipe: %s", strerror(errno));
    AUTO_CLOSE int read_fd = ends[0];
    AUTO_CLOSE int write_fd = ends[1];
    pid_t self = getpid();
    pid_t child = fork();
    if (child < 0)
        return err_set(err, errno, "fork: %s", strerror(errno));
    if (child == 0)
        tool_run(tool, path, image, self, write_fd);
    (void)close(TAKE_FD(write_fd));
    return tool_wait(child, read_fd, err);
}
