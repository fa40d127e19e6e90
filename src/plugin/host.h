/* SPDX-License-Identifier: Apache-2.0 */
/* host - the process that runs the Lua plugins of one owner, seen from the agent.
 *
 *     host_load ─▶ LOAD ─▶ MANIFEST ─▶ its files are opened and passed ─▶ ready
 *     host_trigger ─▶ a CALL for each that is due, FINISH ─▶ yields, DONE ..., END
 *
 * The process is not trusted: what it sends is bounded, checked, and touches nothing
 * but the callbacks.  One that sends something else, or that has not sent END by its
 * deadline, is killed and started again after a pause (1 s, doubling up to a minute),
 * with all plugins that are not suspended.  A plugin that was over its budget, failed
 * or hung strikes_max times in a row is suspended.  After a kill that no plugin can be
 * blamed for, yields come one plugin at a time for a while, so that the next can.
 *
 * Threads  one.  Nothing here waits, but host_settle().
 */
#ifndef PLUGIN_HOST_H
#define PLUGIN_HOST_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "plugin/yield.h"

#include <sys/types.h>

#define HOST_PLUGINS_MAX 64

struct plugin_host;

enum host_plugin_state {
    HOST_LOADING,
    HOST_READY,
    HOST_REFUSED,   /* its text, or its manifest: host_plugin.why */
    HOST_SUSPENDED, /* after strikes */
};

struct host_opts {
    const char *program;      /* baro-plugin-host */
    const char *root;         /* prefix of the files that plugins read; "": none */
    const char *role;         /* of this node; "": any */
    const char *const *reads; /* what plugins may read: patterns */
    size_t read_count;
    int64_t instructions;  /* of a call */
    uint32_t memory_bytes; /* of a plugin */
    unsigned cpu_ms;       /* of a call, roughly */
    int64_t deadline_ns;   /* of all calls of a trigger */
    unsigned strikes_max;
    struct plugin_yields yields;
    /* An event about a plugin or the process, for the operator; may be NULL. */
    void (*report)(void *arg, const char *plugin, const char *text);
    void *report_arg;
};

extern const struct host_opts host_opts_default;

struct host_counts {
    uint64_t starts, kills, protocol_errors, triggers, late, calls, over_budget;
    uint64_t samples, events, dropped;
};

struct host_plugin {
    const char *file; /* as it was loaded */
    enum host_plugin_state state;
    const struct plugin_manifest *manifest; /* all zero before the first MANIFEST */
    const char *why;
    unsigned strikes;
    uint64_t calls, failures, cpu_ns, instructions, memory_peak;
    size_t file_count, refused_count; /* that it reads */
};

/* opts' texts must outlive the host.  The process starts with the first plugin.
 * Errors: -ENOMEM. */
int host_new(const struct host_opts *opts, struct plugin_host **ret);
void host_free(struct plugin_host *host);
DEFINE_AUTO(struct plugin_host, host_free);

/* Add a plugin; one with this file name is replaced, as a reload.  Errors: -EINVAL (too
 * long a text), -ENOSPC (HOST_PLUGINS_MAX), -ENOMEM, of starting a process: it is
 * tried again after a pause, and the plugin loaded then. */
int host_load(struct plugin_host *host, const char *file, struct span text,
              struct err *err);
/* It was removed: the event plugin_removed.  Errors: -ENOENT. */
int host_unload(struct plugin_host *host, const char *file);
/* It is not to run as its file is now: the event plugin_withdrawn.  It has its slot, so
 * that its removal is known later, but is neither counted nor listed.
 * Errors: -ENOENT. */
int host_withdraw(struct plugin_host *host, const char *file);
/* Lift a suspension.  Errors: -ENOENT. */
int host_resume(struct plugin_host *host, const char *file);
/* Other files from now on: those below another root (recorded input). */
void host_set_root(struct plugin_host *host, const char *root);

/* At a trigger: sources that are due are called.  Returns how many. */
size_t host_trigger(struct plugin_host *host, uint64_t epoch, int64_t t_ns);
struct plugin_call {
    enum plugin_function function;
    uint64_t epoch;
    int64_t t_ns;
    const struct plugin_input *inputs;
    size_t input_count;
};
/* reduce or sink of one plugin, the one that was loaded as file: two may have one name.
 * Errors: -ENOENT, -EINVAL (it has no such function), -EMSGSIZE, -EAGAIN (the process
 * is not there now, or has not loaded it), of sending. */
int host_call(struct plugin_host *host, const char *file,
              const struct plugin_call *call);

/* In place of starting a process: the other end of a socket is one already.  For tests
 * and fuzzing. */
void host_adopt(struct plugin_host *host, int fd);

/* To poll for reading; -1: there is no process now. */
int host_fd(const struct plugin_host *host);
/* Everything that is there.  Calls the callbacks. */
void host_receive(struct plugin_host *host);
/* Is a trigger's END, or a load, still awaited? */
bool host_is_busy(const struct plugin_host *host);
/* Deadlines and restarts; call it at each trigger, and at *ret_ns (monotonic) where
 * that is not 0. */
void host_check(struct plugin_host *host, int64_t *ret_ns);
/* Wait until nothing is awaited, at most so long. */
void host_settle(struct plugin_host *host, int64_t timeout_ns);

size_t host_plugin_count(const struct plugin_host *host);
void host_plugin_at(const struct plugin_host *host, size_t index,
                    struct host_plugin *ret);
void host_count(const struct plugin_host *host, struct host_counts *ret);
uint32_t host_walls(const struct plugin_host *host); /* enum frame_wall */
pid_t host_pid(const struct plugin_host *host);      /* 0: none */

/* One message of the process, as host_receive() handles it: for tests and fuzzing.
 * Errors: -EBADMSG. */
int host_handle(struct plugin_host *host, const void *data, size_t size);

#endif
