/* SPDX-License-Identifier: Apache-2.0 */
/* host_private - a host from inside: its process, its plugins, its messages. */
#ifndef PLUGIN_HOST_PRIVATE_H
#define PLUGIN_HOST_PRIVATE_H

#include "plugin/host.h"

#define HOST_PENDING_MAX 8 /* calls of one plugin that have not ended */

struct host_pending {
    enum plugin_function function;
    uint64_t epoch;
    int64_t t_ns;
    uint32_t yields;
};

struct host_slot {
    char *file, *text;
    size_t text_size;
    enum host_plugin_state state;
    bool has_manifest;   /* of this text */
    bool is_load_sent;   /* and not yet DONE */
    bool is_load_wanted; /* not yet sent to this process */
    bool is_gone;        /* freed when nothing of it is awaited */
    bool is_withdrawn;   /* host_withdraw() */
    bool is_end_due;     /* and its event, when nothing of it is awaited */
    struct plugin_manifest manifest;
    char why[256];
    unsigned strikes;
    enum plugin_function struck; /* whose call failed; PLUGIN_FUNCTION_COUNT: any */
    struct host_pending pending[HOST_PENDING_MAX]; /* in their order */
    size_t pending_count;
    uint64_t calls, failures, cpu_ns, instructions, memory_peak;
    size_t file_count, refused_count;
};

struct plugin_host {
    struct host_opts opts;
    struct host_slot *slots[HOST_PLUGINS_MAX]; /* NULL: free */
    struct host_counts counts;
    int fd; /* -1: none */
    pid_t pid;
    pid_t zombies[8]; /* killed, and not yet gone */
    bool has_hello;
    uint32_t walls;
    unsigned ends_awaited;
    int64_t deadline_ns;          /* 0: nothing is awaited */
    int64_t restart_ns, pause_ns; /* monotonic; pause_ns 0: no failure lately */
    unsigned careful, fine;       /* triggers */
    struct frame out;
    uint8_t in[FRAME_BYTES_MAX];
};

/* host_process.c */
int host_process_start(struct plugin_host *host, struct err *err);
/* Kill it; who is to blame has been decided. */
void host_process_stop(struct plugin_host *host);
/* It ended, or has to: blame a plugin where one can be blamed, and start again later.
 */
void host_process_fail(struct plugin_host *host, const char *why);

/* host_yield.c */
/* An event about a plugin, of the host itself: plugin_... */
void host_own_event(struct plugin_host *host, const struct host_slot *slot,
                    const char *name, enum plugin_severity severity, const char *text);
void host_strike(struct plugin_host *host, uint16_t index, const char *event,
                 const char *why);

/* host_message.c */
int host_send(struct plugin_host *host);
/* Errors: -EAGAIN (the socket is full), -EPIPE and the like. */
int host_send_files(struct plugin_host *host, uint16_t index);
/* The next plugin whose text the process has not, one at a time. */
void host_load_next(struct plugin_host *host);
void host_report(const struct plugin_host *host, const char *plugin, const char *fmt,
                 ...) __attribute__((format(printf, 3, 4)));
void host_await(struct plugin_host *host); /* sets the deadline */

#endif
