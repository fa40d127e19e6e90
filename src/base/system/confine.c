/* SPDX-License-Identifier: Apache-2.0 */
/* confine - what a child process that reads hostile bytes takes from itself. */
#include "base/system/confine.h"

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

/* What a reader of files needs of the kernel: libhdf5, the C library under it, and the
 * run time of a sanitizer.  Nothing of it reaches another process or changes a file. */
static const int allowed[] = {
    /* what is open already */
    __NR_read,
    __NR_readv,
    __NR_pread64,
    __NR_write,
    __NR_writev,
    __NR_close,
    __NR_lseek,
    __NR_flock,
    __NR_fstat,
    __NR_fstatfs,
    __NR_getdents64,
#ifdef __NR_poll
    __NR_poll,
#endif
    __NR_ppoll,
/* names */
#ifdef __NR_stat
    __NR_stat,
    __NR_lstat,
    __NR_access,
    __NR_readlink,
#endif
#ifdef __NR_newfstatat
    __NR_newfstatat,
#endif
#ifdef __NR_statx
    __NR_statx,
#endif
    __NR_statfs,
    __NR_faccessat,
#ifdef __NR_faccessat2
    __NR_faccessat2,
#endif
    __NR_readlinkat,
    __NR_getcwd,
    /* memory */
    __NR_brk,
    __NR_mmap,
    __NR_munmap,
    __NR_mremap,
    __NR_mprotect,
    __NR_madvise,
    __NR_futex,
    /* signals of its own, and its end */
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_sigaltstack,
    __NR_restart_syscall,
    __NR_exit,
    __NR_exit_group,
    /* time */
    __NR_clock_gettime,
    __NR_clock_getres,
    __NR_clock_nanosleep,
    __NR_nanosleep,
    __NR_gettimeofday,
#ifdef __NR_time
    __NR_time,
#endif
    __NR_sched_yield,
    /* what it is */
    __NR_getpid,
    __NR_getppid,
    __NR_gettid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_getrusage,
    __NR_getrlimit,
    __NR_sched_getaffinity,
    __NR_sysinfo,
    __NR_uname,
    __NR_getrandom,
#ifdef __NR_pipe /* a sanitizer's way to see whether memory can be read */
    __NR_pipe,
#endif
    __NR_pipe2,
};

#define DENIED (SECCOMP_RET_ERRNO | EPERM)
#define BY_ARGUMENT_MAX 8
#define HEAD_MAX 8

struct program {
    unsigned short count;
    struct sock_filter
        code[HEAD_MAX + 2 * COUNT_OF(allowed) + (size_t)5 * BY_ARGUMENT_MAX];
};

static void add_jump(struct program *p, unsigned short test, uint32_t value,
                     uint8_t skipped_if, uint8_t skipped_else)
{
    p->code[p->count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_K | test, value,
                                                       skipped_if, skipped_else);
}

static void add_load(struct program *p, size_t offset)
{
    p->code[p->count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void add_return(struct program *p, uint32_t action)
{
    p->code[p->count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
}

/* By the lower half of an argument: all that the kernel takes of these. */
static void add_by_argument(struct program *p, int call, unsigned argument,
                            unsigned short test, uint32_t value, bool is_allowed)
{
    add_jump(p, BPF_JEQ, (uint32_t)call, 0, 4);
    add_load(p, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
    add_jump(p, test, value, 0, 1);
    add_return(p, is_allowed ? SECCOMP_RET_ALLOW : DENIED);
    add_return(p, is_allowed ? DENIED : SECCOMP_RET_ALLOW);
}

static void program_make(struct program *p)
{
    const uint32_t writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
    p->count = 0;
    add_load(p, offsetof(struct seccomp_data, arch));
    add_jump(p, BPF_JEQ, FILTER_ARCH, 1, 0);
    add_return(p, SECCOMP_RET_KILL_PROCESS);
    add_load(p, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < COUNT_OF(allowed); i++) {
        add_jump(p, BPF_JEQ, (uint32_t)allowed[i], 0, 1);
        add_return(p, SECCOMP_RET_ALLOW);
    }
    add_by_argument(p, __NR_openat, 2, BPF_JSET, writes, false);
#ifdef __NR_open
    add_by_argument(p, __NR_open, 1, BPF_JSET, writes, false);
#endif
    /* Not who gets a signal when there is something to read, and which. */
    add_by_argument(p, __NR_fcntl, 1, BPF_JGT, F_GETFL, false);
    add_by_argument(p, __NR_tgkill, 0, BPF_JEQ, (uint32_t)getpid(), true); /* abort() */
    /* Its own limits are held by their upper bounds. */
    add_by_argument(p, __NR_prlimit64, 0, BPF_JEQ, 0, true);
    add_return(p, DENIED);
}

static int filter_set(void)
{
    struct program p;
    program_make(&p);
    const struct sock_fprog program = { .len = p.count, .filter = p.code };
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

/* The lower of value and the limit that holds already: a process cannot raise that. */
static int limit_set(int what, rlim_t value)
{
    struct rlimit limit;
    if (getrlimit(what, &limit) < 0)
        return -errno;
    if (value < limit.rlim_max) /* RLIM_INFINITY is the most */
        limit.rlim_max = value;
    if (limit.rlim_max < limit.rlim_cur)
        limit.rlim_cur = limit.rlim_max;
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

/* Everything of the parent's but fd, which becomes CONFINE_FD before all else. */
static int descriptors_close(int fd, struct err *err)
{
    if (fd != CONFINE_FD && dup2(fd, CONFINE_FD) < 0)
        return err_set(err, errno, "dup2: %s", strerror(errno));
    int rc = -1;
#ifdef __NR_close_range
    rc = (int)syscall(__NR_close_range, CONFINE_FD + 1U, ~0U, 0U);
#endif
    for (int i = CONFINE_FD + 1; rc < 0 && i < 1024; i++)
        (void)close(i);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
        return err_set(err, errno, "/dev/null: %s", strerror(errno));
#ifndef HAS_SANITIZER
    if (dup2(null, 2) < 0) /* words of libc about what it found damaged */
        return err_set(err, errno, "/dev/null: %s", strerror(errno));
#endif
    if (null > CONFINE_FD)
        (void)close(null);
    return 0;
}

int confine_child(const struct confine_opts *opts, struct err *err)
{
    int rc = descriptors_close(opts->fd, err);
    if (rc < 0)
        return rc;
    signals_reset();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return err_set(err, errno, "prctl: %s", strerror(errno));
    if (getppid() != opts->parent)
        return err_set(err, ESRCH, "the parent process has ended");
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
