/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_private - sections and targets of a scrape source, for the files that work on
 * them. */
#ifndef INGEST_SCRAPE_PRIVATE_H
#define INGEST_SCRAPE_PRIVATE_H

#include "ingest/scrape_source.h"

#include <pthread.h>

#define THREADS_MAX 8
#define TARGETS_MAX 10000
/* Connections stay open between two scrapes where all of them are no more than these.
 */
#define CONNECTIONS_MAX 64
#define TOKEN_BYTES_MAX 65536
#define SENDER_PLACE_MAX 200

struct scrape_section {
    const char *name;
    struct scrape_opts opts;
    struct scrape_receiver_opts receiver;
    struct strbuf token;
    struct scrape_stats stats; /* under the source's lock */
};

enum target_state { TARGET_NEW, TARGET_UP, TARGET_DOWN };

struct scrape_target {
    struct scrape_section *section;
    char *url; /* or a file */
    char *host;
    /* A url's: */
    char *base;
    const char *path; /* in url */
    struct net_client *client;
    int64_t changed_ns; /* a file's, of what was stored */
    bool is_bad;        /* the last text had bad lines */
    bool is_refused;    /* samples of the last text were refused */
    struct sender_account *account;
    /* Under the source's lock: */
    int64_t due_ns;
    bool is_busy, is_doubtful; /* doubtful: a thread scrapes it, and it may hang */
    enum target_state state;
};

struct scrape_source {
    struct scrape_source_opts opts;
    struct scrape_section **sections;
    size_t section_count;
    struct scrape_target **targets;
    size_t target_count;
    pthread_t threads[THREADS_MAX];
    size_t thread_count;
    pthread_mutex_t report_lock;
    pthread_mutex_t lock; /* due_ns, is_busy, state, stats and what follows */
    pthread_cond_t wake;
    size_t doubtful_count; /* threads at such targets */
    bool is_stopping;
};

#endif
