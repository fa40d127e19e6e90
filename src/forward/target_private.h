/* SPDX-License-Identifier: Apache-2.0 */
/* target_private - the state of a target, for the files that work on it. */
#ifndef FORWARD_TARGET_PRIVATE_H
#define FORWARD_TARGET_PRIVATE_H

#include "forward/target.h"

#include <pthread.h>
#include <stdatomic.h>

struct forward_target {
    const char *name;
    struct forward_opts opts;
    struct forward_source source;
    struct external_labels labels;
    char *spool_dir;
    struct spool *spool;
    pthread_mutex_t sync_lock; /* held over target_sync() */
    pthread_mutex_t lock;      /* names, is_idle, is_stopping, stats */
    pthread_cond_t wake;
    struct series_names *names;
    bool is_idle, is_stopping;
    struct forward_stats stats;
    uint64_t lost_before; /* of the queue, at the last report */
    _Atomic uint64_t queued, unqueued;
    /* Of the thread. */
    pthread_t thread;
    bool has_thread;
    char *base;
    const char *path; /* in opts.url */
    struct net_client *client;
    struct net_response response;
    struct message_samples samples;
    uint64_t last_sequence, list; /* of what is in samples */
    uint64_t unsendable; /* left out of samples: lost when that is acknowledged */
    char unsendable_reason[sizeof((struct err){ 0 }.text)]; /* of the last of them */
    struct strbuf record, text, block;
    unsigned failures; /* in a row */
};

/* The thread: records out of the queue, into requests, until it is to stop. */
void *target_send(void *arg);
void target_report(struct forward_target *target, enum forward_notice notice,
                   const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
