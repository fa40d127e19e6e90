/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_receiver - one text of an exporter on its way into a sink.
 *
 *     text ─▶ samples ─▶ keep, leave ─▶ cache ─▶ a batch for each shard ─▶ sink->put()
 *                                        └ scrape_names ─▶ sink->series(), the first
 * time
 *
 * Threads  none inside; any number share one cache and one sink.
 */
#ifndef INGEST_SCRAPE_RECEIVER_H
#define INGEST_SCRAPE_RECEIVER_H

#include "ingest/lookup_cache.h"
#include "ingest/scrape_names.h"

struct scrape_receiver_opts {
    const struct sink *sink;
    struct lookup_cache *cache;
    struct scrape_names_opts names;
    struct config_list keep;  /* patterns of metrics; none: all */
    struct config_list leave; /* patterns of metrics that are left out all the same */
    int64_t step_ns;          /* of metrics that are new */
    const char *section;      /* the name of what is scraped */
};

struct scrape_result {
    uint64_t samples; /* kept */
    uint64_t left;    /* samples that keep or leave left out */
    uint64_t bad;     /* lines */
    uint64_t too_old;
    struct sink_refusals refused;  /* samples of what could not be created */
    struct prometheus_fault first; /* of the bad ones */
};

/* Take in all of the text; samples without a time are of t_ns, those whose labels name
 * no host are host's.  *ret says what became of it.  Errors: -ENOMEM, what sink->put()
 * says: then nothing more is kept. */
struct scrape_text {
    struct span host, text;
    int64_t t_ns;
    struct sender_account *account; /* the target's; NULL: it may create all */
};
int scrape_receive(const struct scrape_receiver_opts *opts,
                   const struct scrape_text *text, struct scrape_result *ret);

/* What is known of a scrape itself: scrape_up (1 or 0), scrape_seconds, scrape_samples
 * of cluster/host/scrape:NAME.  Errors: likewise. */
struct scrape_verdict {
    bool is_up;
    double seconds;
    uint64_t samples;
};
int scrape_receive_verdict(const struct scrape_receiver_opts *opts, struct span host,
                           int64_t t_ns, const struct scrape_verdict *verdict);

#endif
