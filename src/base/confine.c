/* SPDX-License-Identifier: Apache-2.0 */
/* confine - what a child process that reads hostile bytes takes from itself. */
#include "base/confine.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/strbuf.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES_MAX 64

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define FILTER_ARCH AUDIT_ARCH_PPC64LE
#endif

#if defined(HAS_SANITIZER) && defined(__SANITIZE_ADDRESS__)
/* Of <sanitizer/allocator_interface.h>, which gcc has not. */
size_t __sanitizer_get_current_allocated_bytes(void);
int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *,
                                                                  size_t),
                                              void (*free_hook)(const volatile void *));
#define CAN_COUNT 1
#endif

#ifdef FILTER_ARCH

#define LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define DENIED (SECCOMP_RET_ERRNO | EPERM)
#define DENY(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), RETURN(DENIED)
/* An open whose flags write or create; the flags are in their lower half. */
#define DENY_WRITING(call, flags)                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOAD(flags),  \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,                              \
                 O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0, 1), \
        RETURN(DENIED), RETURN(SECCOMP_RET_ALLOW)

/* Limits of others; its own are held by their upper bounds. */
#define DENY_OF_OTHERS(call)                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOAD(args[0]), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), RETURN(DENIED),      \
        RETURN(SECCOMP_RET_ALLOW)

static const struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0),
    RETURN(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
#ifdef __x86_64__ /* the calls of x32 */
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    RETURN(DENIED),
#endif
    DENY_WRITING(openat, args[2]),
#ifdef __NR_open
    DENY_WRITING(open, args[1]),
    DENY(creat),
    DENY(rename),
    DENY(unlink),
    DENY(mkdir),
    DENY(rmdir),
    DENY(link),
    DENY(symlink),
    DENY(mknod),
    DENY(chmod),
    DENY(chown),
    DENY(lchown),
    DENY(fork),
    DENY(vfork),
    DENY(utime),
    DENY(utimes),
    DENY(futimesat),
#endif
#ifdef __NR_openat2
    DENY(openat2),
#endif
    /* other programs, other processes */
    DENY_OF_OTHERS(prlimit64),
    DENY(execve),
    DENY(execveat),
    DENY(clone),
    DENY(ptrace),
    DENY(kill),
    DENY(tkill),
    DENY(process_vm_readv),
    DENY(process_vm_writev),
#ifdef __NR_clone3
    DENY(clone3),
#endif
#ifdef __NR_pidfd_open
    DENY(pidfd_open),
#endif
#ifdef __NR_pidfd_getfd
    DENY(pidfd_getfd),
#endif
    /* the network, and what else reaches out of this process */
    DENY(socket),
    DENY(socketpair),
    DENY(connect),
    DENY(bind),
    DENY(listen),
    DENY(accept),
    DENY(accept4),
    DENY(sendto),
    DENY(sendmsg),
    DENY(sendmmsg),
    DENY(bpf),
    DENY(userfaultfd),
    DENY(add_key),
    DENY(request_key),
    DENY(keyctl),
    DENY(perf_event_open),
    DENY(mq_open),
#ifdef __NR_shmget /* ppc64le of older headers has them in one call */
    DENY(shmget),
    DENY(msgget),
    DENY(semget),
#endif
#ifdef __NR_ipc
    DENY(ipc),
#endif
#ifdef __NR_io_uring_setup
    DENY(io_uring_setup),
#endif
/* files */
#ifdef __NR_renameat
    DENY(renameat),
#endif
    DENY(renameat2),
    DENY(unlinkat),
    DENY(mkdirat),
    DENY(linkat),
    DENY(symlinkat),
    DENY(mknodat),
    DENY(truncate),
    DENY(ftruncate),
    DENY(fallocate),
    DENY(fchmod),
    DENY(fchmodat),
    DENY(fchown),
    DENY(fchownat),
    DENY(utimensat),
    DENY(setxattr),
    DENY(lsetxattr),
    DENY(fsetxattr),
    DENY(mount),
    DENY(umount2),
    DENY(chroot),
    DENY(pivot_root),
    DENY(unshare),
    DENY(setns),
    RETURN(SECCOMP_RET_ALLOW),
};

static int filter_set(void)
{
    const struct sock_fprog program = {
        .len = sizeof filter / sizeof filter[0],
        .filter = (struct sock_filter *)(uintptr_t)filter,
    };
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        return 0;
    return errno == EINVAL ? 0 : -errno; /* a kernel without it */
}

#else

static int filter_set(void)
{
    return 0;
}

#endif

static int limit_set(int what, rlim_t value)
{
    const struct rlimit limit = { value, value };
    return setrlimit(what, &limit) < 0 ? -errno : 0;
}

#ifdef CAN_COUNT
/* What is allocated is counted instead; an eighth, since each piece takes far more
 * here. */
#define CHECKED_EVERY 1024
static size_t allocated_max;

static void count_malloc(const volatile void *memory, size_t size)
{
    static unsigned calls;
    (void)memory;
    if ((size > allocated_max || ++calls % CHECKED_EVERY == 0) &&
        __sanitizer_get_current_allocated_bytes() > allocated_max)
        _exit(EXIT_FAILED);
}

static void count_free(const volatile void *memory)
{
    (void)memory;
}
#endif

#ifndef HAS_SANITIZER
static int memory_set(size_t more_bytes)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read("/proc/self/statm", 4096, &text, NULL);
    if (rc < 0)
        return rc;
    struct span pages = strbuf_span(&text);
    const char *end = memchr(pages.data, ' ', pages.size);
    pages.size = end ? (size_t)(end - pages.data) : 0;
    uint64_t count;
    rc = number_parse_u64(pages, &count);
    return rc < 0 ? rc
                  : limit_set(RLIMIT_AS,
                              count * (uint64_t)sysconf(_SC_PAGESIZE) + more_bytes);
}
#endif

static int limits_set(const struct confine_opts *opts)
{
    (void)opts;                         /* under some sanitizers */
    int rc = limit_set(RLIMIT_CORE, 0); /* it would hold the parent's memory */
    if (rc == 0)
        rc = limit_set(RLIMIT_NOFILE, FILES_MAX);
#ifndef HAS_SANITIZER
    if (rc == 0)
        rc = limit_set(RLIMIT_FSIZE, 0);
    if (rc == 0 && opts->memory_bytes)
        rc = memory_set(opts->memory_bytes);
#endif
#ifdef CAN_COUNT
    allocated_max = opts->memory_bytes / 8;
    if (rc == 0 && allocated_max)
        (void)__sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
#endif
    return rc;
}

static void signals_reset(void)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        (void)signal(i, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Everything of the parent's but fd, which becomes CONFINE_FD. */
static int descriptors_close(int fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
        return -errno;
#ifndef HAS_SANITIZER
    if (dup2(null, 2) < 0) /* words of libc about what it found damaged */
        return -errno;
#endif
    if (fd != CONFINE_FD && dup2(fd, CONFINE_FD) < 0)
        return -errno;
#ifdef __NR_close_range
    if (syscall(__NR_close_range, CONFINE_FD + 1U, ~0U, 0U) == 0)
        return 0;
#endif
    for (int i = CONFINE_FD + 1; i < 1024; i++)
        (void)close(i);
    return 0;
}

int confine_child(const struct confine_opts *opts, struct err *err)
{
    signals_reset();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return err_set(err, errno, "prctl: %s", strerror(errno));
    if (getppid() != opts->parent)
        return err_set(err, ESRCH, "the parent process has ended");
    int rc = descriptors_close(opts->fd);
    if (rc == 0)
        rc = limits_set(opts);
    if (rc < 0)
        return err_set(err, -rc, "limits of a child process: %s", strerror(-rc));
    rc = filter_set();
    return rc < 0 ? err_set(err, -rc, "a filter of system calls: %s", strerror(-rc))
                  : 0;
}

int confine_cpu(unsigned seconds)
{
    struct rusage used;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &used) < 0 || getrlimit(RLIMIT_CPU, &limit) < 0)
        return -errno;
    /* Whole seconds, of which the first was begun. */
    limit.rlim_cur =
        (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + 2 + seconds;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_CPU, &limit) < 0 ? -errno : 0;
}
