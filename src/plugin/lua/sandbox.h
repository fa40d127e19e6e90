/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox - what the host process gives up before it reads a plugin.
 *
 *     no_new_privs, no capabilities ─▶ limits ─▶ Landlock: no file, no port, no signal
 *     to others ─▶ seccomp: memory, its socket, pread of what it was given, its timer
 *
 * There is no open, socket, exec, fork, ptrace, and none of the rest: EPERM.  A kernel
 * without Landlock, or a processor that the filter is not written for, lacks that wall;
 * *ret_walls has those that stand.
 */
#ifndef PLUGIN_LUA_SANDBOX_H
#define PLUGIN_LUA_SANDBOX_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define SANDBOX_FD 3

struct sandbox_opts {
    size_t memory_bytes; /* of addresses, more than now */
};

/* Only SANDBOX_FD stays open of the descriptors; 0, 1 and 2 are /dev/null (2 is not
 * under a sanitizer).  Errors: of prctl, setrlimit, /dev/null, seccomp. */
int sandbox_enter(const struct sandbox_opts *opts, uint32_t *ret_walls,
                  struct err *err);

#endif
