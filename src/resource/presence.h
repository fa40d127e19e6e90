/* SPDX-License-Identifier: Apache-2.0 */
/* presence - which hosts send something, and since when one that did is silent.
 *
 *     samples, batches, members of a session ─▶ heard ─▶ a host is known, and up
 *     nothing for three of its intervals      ─▶ check ─▶ unknown: no sample since ...
 *
 * A host is never down by silence: barod may be the one that hears nothing.  What is
 * stated is by system:presence; parts of a silent host that were up are unknown as well
 * (effect.h).
 *
 * Bounds   opts.hosts_max hosts; names of letters, digits and . _ - alone.
 * Threads  any.
 */
#ifndef RESOURCE_PRESENCE_H
#define RESOURCE_PRESENCE_H

#include "base/cleanup.h"
#include "model/model.h"

#define RESOURCE_SOURCE_PRESENCE "system:presence"
#define PRESENCE_INTERVALS 3
/* A statement that holds is made again: the database may be another one. */
#define PRESENCE_AGAIN_NS (60 * 60 * NS_PER_S)
/* After a start it is not known yet how often a host sends. */
#define PRESENCE_GRACE_NS (10 * 60 * NS_PER_S)

enum presence_sign { PRESENCE_SAMPLE, PRESENCE_BATCH, PRESENCE_MEMBER };

struct presence_opts {
    size_t hosts_max;
    int64_t silent_after_ns; /* at least */
};

struct presence;

/* Errors: -ENOMEM. */
int presence_new(const struct presence_opts *opts, struct presence **ret);
void presence_free(struct presence *presence);
DEFINE_AUTO(struct presence, presence_free);

/* Names as they are.  Errors: -EINVAL (no name of a host), -ENOSPC, -ENOMEM: each is
 * counted, and the host is not known. */
int presence_heard(struct presence *presence, struct span cluster, struct span host,
                   enum presence_sign sign, int64_t now_ns);
/* A session has lost it as a member: silent, unless it is heard in another way within
 * the interval of that. */
void presence_lost(struct presence *presence, struct span cluster, struct span host,
                   int64_t now_ns);
/* Of a component ("alex/a1") something was stated before this start.  Errors: as
 * above. */
int presence_known(struct presence *presence, struct span component, bool is_silent,
                   int64_t now_ns);

/* What is another now, or to be stated again; fn must not call presence. */
typedef void presence_fn(void *arg, const struct resource_statement *statement);
void presence_check(struct presence *presence, int64_t now_ns, presence_fn *fn,
                    void *arg);

struct presence_counts {
    size_t hosts, silent;
    uint64_t refused; /* names that are none, or too many */
};
void presence_count(struct presence *presence, struct presence_counts *ret);

#endif
