/* SPDX-License-Identifier: Apache-2.0 */
/* action_plan - which actions are to be run for which causes, and what holds others.
 *
 *     causes (barod) ──┐
 *     ground of each ──┼─▶ action_plan ─▶ steps in order: run, or held and why
 *     rules, record ───┘
 *
 * 1. Rules in the order of the file, and of each the causes that last longest first.
 * 2. A cause is one once: what was done for it is not done again within again_after,
 *    what failed only after a pause and so many times, what is lost never.  Where a
 * rule is once for a host or a component, nor is what was begun for another cause
 * there.
 * 3. Never for more hosts in the window than the limits.  A host counts once, by what
 *    was begun there within the window, whatever became of it; one of which the end is
 *    not known always.
 * 4. Where a rule needs a node: Slurm has it, it is drained by us, and nothing besides.
 *
 * Pure: no I/O, no clock.
 */
#ifndef ACT_ACTION_PLAN_H
#define ACT_ACTION_PLAN_H

#include "act/action_record.h"

/* What may be done on a cause's host. */
enum action_ground {
    ACTION_GROUND_NO_SLURM,      /* it does not respond */
    ACTION_GROUND_NO_NODE,       /* Slurm has no such node */
    ACTION_GROUND_ADMINISTRATOR, /* one drained the host in barod */
    ACTION_GROUND_NOT_OURS,      /* not drained by us */
    ACTION_GROUND_OTHER_STATE,   /* rebooting, in maintenance, with two states, ... */
    ACTION_GROUND_BUSY,          /* drained by us, and jobs run there */
    ACTION_GROUND_IDLE
};

enum action_hold {
    ACTION_RUNS,
    ACTION_HELD_GROUND, /* and which */
    ACTION_HELD_LASTS,  /* the cause does not for long enough */
    ACTION_HELD_DONE,
    ACTION_HELD_ONCE, /* for another cause of its host, or component */
    ACTION_HELD_PAUSE,
    ACTION_HELD_GIVEN_UP,
    ACTION_HELD_LOST,
    ACTION_HELD_HOSTS /* the limit of hosts */
};

struct action_step {
    const struct action_rule *rule;
    const struct action_cause *cause;
    enum action_hold hold;
    enum action_ground ground;
    struct action_item item; /* of the record, before; ONCE, LOST: what holds it */
    int64_t not_before_ns;   /* of what is held until then */
};

struct action_plan_opts {
    const struct action_rules *rules;
    const struct action_record *record;
    const struct action_cause *causes;
    const enum action_ground *grounds; /* of each cause */
    size_t cause_count;
    const char *cluster;
    size_t host_count; /* of the cluster: for limits in percent */
    int64_t now_ns;
    int64_t clock_set_ns; /* no cause is so since before it; 0: never */
};

bool action_ground_suffices(enum action_ground ground, enum action_node needs);
/* Does the rule name that cause? */
bool action_rule_matches(const struct action_rule *rule,
                         const struct action_cause *cause);

/* For as long as the rule has it?  What a clock that was set makes of a cause's time is
 * not known: it is so since then. */
bool action_cause_lasts(const struct action_cause *cause,
                        const struct action_rule *rule, int64_t now_ns,
                        int64_t clock_set_ns);

/* *ret is to be freed; its texts are the record's and the causes'.  Errors: -ENOMEM. */
int action_plan(const struct action_plan_opts *opts, struct action_step **ret,
                size_t *ret_count);

/* "held: jobs still run there" without "held"; one that is run has none. */
void action_hold_print(const struct action_step *step, const char *record_path,
                       struct strbuf *out);

#endif
