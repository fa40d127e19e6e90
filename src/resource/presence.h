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
 * Ages are by the clock that does not step; and while barod itself did not run (a pause
 * of its machine, SIGSTOP) no host was silent: that time does not count.  Each way of
 * being heard has an interval of its own; a host is silent where all of them are.
 *
 * Bounds   opts.hosts_max hosts; names of letters, digits and . _ - alone.  One more
 *          has the place of the one that is silent longest, for PRESENCE_OLD_NS.
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
/* Nor is it of one that was heard once: it has so many times silent_after, and no more
 * than that. */
#define PRESENCE_FIRST 10
/* The longest interval that is learned. */
#define PRESENCE_INTERVAL_MAX_NS (24 * 60 * 60 * NS_PER_S)
/* A silent host gives way to another from then on. */
#define PRESENCE_OLD_NS (7 * 24 * 60 * 60 * NS_PER_S)

enum presence_sign { PRESENCE_SAMPLE, PRESENCE_BATCH, PRESENCE_MEMBER };

struct presence_opts {
    size_t hosts_max;
    int64_t silent_after_ns; /* at least */
    int64_t check_every_ns;  /* presence_check() comes so often while barod runs;
                                0: no pause is noticed */
};

/* One moment: of clock_steady_ns() for ages, the time of day for what is stated. */
struct presence_time {
    int64_t steady_ns, t_ns;
};

struct presence;

/* Errors: -ENOMEM. */
int presence_new(const struct presence_opts *opts, struct presence **ret);
void presence_free(struct presence *presence);
DEFINE_AUTO(struct presence, presence_free);

/* Names as they are.  Errors: -EINVAL (no name of a host), -ENOSPC, -ENOMEM: each is
 * counted, and the host is not known. */
int presence_heard(struct presence *presence, struct span cluster, struct span host,
                   enum presence_sign sign, const struct presence_time *now);
/* A session has lost it as a member: silent, unless samples or batches of it come
 * within two of their intervals. */
void presence_lost(struct presence *presence, struct span cluster, struct span host,
                   const struct presence_time *now);
/* Of a component ("alex/a1") something was stated before this start: so since since_ns,
 * a time of day.  Errors: as above. */
int presence_known(struct presence *presence, struct span component, bool is_silent,
                   int64_t since_ns, const struct presence_time *now);

/* What is another now, or to be stated again.  No lock is held while fn is called. */
typedef void presence_fn(void *arg, const struct resource_statement *statement);
void presence_check(struct presence *presence, const struct presence_time *now,
                    presence_fn *fn, void *arg);

struct presence_counts {
    size_t hosts, silent;
    uint64_t refused; /* names that are none, or too many */
};
void presence_count(struct presence *presence, struct presence_counts *ret);

#endif
