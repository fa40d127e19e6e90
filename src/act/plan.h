/* SPDX-License-Identifier: Apache-2.0 */
/* plan - which nodes are to be drained in the scheduler, and which resumed.
 *
 *     health of hosts (barod) ─┐
 *     nodes (scheduler) ───────┼─▶ act_plan ─▶ per node: nothing, drain, resume,
 * forget, what was drained by us ──┘                         or: over the limit
 *
 * 1. A node is drained where a rule names its health, it has been so for a while, jobs
 *    start on it, and no administrator gave it a reason ("Not responding" is Slurm's).
 *    Drained, draining, down, failing, in maintenance, rebooting, powered down:
 *    that, and its reason, is left as it is, in both directions.
 * 2. Unknown is never a reason, whatever the rules are.
 * 3. Never more nodes at a time than the limits.  All that we drained counts, until the
 *    scheduler lists it as in service: also where it lists it not at all, where another
 *    gave it a reason since, and what was begun, or is being resumed, with an outcome
 *    that is not known yet.
 *    A node that is drained with a reason like ours and is not in our record counts,
 *    too: another program acts there, or a record was lost.
 * 4. Only what we drained is resumed: it is drained in the scheduler with our very
 *    reason, that is its only state, and the host has been up for a while.  One that is
 *    down besides is an administrator's to return.
 * 5. A node that we drained and that another resumed, or gave another reason, is
 *    theirs: it is not drained again until its host was up.
 * 6. A call of the scheduler that had no response may come to be later: for
 *    ACT_PENDING_NS nothing is concluded from its not being seen.  Where another's
 *    drain or reason is seen meanwhile, the node is theirs, whatever comes later.
 *
 * Pure: no I/O, no clock.
 */
#ifndef ACT_PLAN_H
#define ACT_PLAN_H

#include "act/node_list.h"
#include "model/model.h"

enum act_record_state {
    ACT_NOTHING,   /* no record */
    ACT_SEEN,      /* its host is not up: since when, by our own runs */
    ACT_BEGUN,     /* to be drained by us: whether it is, the scheduler knows */
    ACT_DRAINED,   /* by us */
    ACT_RESUMING,  /* by us: likewise */
    ACT_OVERRULED, /* by us, and then another decided otherwise */
    ACT_STATE_COUNT
};

#define ACT_PENDING_NS (INT64_C(600) * 1000000000)

struct act_host {
    const char *name;
    /* Of barod. */
    enum resource_health health;
    int64_t since_ns;   /* act_since(); 0: not known */
    struct span reason; /* names check, value and time */
    /* Of the scheduler. */
    const struct scheduler_node *node; /* NULL: it has no such node */
    /* Of our record. */
    enum act_record_state record;
    int64_t changed_ns;         /* of the record */
    const char *drained_reason; /* what we gave the scheduler; NULL: nothing */
};

/* Since when, where by a host's clock it is since_ns (0: nothing, and stays so), and by
 * our own runs not before not_before_ns and not after not_after_ns. */
int64_t act_since(int64_t since_ns, int64_t not_before_ns, int64_t not_after_ns);

struct act_rules {
    unsigned drains;         /* bit RESOURCE_*: of this health; unknown is left out */
    int64_t drain_after_ns;  /* it has been so for so long */
    int64_t resume_after_ns; /* it has been up for so long */
    uint64_t nodes_max;      /* drained by us at a time; 0: none at all */
    uint64_t percent_max;    /* likewise, of the scheduler's nodes, rounded down */
};

/* "down,drained".  Errors: -EINVAL (up and unknown are never a reason). */
int act_rules_read_drains(struct act_rules *rules, struct span text, struct err *err);

enum act_verb {
    ACT_LEAVE,
    ACT_DRAIN,
    ACT_RESUME,
    ACT_FORGET,   /* the record: there is nothing of ours any more */
    ACT_OVERRULE, /* the record: another decided otherwise */
    ACT_HOLD,     /* the record: it is drained */
    ACT_SETTLE,   /* the record: it is resumed, by us */
    ACT_LAPSE,    /* the record: what was begun did not come to be */
    ACT_LIMITED,  /* it would be drained, but for a limit */
    ACT_REASONED, /* likewise, but for another's reason */
    ACT_STAYS     /* it would be resumed, but it is down in the scheduler */
};

/* What each reason of ours begins with, and no other program's. */
#define ACT_REASON_MARK "baro: "
bool act_reason_is_marked(const char *reason);

/* Is it drained with the very reason that we gave?  It has a node. */
bool act_is_ours(const struct act_host *host);
/* Is it one of those that the limits are for? */
bool act_counts(const struct act_host *host);
/* Is it drained by a program like this one, of which our record has nothing? */
bool act_is_unrecorded(const struct act_host *host);

/* verbs[i] of hosts[i].  Those that are so for the longest time come first where a
 * limit leaves some.  Errors: -ENOMEM. */
int act_plan(const struct act_host *hosts, size_t count, size_t node_count,
             const struct act_rules *rules, int64_t now_ns, enum act_verb *verbs);

/* "baro: down: ping: no response for 30 s, since 2026-11-21T06:00:00Z": one line,
 * without quotes, bars and backslashes, of at most ACT_REASON_BYTES_MAX. */
#define ACT_REASON_BYTES_MAX 200
void act_reason_print(const struct act_host *host, struct strbuf *out);

#endif
