/* SPDX-License-Identifier: Apache-2.0 */
/* checks - what the checks of one host state about it, as statements: each change once.
 *
 *     a check, at each trigger ─▶ is it another health? ─▶ a statement for barod
 *         disk: up, up, up, degraded, degraded ...          degraded
 *
 * A check is a source (system:plugin:fds@a0903) and what it is about.  Another reason
 * alone is stated once in CHECK_REASON_NS, what did not change once in CHECK_AGAIN_NS:
 * a database may be older than what was stated.
 *
 * One that is bad (degraded, down), well and bad again within CHECK_UNSTEADY_NS is
 * unsteady: it is degraded, and no more, until it has been the same for
 * CHECK_STEADY_NS. So what flaps drains nothing, and makes no row a trigger.
 *
 * Bounds   CHECKS_MAX of a host, a reason of RESOURCE_REASON_BYTES_MAX.  Where there
 * are so many, what is up and was not checked for CHECK_FORGET_NS is forgotten: jobs'
 * mounts and devices that come and go fill no slots for ever.
 * Threads  one at a time.
 */
#ifndef RESOURCE_CHECKS_H
#define RESOURCE_CHECKS_H

#include "base/cleanup.h"
#include "base/number.h"
#include "model/model.h"

#define CHECKS_MAX 1024
#define CHECK_REASON_NS (10 * 60 * NS_PER_S)
#define CHECK_AGAIN_NS (60 * 60 * NS_PER_S)
#define CHECK_FORGET_NS (2 * CHECK_AGAIN_NS)

#define CHECK_UNSTEADY_NS (60 * 60 * NS_PER_S)
#define CHECK_STEADY_NS (5 * 60 * NS_PER_S)

/* The part that stands for the host itself. */
#define CHECK_OF_HOST "host"

struct resource_checks;

/* Errors: -EINVAL (host or cluster is empty), -ENOMEM. */
int resource_checks_new(const char *cluster, const char *host,
                        struct resource_checks **ret);
void resource_checks_free(struct resource_checks *checks);
DEFINE_AUTO(struct resource_checks, resource_checks_free);

struct resource_check {
    const char *kind; /* "plugin": its source is system:plugin:NAME@HOST */
    struct span name; /* of the check */
    struct span part; /* below the host: "dimm:A1", "memory", "host" */
    enum resource_health health;
    struct span reason; /* the value that was found; may be empty */
    int64_t t_ns;
};

/* 1: *ret is a statement that barod is to have; its texts are valid until the next
 * call. 0: it is nothing new.  Errors: -EINVAL (part is no name of a component),
 * -ENOSPC (CHECKS_MAX), -ENOMEM; nothing is stated then. */
int resource_checks_state(struct resource_checks *checks,
                          const struct resource_check *check,
                          struct resource_statement *ret);

/* A check does not run any more: all that it stated is end's health from now on.  up,
 * where it was removed on purpose: it stands against nothing any more.  unknown, where
 * it failed: then what is degraded or down stays so, a check that is silent is no
 * reason to use it.  end's part is of no matter. */
typedef void resource_checks_fn(void *arg, const struct resource_statement *statement);
void resource_checks_end(struct resource_checks *checks,
                         const struct resource_check *end, resource_checks_fn *fn,
                         void *arg);

/* What was stated did not reach the disk: all of it is news again.  What is up is
 * stated at once, since some of it no check states any more; the others as soon as
 * their checks are at it again. */
void resource_checks_again(struct resource_checks *checks, int64_t t_ns,
                           resource_checks_fn *fn, void *arg);

#endif
