/* SPDX-License-Identifier: Apache-2.0 */
/* plan - which nodes are to be drained in the scheduler, and which resumed.
 *
 *     health of hosts (barod) ─┐
 *     nodes (scheduler) ───────┼─▶ act_plan ─▶ per node: nothing, drain, resume,
 * forget, what was drained by us ──┘                         or: over the limit
 *
 * 1. A node is drained where a rule names its health, it has been so for a while, and
 * it is neither drained nor draining: that, and its reason, is left as it is.
 * 2. Unknown is never a reason, whatever the rules are.
 * 3. Never more nodes at a time than the limits: those that are drained by us count.
 * 4. Only what we drained is resumed: it is drained in the scheduler with our very
 *    reason, and the host has been up for a while.
 * 5. A node that we drained and that another resumed, or gave another reason, is
 * theirs: it is not drained again until its host was up.
 *
 * Pure: no I/O, no clock.
 */
#ifndef ACT_PLAN_H
#define ACT_PLAN_H

#include "act/node_list.h"
#include "model/model.h"

enum act_record_state {
    ACT_NOTHING,  /* no record */
    ACT_BEGUN,    /* to be drained by us: whether it is, the scheduler knows */
    ACT_DRAINED,  /* by us */
    ACT_OVERRULED /* by us, and then another decided otherwise */
};

struct act_host {
    const char *name;
    /* Of barod. */
    enum resource_health health;
    int64_t since_ns;   /* 0: not known */
    struct span reason; /* names check, value and time */
    /* Of the scheduler. */
    const struct scheduler_node *node; /* NULL: it has no such node */
    /* Of our record. */
    enum act_record_state record;
    const char *drained_reason; /* what we gave the scheduler; NULL: nothing */
};

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
    ACT_HOLD,     /* the record: it is drained, as was begun */
    ACT_LIMITED,  /* it would be drained, but for a limit */
};

/* verbs[i] of hosts[i].  Those that are so for the longest time come first where a
 * limit leaves some.  Errors: -ENOMEM. */
int act_plan(const struct act_host *hosts, size_t count, size_t node_count,
             const struct act_rules *rules, int64_t now_ns, enum act_verb *verbs);

/* "baro: down: ping: no response for 30 s, since 2026-11-21T06:00:00Z": one line,
 * without quotes, bars and backslashes, of at most ACT_REASON_BYTES_MAX. */
#define ACT_REASON_BYTES_MAX 200
void act_reason_print(const struct act_host *host, struct strbuf *out);

#endif
