/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_source - exporters that are scraped: node_exporter, dcgm-exporter, boxes.
 *
 *     every interval: target ─GET or read─▶ text ─▶ scrape_receiver ─▶ sink
 *         └ too slow, too long, not 200, no such text: failed, said, scrape_up 0
 *
 * Targets are scraped each at a moment of its own within the interval, by a few threads
 * that do nothing else: one that hangs holds up one of them until its timeout.  Half of
 * them are only for those that answered the last time, so many that hang hold up each
 * other.  A target's samples are of the moment at which it was due.
 *
 * Threads  up to eight inside.
 */
#ifndef INGEST_SCRAPE_SOURCE_H
#define INGEST_SCRAPE_SOURCE_H

#include "ingest/scrape_receiver.h"

/* [scrape NAME] */
struct scrape_opts {
    struct config_list url, file;
    int64_t interval_ns, timeout_ns;
    const char *cluster; /* "": write.cluster */
    const char *host;    /* "": that of the url; of files, this machine's */
    const char *host_label;
    struct config_list map, drop, keep, leave;
    uint64_t body_max;
    const char *token_file, *ca_file;
};

extern const struct config_section scrape_config_section;

struct scrape_source;

enum scrape_notice {
    SCRAPE_WORKS,    /* a target that failed, or never was scraped, has responded */
    SCRAPE_FAILS,    /* a target has not */
    SCRAPE_BAD,      /* its text has bad lines */
    SCRAPE_REFUSED,  /* samples of it were refused: a share, a limit, a name */
    SCRAPE_UNSTORED, /* its samples could not be kept, and are lost */
    SCRAPE_LATE,     /* a target was not scraped in time */
    SCRAPE_NOTICE_COUNT,
};

/* From any thread, one at a time. */
typedef void scrape_say_fn(void *arg, enum scrape_notice notice, const char *text);

struct scrape_source_opts {
    const struct sink *sink;
    struct lookup_cache *cache;
    const char *cluster; /* of sections that name none */
    scrape_say_fn *say;
    void *arg;
};

/* Of one section. */
struct scrape_stats {
    uint64_t targets, targets_up;
    uint64_t scrapes, failed, late; /* late: not scraped at all, for lack of a thread */
    uint64_t bytes, samples, left, bad, refused, unstored;
};

/* Of all sections: what is due and not begun, and who could begin it. */
struct scrape_load {
    uint64_t waiting, targets;
    uint64_t threads_busy, threads;
};

/* Errors: -ENOMEM. */
int scrape_source_new(const struct scrape_source_opts *opts, struct scrape_source **ret,
                      struct err *err);
/* A section, before it starts; a url may name a set of hosts; name and what opts points
 * at outlive the source. Errors: -EINVAL (opts), -ENOMEM, what reading the token says.
 */
int scrape_source_add(struct scrape_source *source, const char *name,
                      const struct scrape_opts *opts, struct err *err);
/* All sections are there: open their clients, without connecting.  Errors: what opening
 * a client says. */
int scrape_source_prepare(struct scrape_source *source, struct err *err);
/* Errors: -EAGAIN (no thread). */
int scrape_source_start(struct scrape_source *source, struct err *err);
/* Waits for scrapes under way, no longer than the timeouts. */
void scrape_source_free(struct scrape_source *source);
DEFINE_AUTO(struct scrape_source, scrape_source_free);

size_t scrape_source_count(const struct scrape_source *source);
void scrape_source_load(struct scrape_source *source, struct scrape_load *ret);
/* *ret_name is the section's. */
void scrape_source_stats(struct scrape_source *source, size_t index,
                         const char **ret_name, struct scrape_stats *ret);

#endif
