/* SPDX-License-Identifier: Apache-2.0 */
/* script - one Lua plugin: a state of its own, within a budget.
 *
 *     a call ─▶ instructions (hook), memory (allocator), time (script_stop)
 *                 over one of them: the call ends, whatever the plugin catches
 *
 * There is no io, os, debug, package, load, coroutine, xpcall, collectgarbage, and no
 * metamethod
 * __gc or __close; functions in C that could run for long are bounded or replaced
 * (script_string.c, script_table.c).  What is still slow in C is ended by the host
 * process's timer, or by the agent, which ends the host process.
 *
 * Threads  one; script_stop() from a signal handler.
 */
#ifndef PLUGIN_LUA_SCRIPT_H
#define PLUGIN_LUA_SCRIPT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "plugin/protocol/protocol.h"

struct script;

struct script_limits {
    int64_t instructions; /* of a call */
    size_t memory_bytes;
};

/* What a file of the allow-list has now: pread() of a descriptor that stays open. */
struct script_file {
    const char *path;
    int fd;
};

struct script_input {
    struct span name, from;
    bool is_text;
    double value;
    struct span text;
};

struct script_call {
    enum plugin_function function;
    uint64_t epoch;
    int64_t t_ns;
    const struct script_input *inputs; /* of reduce and sink */
    size_t input_count;
};

struct script_result {
    enum frame_outcome outcome;
    int64_t instructions;
    size_t memory_peak;
    char text[256]; /* the error */
};

/* Where yields go: complete records, written by script_api.c. */
struct script_out {
    /* Make capacity for a record of up to size bytes; NULL: there is none, the yield is
     * counted as dropped. */
    struct frame *(*frame_fn)(void *arg, size_t size);
    void *arg;
};

int script_new(const struct script_limits *limits, uint16_t index,
               const struct script_out *out, struct script **ret);
void script_free(struct script *script);
DEFINE_AUTO(struct script, script_free);

/* Run the text once, which calls plugin{...}.  Errors: -EINVAL, -E2BIG (over budget),
 * with err; then nothing but script_free() is allowed. */
int script_load(struct script *script, struct span text,
                struct plugin_manifest *ret_manifest, struct script_result *ret,
                struct err *err);
/* The descriptors of its files, in place of those before; the script owns them. */
void script_set_files(struct script *script, const struct script_file *files,
                      size_t count);
void script_call(struct script *script, const struct script_call *call,
                 struct script_result *ret);
/* The running call ends at its next instruction.  From a signal handler. */
void script_stop(struct script *script);
uint32_t script_dropped(const struct script *script); /* by the last call */

#endif
