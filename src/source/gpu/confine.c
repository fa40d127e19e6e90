/* SPDX-License-Identifier: Apache-2.0 */
/* confine - what the process that opens NVML gives up before.
 *
 * The library talks to its driver by ioctl, maps memory, may make threads and connect
 * to a daemon of the driver through a unix socket: base/system/confine, which is for
 * readers of files, would end that.  So what is denied is listed here, not what is
 * allowed.
 */
#include "source/gpu/gpu.h"

#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

/* A library that leaks ends itself, not the agent: they share a cgroup. */
#define DATA_BYTES_MAX ((rlim_t)512 << 20)

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#define OTHER_ABI 0x40000000U /* x32: the same calls by other numbers */
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define FILTER_ARCH AUDIT_ARCH_PPC64LE
#endif

#ifdef FILTER_ARCH

static const int denied[] = {
    /* programs, and other processes */
    __NR_execve,
    __NR_execveat,
    __NR_kill, /* abort() has tgkill, of this process alone: below */
    __NR_tkill,
    __NR_rt_sigqueueinfo,
    __NR_rt_tgsigqueueinfo,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_setns,
    __NR_unshare,
    /* ways around this list */
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
#ifdef __NR_io_uring_setup
    __NR_io_uring_setup,
#endif
#ifdef __NR_pidfd_getfd
    __NR_pidfd_getfd,
#endif
#ifdef __NR_pidfd_send_signal
    __NR_pidfd_send_signal,
#endif
    /* the machine */
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_kexec_load,
    __NR_reboot,
#ifdef __NR_openat2
    __NR_openat2, /* its flags are behind a pointer */
#endif
    __NR_add_key,
    __NR_request_key,
    __NR_keyctl,
    /* files: their names, lengths and modes */
    __NR_ftruncate,
    __NR_fallocate,
    __NR_mknodat,
    __NR_fchmod,
    __NR_fchown,
    __NR_setxattr,
    __NR_lsetxattr,
    __NR_fsetxattr,
    __NR_unlinkat,
    __NR_mkdirat,
    __NR_linkat,
    __NR_symlinkat,
    __NR_fchmodat,
    __NR_fchownat,
    __NR_truncate,
#ifdef __NR_renameat
    __NR_renameat,
#endif
#ifdef __NR_renameat2
    __NR_renameat2,
#endif
#ifdef __NR_unlink
    __NR_unlink,
    __NR_rename,
    __NR_mkdir,
    __NR_rmdir,
    __NR_link,
    __NR_symlink,
    __NR_chmod,
    __NR_chown,
    __NR_lchown,
    __NR_mknod,
#endif
};

#define DENIED (SECCOMP_RET_ERRNO | EPERM)
#define STATEMENTS_MAX (2 * COUNT_OF(denied) + 48)

struct gpu_filter {
    unsigned short count;
    struct sock_filter code[STATEMENTS_MAX];
};

static void filter_test(struct gpu_filter *f, unsigned short test, uint32_t value,
                        uint8_t skipped_if, uint8_t skipped_else)
{
    f->code[f->count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_K | test, value,
                                                       skipped_if, skipped_else);
}

static void filter_load(struct gpu_filter *f, size_t offset)
{
    f->code[f->count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void filter_end(struct gpu_filter *f, uint32_t action)
{
    f->code[f->count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
}

/* The call is denied where the lower half of an argument passes the test, or does not.
 */
static void filter_argument(struct gpu_filter *f, int call, unsigned argument,
                            unsigned short test, uint32_t value, bool is_denied)
{
    filter_test(f, BPF_JEQ, (uint32_t)call, 0, 4);
    filter_load(f, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
    filter_test(f, test, value, 0, 1);
    filter_end(f, is_denied ? DENIED : SECCOMP_RET_ALLOW);
    filter_end(f, is_denied ? SECCOMP_RET_ALLOW : DENIED);
}

static int filter_set(struct err *err)
{
    struct gpu_filter f = { 0 };
    filter_load(&f, offsetof(struct seccomp_data, arch));
    filter_test(&f, BPF_JEQ, FILTER_ARCH, 1, 0);
    filter_end(&f, SECCOMP_RET_KILL_PROCESS);
    filter_load(&f, offsetof(struct seccomp_data, nr));
#ifdef OTHER_ABI
    filter_test(&f, BPF_JGE, OTHER_ABI, 0, 1);
    filter_end(&f, DENIED);
#endif
    for (size_t i = 0; i < COUNT_OF(denied); i++) {
        filter_test(&f, BPF_JEQ, (uint32_t)denied[i], 0, 1);
        filter_end(&f, DENIED);
    }
    filter_argument(&f, __NR_socket, 0, BPF_JEQ, AF_UNIX, false);
    filter_argument(&f, __NR_tgkill, 0, BPF_JEQ, (uint32_t)getpid(), false);
    filter_argument(&f, __NR_clone, 0, BPF_JSET, CLONE_NEWUSER, true);
#ifdef __NR_clone3 /* its flags are behind a pointer: the C library has clone instead \
                    */
    filter_test(&f, BPF_JEQ, __NR_clone3, 0, 1);
    filter_end(&f, SECCOMP_RET_ERRNO | ENOSYS);
#endif
    filter_argument(&f, __NR_openat, 2, BPF_JSET, O_CREAT | O_TRUNC, true);
#ifdef __NR_open
    filter_argument(&f, __NR_open, 1, BPF_JSET, O_CREAT | O_TRUNC, true);
    filter_test(&f, BPF_JEQ, __NR_creat, 0, 1);
    filter_end(&f, DENIED);
#endif
    filter_end(&f, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = { .len = f.count, .filter = f.code };
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
        return 0; /* a kernel without it */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return err_set(err, errno, "a filter of system calls: %s", strerror(errno));
    return 0;
}

#else

static int filter_set(struct err *err)
{
    (void)err;
    return 0;
}

#endif

/* Those of the agent may read what its user cannot.  One that root starts has its
 * user, and has no capability either. */
static int capabilities_drop(struct err *err)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &head, none) < 0)
        return err_set(err, errno, "give up capabilities: %s", strerror(errno));
    return 0;
}

static int limits_lower(int results, struct err *err)
{
    struct stat status;
    bool is_file = fstat(results, &status) == 0 && S_ISREG(status.st_mode);
    static const struct {
        int what;
        rlim_t value;
    } limits[] = {
        { RLIMIT_CORE, 0 },
        { RLIMIT_FSIZE, 0 },
#ifndef HAS_SANITIZER
        { RLIMIT_DATA, DATA_BYTES_MAX },
#endif
    };
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        struct rlimit limit;
        if (limits[i].what == RLIMIT_FSIZE && is_file)
            continue; /* a person runs it */
        if (getrlimit(limits[i].what, &limit) < 0)
            return err_set(err, errno, "getrlimit: %s", strerror(errno));
        if (limits[i].value < limit.rlim_max)
            limit.rlim_max = limits[i].value;
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(limits[i].what, &limit) < 0)
            return err_set(err, errno, "setrlimit: %s", strerror(errno));
    }
    return 0;
}

/* Of this cgroup it is the one that the kernel ends for want of memory. */
static void end_first(void)
{
    AUTO_CLOSE int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "1000", 4) < 0)
        return; /* it is as before */
}

int gpu_confine(int results, struct err *err)
{
    end_first();
    (void)signal(SIGXFSZ, SIG_IGN); /* an error of write() in its place */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return err_set(err, errno, "prctl: %s", strerror(errno));
    int rc = capabilities_drop(err);
    if (rc == 0)
        rc = limits_lower(results, err);
    return rc < 0 ? rc : filter_set(err);
}
