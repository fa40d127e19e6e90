/* SPDX-License-Identifier: Apache-2.0 */
/* action_plan - which actions are to be run for which causes, and what holds others. */
#include "act/action_plan.h"

#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool action_ground_suffices(enum action_ground ground, enum action_node needs)
{
    switch (needs) {
    case ACTION_NODE_ANY:
        return true;
    case ACTION_NODE_DRAINED:
        return ground >= ACTION_GROUND_BUSY;
    case ACTION_NODE_IDLE:
        return ground == ACTION_GROUND_IDLE;
    }
    return false;
}

bool action_rule_matches(const struct action_rule *rule,
                         const struct action_cause *cause)
{
    return (rule->states >> cause->state & 1) &&
           strcmp(rule->class_name, cause->class_name) == 0 &&
           action_rule_has_check(rule, cause->check);
}

bool action_cause_lasts(const struct action_cause *cause,
                        const struct action_rule *rule, int64_t now_ns,
                        int64_t clock_set_ns)
{
    int64_t since_ns = cause->since_ns > clock_set_ns ? cause->since_ns : clock_set_ns;
    return cause->since_ns != 0 && now_ns - since_ns >= rule->after_ns;
}

/* ---- what a rule is once for ---- */

static bool host_is_of(const struct action_item *item, const char *cluster,
                       struct span *ret)
{
    AUTO(strbuf_done) struct strbuf own = STRBUF_INIT;
    struct component parts;
    component_print_name(&own, span_of(cluster));
    component_parse(span_of(item->component), &parts);
    *ret = parts.host;
    return strbuf_error(&own) < 0 || span_eq(parts.cluster, strbuf_span(&own));
}

/* Of a rule: hosts or components, and what was begun there. */
struct once {
    struct hashmap items; /* index of the record's item + 1 */
};

static void once_done(struct once *once)
{
    hashmap_done(&once->items);
}
DEFINE_AUTO_DONE(struct once, once_done);

/* Until then it holds others; INT64_MAX: for ever. */
static int64_t item_until(const struct action_item *item,
                          const struct action_rule *rule)
{
    if (item->state == ACTION_BEGUN || item->state == ACTION_LOST)
        return INT64_MAX;
    return item->state == ACTION_NONE ? 0 : item->begun_ns + rule->again_after_ns;
}

static int once_add(const struct action_plan_opts *opts, const struct action_rule *rule,
                    size_t index, struct once *once)
{
    struct action_item item, other;
    struct span host;
    action_record_at(opts->record, index, &item);
    if (strcmp(item.action, rule->name) != 0 || item.state == ACTION_NONE ||
        !host_is_of(&item, opts->cluster, &host))
        return 0;
    uintptr_t *at = hashmap_put(
        &once->items, rule->once == ACTION_ONCE_HOST ? host : span_of(item.component),
        NULL);
    if (!at)
        return -ENOMEM;
    if (*at > 0) {
        action_record_at(opts->record, *at - 1, &other);
        if (item_until(&other, rule) >= item_until(&item, rule))
            return 0;
    }
    *at = index + 1;
    return 0;
}

/* Of each host or component the item that holds others for the longest time. */
static int once_read(const struct action_plan_opts *opts,
                     const struct action_rule *rule, struct once *ret)
{
    int rc = 0;
    if (rule->once == ACTION_ONCE_CAUSE)
        return 0;
    for (size_t i = 0; rc == 0 && i < action_record_count(opts->record); i++)
        rc = once_add(opts, rule, i, ret);
    return rc;
}

static struct span once_key(const struct action_step *step)
{
    return span_of(step->rule->once == ACTION_ONCE_HOST ? step->cause->host
                                                        : step->cause->component);
}

static void once_hold(const struct action_plan_opts *opts, const struct once *once,
                      struct action_step *step)
{
    const uintptr_t *at = hashmap_get(&once->items, once_key(step));
    struct action_item item;
    if (!at)
        return;
    action_record_at(opts->record, *at - 1, &item);
    bool is_own = strcmp(item.component, step->cause->component) == 0 &&
                  strcmp(item.check, step->cause->check) == 0;
    int64_t until_ns = item_until(&item, step->rule);
    if (is_own || opts->now_ns >= until_ns)
        return;
    step->item = item;
    step->not_before_ns = until_ns;
    step->hold = until_ns == INT64_MAX ? ACTION_HELD_LOST : ACTION_HELD_ONCE;
}

/* Of those that would be run now the first one of its host, or component. */
static int once_limit(const struct action_rule *rule, struct action_step *steps,
                      size_t count)
{
    AUTO(hashmap_done) struct hashmap run = HASHMAP_INIT;
    for (size_t i = 0; i < count && rule->once != ACTION_ONCE_CAUSE; i++) {
        bool is_new;
        if (steps[i].hold != ACTION_RUNS)
            continue;
        if (!hashmap_put(&run, once_key(&steps[i]), &is_new))
            return -ENOMEM;
        if (is_new)
            continue;
        steps[i].hold = ACTION_HELD_ONCE;
        steps[i].item = (struct action_item){ .result = "" };
    }
    return 0;
}

/* ---- one cause ---- */

static void item_hold(struct action_step *step, int64_t now_ns)
{
    const struct action_rule *rule = step->rule;
    const struct action_item *item = &step->item;
    int64_t again_ns = item->begun_ns + rule->again_after_ns;
    switch (item->state) {
    case ACTION_BEGUN: /* of a run before this one: nothing ended it */
    case ACTION_LOST:
        step->hold = ACTION_HELD_LOST;
        break;
    case ACTION_DONE:
        step->not_before_ns = again_ns;
        step->hold = now_ns < again_ns ? ACTION_HELD_DONE : ACTION_RUNS;
        break;
    case ACTION_FAILED:
        if (item->tries > rule->retries) {
            step->not_before_ns = again_ns;
            step->hold = now_ns < again_ns ? ACTION_HELD_GIVEN_UP : ACTION_RUNS;
        } else {
            step->not_before_ns = item->ended_ns + rule->pause_ns;
            step->hold = now_ns < step->not_before_ns ? ACTION_HELD_PAUSE : ACTION_RUNS;
        }
        break;
    default:
        break;
    }
}

static void step_make(const struct action_plan_opts *opts,
                      const struct action_rule *rule, const struct once *once,
                      size_t cause_index, struct action_step *ret)
{
    const struct action_cause *cause = &opts->causes[cause_index];
    *ret = (struct action_step){
        .rule = rule,
        .cause = cause,
        .ground = opts->grounds[cause_index],
    };
    action_record_find(opts->record, rule->name, cause, &ret->item);
    item_hold(ret, opts->now_ns);
    if (ret->hold == ACTION_RUNS)
        once_hold(opts, once, ret);
    if (ret->hold != ACTION_RUNS)
        return;
    if (!action_cause_lasts(cause, rule, opts->now_ns, opts->clock_set_ns))
        ret->hold = ACTION_HELD_LASTS;
    else if (!action_ground_suffices(ret->ground, rule->needs))
        ret->hold = ACTION_HELD_GROUND;
}

/* ---- the limits of one rule ---- */

/* What was begun in a time to come has just been: a clock is wrong. */
static bool is_in_window(const struct action_item *item, const struct action_rule *rule,
                         int64_t now_ns)
{
    return item->state == ACTION_LOST || item->state == ACTION_BEGUN ||
           (item->state != ACTION_NONE && now_ns - item->begun_ns < rule->window_ns);
}

static int hosts_count(const struct action_plan_opts *opts,
                       const struct action_rule *rule, struct hashmap *hosts,
                       uint64_t *ret)
{
    for (size_t i = 0; i < action_record_count(opts->record); i++) {
        struct action_item item;
        struct span host;
        bool is_new;
        action_record_at(opts->record, i, &item);
        if (strcmp(item.action, rule->name) != 0 ||
            !is_in_window(&item, rule, opts->now_ns) ||
            !host_is_of(&item, opts->cluster, &host))
            continue;
        if (!hashmap_put(hosts, host, &is_new))
            return -ENOMEM;
        *ret += is_new;
    }
    return 0;
}

static int hosts_limit(const struct action_plan_opts *opts,
                       const struct action_rule *rule, struct action_step *steps,
                       size_t count)
{
    AUTO(hashmap_done) struct hashmap hosts = HASHMAP_INIT;
    uint64_t used = 0, of_percent = opts->host_count * rule->percent_max / 100;
    uint64_t limit = of_percent < rule->hosts_max ? of_percent : rule->hosts_max;
    int rc = hosts_count(opts, rule, &hosts, &used);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct span host = span_of(steps[i].cause->host);
        bool is_new;
        if (steps[i].hold != ACTION_RUNS)
            continue;
        /* One that counts already may be over a limit that was lowered since. */
        if (hashmap_get(&hosts, host) ? used > limit : used >= limit)
            steps[i].hold = ACTION_HELD_HOSTS;
        else if (!hashmap_put(&hosts, host, &is_new))
            rc = -ENOMEM;
        else
            used += is_new;
    }
    return rc;
}

/* ---- all of them ---- */

static int step_order(const void *a, const void *b)
{
    const struct action_cause *x = ((const struct action_step *)a)->cause;
    const struct action_cause *y = ((const struct action_step *)b)->cause;
    if (x->since_ns != y->since_ns)
        return x->since_ns < y->since_ns ? -1 : 1;
    return strcmp(x->component, y->component);
}

static int rule_plan(const struct action_plan_opts *opts,
                     const struct action_rule *rule, struct action_step *steps,
                     size_t *ret_count)
{
    AUTO(once_done) struct once once = { 0 };
    size_t count = 0;
    int rc = once_read(opts, rule, &once);
    for (size_t c = 0; rc == 0 && c < opts->cause_count; c++)
        if (action_rule_matches(rule, &opts->causes[c]))
            step_make(opts, rule, &once, c, &steps[count++]);
    qsort(steps, count, sizeof *steps, step_order);
    if (rc == 0)
        rc = hosts_limit(opts, rule, steps, count);
    *ret_count = count;
    return rc == 0 ? once_limit(rule, steps, count) : rc;
}

int action_plan(const struct action_plan_opts *opts, struct action_step **ret,
                size_t *ret_count)
{
    size_t count = 0;
    int rc = 0;
    for (size_t r = 0; r < opts->rules->count; r++)
        for (size_t c = 0; c < opts->cause_count; c++)
            count += action_rule_matches(&opts->rules->rules[r], &opts->causes[c]);
    AUTO_FREE struct action_step *steps = calloc(count + 1, sizeof *steps);
    if (!steps)
        return -ENOMEM;
    count = 0;
    for (size_t r = 0; rc == 0 && r < opts->rules->count; r++) {
        size_t of_rule = 0;
        rc = rule_plan(opts, &opts->rules->rules[r], steps + count, &of_rule);
        count += of_rule;
    }
    if (rc < 0)
        return rc;
    *ret = TAKE(steps);
    *ret_count = count;
    return 0;
}

/* ---- in words ---- */

static const char *ground_text(enum action_ground ground)
{
    switch (ground) {
    case ACTION_GROUND_NO_SLURM:
        return "Slurm does not respond: whether jobs run there is not known";
    case ACTION_GROUND_NO_NODE:
        return "Slurm has no such node";
    case ACTION_GROUND_ADMINISTRATOR:
        return "an administrator drained the host";
    case ACTION_GROUND_NOT_OURS:
        return "the node is not drained by us";
    case ACTION_GROUND_OTHER_STATE:
        return "the node has another state besides our drain";
    case ACTION_GROUND_BUSY:
        return "jobs still run there";
    case ACTION_GROUND_IDLE:
        break;
    }
    return "";
}

void action_hold_print(const struct action_step *step, const char *record_path,
                       struct strbuf *out)
{
    char begun[TIMETEXT_SIZE], next[TIMETEXT_SIZE];
    timetext_print(begun, step->item.begun_ns);
    timetext_print(next, step->not_before_ns);
    switch (step->hold) {
    case ACTION_RUNS:
        break;
    case ACTION_HELD_GROUND:
        strbuf_adds(out, ground_text(step->ground));
        break;
    case ACTION_HELD_LASTS:
        strbuf_adds(out, "it has not been so for long enough");
        break;
    case ACTION_HELD_DONE:
        strbuf_addf(out, "done at %s, not again before %s", begun, next);
        break;
    case ACTION_HELD_ONCE:
        if (step->item.begun_ns)
            strbuf_addf(out, "run for %s by %s at %s, not again before %s",
                        step->item.component, step->item.check, begun, next);
        else
            strbuf_adds(out, "this run has it for another cause there");
        break;
    case ACTION_HELD_PAUSE:
        strbuf_addf(out, "%s, not again before %s", step->item.result, next);
        break;
    case ACTION_HELD_GIVEN_UP:
        strbuf_addf(out, "%s, %" PRIu64 " times: not again before %s",
                    step->item.result, step->item.tries, next);
        break;
    case ACTION_HELD_LOST:
        strbuf_addf(out,
                    "begun at %s, and its end is not known: it is not run again; look "
                    "at the host, then remove its line from %s between two runs",
                    begun, record_path);
        break;
    case ACTION_HELD_HOSTS:
        strbuf_addf(out, "the limit of hosts is reached");
        break;
    }
}
