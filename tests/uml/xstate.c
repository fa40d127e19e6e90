/* SPDX-License-Identifier: Apache-2.0 */
/* xstate - a preloaded ptrace() for user-mode-linux 6.1 on processors with AMX.
 *
 * Its kernel stores the floating point registers of a process in an array of 2.7 kB,
 * and Linux accepts them from a tracer in their full size alone: 11 kB where a
 * processor has AMX.  Without this it panics at the first process ("put_fp_registers").
 * Here they are made as long as the host wants them; what is added is the initial state
 * of registers that no process uses.
 *
 *   cc -shared -fPIC -O2 -o xstate.so xstate.c; LD_PRELOAD=./xstate.so linux.uml ...
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { AREA_BYTES_MAX = 65536, FEATURES_OFFSET = 512, FIRST_OF_AMX = 17 };

static char area[AREA_BYTES_MAX];
static size_t area_bytes; /* of this host; 0: not known yet */

static long trace(long request, long pid, void *address, void *data)
{
    return syscall(SYS_ptrace, request, pid, address, data);
}

static long registers_get(long pid, void *type, struct iovec *wanted)
{
    struct iovec all = { .iov_base = area, .iov_len = sizeof area };
    if (trace(PTRACE_GETREGSET, pid, type, &all) < 0)
        return -1;
    area_bytes = all.iov_len;
    if (wanted->iov_len > all.iov_len)
        wanted->iov_len = all.iov_len;
    memcpy(wanted->iov_base, area, wanted->iov_len);
    return 0;
}

static long registers_set(long pid, void *type, const struct iovec *given)
{
    if (given->iov_len < FEATURES_OFFSET + sizeof(uint64_t) ||
        given->iov_len > area_bytes) {
        errno = EINVAL;
        return -1;
    }
    struct iovec all = { .iov_base = area, .iov_len = area_bytes };
    memset(area, 0, area_bytes);
    memcpy(area, given->iov_base, given->iov_len);
    uint64_t features = 0;
    memcpy(&features, area + FEATURES_OFFSET, sizeof features);
    features &= (UINT64_C(1) << FIRST_OF_AMX) - 1;
    memcpy(area + FEATURES_OFFSET, &features, sizeof features);
    return trace(PTRACE_SETREGSET, pid, type, &all);
}

/* libc's returns what PTRACE_PEEK... read in another way than the kernel does. */
long ptrace(enum __ptrace_request request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    pid_t pid = va_arg(arguments, pid_t);
    void *address = va_arg(arguments, void *);
    void *data = va_arg(arguments, void *);
    va_end(arguments);
    if ((uintptr_t)address == NT_X86_XSTATE && request == PTRACE_GETREGSET)
        return registers_get(pid, address, data);
    if ((uintptr_t)address == NT_X86_XSTATE && request == PTRACE_SETREGSET)
        return registers_set(pid, address, data);
    static long (*next)(enum __ptrace_request, ...);
    if (!next)
        next = (long (*)(enum __ptrace_request, ...))dlsym(RTLD_NEXT, "ptrace");
    return next(request, pid, address, data);
}
