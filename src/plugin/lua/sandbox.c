/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox - what the host process gives up before it reads a plugin. */
#include "plugin/lua/sandbox.h"

#include "base/cleanup.h"
#include "plugin/protocol/protocol.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* ---- the filter ---- */

#ifdef FILTER_ARCH

static const int allowed[] = {
    __NR_pread64,
    __NR_close, /* of files that were replaced */
    __NR_brk,
    __NR_munmap,
    __NR_mremap,
    __NR_madvise,
    __NR_rt_sigreturn,
    __NR_rt_sigprocmask,
    __NR_restart_syscall,
    __NR_clock_gettime, /* where the vDSO has none */
    __NR_exit,
    __NR_exit_group,
#ifdef HAS_SANITIZER
    __NR_write, /* its reports, and what it needs to write them */
    __NR_read,
    __NR_futex,
    __NR_sigaltstack,
    __NR_rt_sigaction,
    __NR_getpid,
    __NR_gettid,
    __NR_readlink,
    __NR_sched_yield,
    __NR_getrlimit,
    __NR_prlimit64,
    __NR_mprotect,
#endif
};

#define DENIED (SECCOMP_RET_ERRNO | EPERM)

struct filter {
    unsigned short count;
    struct sock_filter code[96];
};

static void filter_add(struct filter *f, struct sock_filter line)
{
    f->code[f->count++] = line;
}

static void filter_load(struct filter *f, size_t offset)
{
    filter_add(
        f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void filter_return(struct filter *f, uint32_t action)
{
    filter_add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void filter_jump(struct filter *f, unsigned short test, uint32_t value,
                        uint8_t skipped_if, uint8_t skipped_else)
{
    filter_add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_K | test, value,
                                               skipped_if, skipped_else));
}

/* The call, where the lower half of an argument passes the test. */
static void filter_argument(struct filter *f, int call, unsigned argument,
                            unsigned short test, uint32_t value, uint32_t if_true,
                            uint32_t if_false)
{
    filter_jump(f, BPF_JEQ, (uint32_t)call, 0, 4);
    filter_load(f, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
    filter_jump(f, test, value, 0, 1);
    filter_return(f, if_true);
    filter_return(f, if_false);
}

static int filter_install(uint32_t *walls)
{
    struct filter f = { 0 };
    filter_load(&f, offsetof(struct seccomp_data, arch));
    filter_jump(&f, BPF_JEQ, FILTER_ARCH, 1, 0);
    filter_return(&f, SECCOMP_RET_KILL_PROCESS);
    filter_load(&f, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < COUNT_OF(allowed); i++) {
        filter_jump(&f, BPF_JEQ, (uint32_t)allowed[i], 0, 1);
        filter_return(&f, SECCOMP_RET_ALLOW);
    }
    filter_argument(&f, __NR_recvmsg, 0, BPF_JEQ, SANDBOX_FD, SECCOMP_RET_ALLOW,
                    DENIED);
    filter_argument(&f, __NR_sendto, 0, BPF_JEQ, SANDBOX_FD, SECCOMP_RET_ALLOW, DENIED);
    filter_argument(&f, __NR_mmap, 2, BPF_JSET, PROT_EXEC, DENIED, SECCOMP_RET_ALLOW);
    filter_return(&f, DENIED);
    const struct sock_fprog program = { .len = f.count, .filter = f.code };
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        *walls |= FRAME_WALL_SECCOMP;
    else if (errno != EINVAL)
        return -errno;
    return 0;
}

#else

static int filter_install(uint32_t *walls)
{
    (void)walls;
    return 0;
}

#endif

/* ---- Landlock ---- */

/* Without <linux/landlock.h>, which is older than the kernel may be. */
#define LANDLOCK_CREATE 444
#define LANDLOCK_RESTRICT 446
#define LANDLOCK_VERSION 1U

static void landlock_enter(uint32_t *walls)
{
    static const uint64_t files[] = { 0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF };
    struct {
        uint64_t files, ports, scopes;
    } rules = { 0 };
    long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
    if (version < 1)
        return;
    size_t size = version < 4 ? 8 : version < 6 ? 16 : 24;
    size_t known =
        (size_t)version < COUNT_OF(files) ? (size_t)version : COUNT_OF(files);
    rules.files = files[known - 1];
    rules.ports = 3;
    rules.scopes = 3;
    AUTO_CLOSE int fd = (int)syscall(LANDLOCK_CREATE, &rules, size, 0);
    if (fd >= 0 && syscall(LANDLOCK_RESTRICT, fd, 0) == 0)
        *walls |= FRAME_WALL_LANDLOCK;
}

/* ---- the rest ---- */

static int descriptors_drop(struct err *err)
{
    int rc = -1;
#ifdef __NR_close_range
    rc = (int)syscall(__NR_close_range, SANDBOX_FD + 1U, ~0U, 0U);
#endif
    for (int i = SANDBOX_FD + 1; rc < 0 && i < 1024; i++)
        (void)close(i);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
        return err_set(err, errno, "/dev/null: %s", strerror(errno));
#ifndef HAS_SANITIZER
    (void)dup2(null, 2);
#endif
    (void)close(null);
    return 0;
}

static int limits_lower(const struct sandbox_opts *opts, uint32_t *walls)
{
    static const struct {
        int what;
        rlim_t value;
    } limits[] = {
        { RLIMIT_CORE, 0 },
        { RLIMIT_FSIZE, 0 },
        { RLIMIT_NPROC, 0 },
        { RLIMIT_MSGQUEUE, 0 },
        { RLIMIT_MEMLOCK, 0 },
        { RLIMIT_NOFILE, 1024 },
#ifndef HAS_SANITIZER
        { RLIMIT_STACK, (rlim_t)1 << 20 },
#endif
    };
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        struct rlimit limit;
        if (getrlimit(limits[i].what, &limit) < 0)
            return -errno;
        if (limits[i].value < limit.rlim_max)
            limit.rlim_max = limits[i].value;
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(limits[i].what, &limit) < 0)
            return -errno;
    }
#ifndef HAS_SANITIZER
    struct rlimit addresses = { opts->memory_bytes, opts->memory_bytes };
    if (opts->memory_bytes && setrlimit(RLIMIT_AS, &addresses) < 0)
        return -errno;
#else
    (void)opts;
#endif
    *walls |= FRAME_WALL_LIMITS;
    return 0;
}

/* Those of an agent may read what its user cannot. */
static int capabilities_drop(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[2] = { { 0 } };
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &head, none) < 0 ? -errno : 0;
}

int sandbox_enter(const struct sandbox_opts *opts, uint32_t *ret_walls, struct err *err)
{
    uint32_t walls = 0;
    int rc = descriptors_drop(err);
    if (rc < 0)
        return rc;
    if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return err_set(err, errno, "prctl: %s", strerror(errno));
    walls |= FRAME_WALL_NO_NEW_PRIVS;
    rc = capabilities_drop();
    if (rc < 0)
        return err_set(err, -rc, "give up capabilities: %s", strerror(-rc));
    rc = limits_lower(opts, &walls);
    if (rc < 0)
        return err_set(err, -rc, "limits of the host process: %s", strerror(-rc));
    landlock_enter(&walls);
    rc = filter_install(&walls);
    if (rc < 0)
        return err_set(err, -rc, "a filter of system calls: %s", strerror(-rc));
    *ret_walls = walls;
    return 0;
}
