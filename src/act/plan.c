/* SPDX-License-Identifier: Apache-2.0 */
/* plan - which nodes are to be drained in the scheduler, and which resumed. */
#include "act/plan.h"

#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <stdlib.h>

int act_rules_read_drains(struct act_rules *rules, struct span text, struct err *err)
{
    for (struct span name; text.size > 0;) {
        enum resource_health health;
        (void)span_cut(&text, ',', &name);
        if (resource_health_parse(span_trim(name), &health) < 0 ||
            health == RESOURCE_UP || health == RESOURCE_UNKNOWN)
            return err_set(err, EINVAL,
                           "--drain-on: choose down, drained, degraded; several with "
                           "commas");
        rules->drains |= 1U << health;
    }
    return 0;
}

/* ---- one host ---- */

static bool has_lasted(const struct act_host *host, int64_t for_ns, int64_t now_ns)
{
    return host->since_ns > 0 && now_ns - host->since_ns >= for_ns;
}

bool act_reason_is_marked(const char *reason)
{
    return strncmp(reason, ACT_REASON_MARK, sizeof ACT_REASON_MARK - 1) == 0;
}

/* "…: reboot issued": Slurm's, behind the reason that it finds.  The record alone makes
 * no reason ours. */
static bool has_our_reason(const struct act_host *host)
{
    static const char reboot[] = " : reboot ";
    if (!host->drained_reason || !act_reason_is_marked(host->drained_reason))
        return false;
    size_t size = strlen(host->drained_reason);
    const char *rest = host->node->reason + size;
    return strncmp(host->node->reason, host->drained_reason, size) == 0 &&
           (*rest == '\0' || strncmp(rest, reboot, sizeof reboot - 1) == 0);
}

/* Some words of Slurm's hide a drain. */
bool act_is_ours(const struct act_host *host)
{
    return (host->node->is_drained || host->node->is_unavailable) &&
           has_our_reason(host);
}

bool act_is_unrecorded(const struct act_host *host)
{
    const struct scheduler_node *node = host->node;
    return host->record <= ACT_SEEN && node &&
           (node->is_drained || node->is_unavailable) &&
           act_reason_is_marked(node->reason);
}

/* Slurm gives this one itself, and clears it once the node responds. */
static bool has_reason_of_slurm(const struct scheduler_node *node)
{
    return strcmp(node->reason, "Not responding") == 0;
}

/* Did another drain it, or give it a reason? */
static bool is_theirs(const struct act_host *host)
{
    const struct scheduler_node *node = host->node;
    return !has_our_reason(host) &&
           (node->is_drained || (node->reason[0] && !has_reason_of_slurm(node)));
}

static bool is_in_service(const struct scheduler_node *node)
{
    return !node->is_drained && !node->is_unavailable && !node->is_down;
}

static bool is_bad(const struct act_host *host, const struct act_rules *rules,
                   int64_t now_ns)
{
    unsigned drains = rules->drains & ~(1U << RESOURCE_UNKNOWN | 1U << RESOURCE_UP);
    return drains >> host->health & 1 &&
           has_lasted(host, rules->drain_after_ns, now_ns);
}

/* ACT_DRAIN is a candidate: the limits decide. */
static enum act_verb verb_of_bad(const struct act_host *host)
{
    const struct scheduler_node *node = host->node;
    if (is_in_service(node) && node->reason[0] && !has_our_reason(host))
        return ACT_REASONED;
    bool is_free = is_in_service(node) || (!node->is_drained && !node->is_unavailable &&
                                           node->is_down && has_reason_of_slurm(node));
    return is_free ? ACT_DRAIN : ACT_LEAVE;
}

static enum act_verb verb_of_ours(const struct act_host *host,
                                  const struct act_rules *rules, int64_t now_ns)
{
    bool is_up =
        host->health == RESOURCE_UP && has_lasted(host, rules->resume_after_ns, now_ns);
    bool is_plain = host->node->is_drained && !host->node->is_unavailable;
    if (is_up && is_plain)
        return host->node->is_down ? ACT_STAYS : ACT_RESUME;
    return is_plain ? ACT_HOLD : ACT_LEAVE;
}

/* What was begun, or is being resumed, and is ours: that goes into the record first. */
static enum act_verb verb_of_unsettled(const struct act_host *host,
                                       const struct act_rules *rules, int64_t now_ns)
{
    enum act_verb verb = verb_of_ours(host, rules, now_ns);
    return verb == ACT_STAYS ? ACT_HOLD : verb;
}

static enum act_verb verb_of_drained(const struct act_host *host,
                                     const struct act_rules *rules, int64_t now_ns)
{
    if (!act_is_ours(host))
        return host->health == RESOURCE_UP ? ACT_FORGET : ACT_OVERRULE;
    enum act_verb verb = verb_of_ours(host, rules, now_ns);
    return verb == ACT_HOLD ? ACT_LEAVE : verb;
}

static bool is_pending(const struct act_host *host, int64_t now_ns)
{
    return now_ns - host->changed_ns < ACT_PENDING_NS;
}

static enum act_verb verb_of_resuming(const struct act_host *host,
                                      const struct act_rules *rules, int64_t now_ns)
{
    if (act_is_ours(host)) {
        enum act_verb verb = verb_of_unsettled(host, rules, now_ns);
        return verb == ACT_HOLD && is_pending(host, now_ns) ? ACT_LEAVE : verb;
    }
    return host->node->is_drained ? ACT_OVERRULE : ACT_SETTLE;
}

static enum act_verb verb_of(const struct act_host *host, const struct act_rules *rules,
                             int64_t now_ns)
{
    if (!host->node || host->node->is_doubtful)
        return ACT_LEAVE;
    switch (host->record) {
    case ACT_NOTHING:
    case ACT_SEEN:
        return is_bad(host, rules, now_ns) ? verb_of_bad(host) : ACT_LEAVE;
    case ACT_BEGUN:
        if (act_is_ours(host))
            return verb_of_unsettled(host, rules, now_ns);
        if (is_theirs(host))
            return ACT_OVERRULE;
        if (is_bad(host, rules, now_ns) && verb_of_bad(host) == ACT_DRAIN)
            return ACT_DRAIN;
        return is_pending(host, now_ns) ? ACT_LEAVE : ACT_LAPSE;
    case ACT_DRAINED:
        return verb_of_drained(host, rules, now_ns);
    case ACT_RESUMING:
        return verb_of_resuming(host, rules, now_ns);
    case ACT_OVERRULED: /* ours again: a call of ours came to be late, over theirs */
        return host->health == RESOURCE_UP && !act_is_ours(host) ? ACT_FORGET
                                                                 : ACT_LEAVE;
    case ACT_STATE_COUNT:
        break;
    }
    return ACT_LEAVE;
}

int64_t act_since(int64_t since_ns, int64_t not_before_ns, int64_t not_after_ns)
{
    if (since_ns == 0)
        return 0;
    int64_t since = since_ns > not_before_ns ? since_ns : not_before_ns;
    return since < not_after_ns ? since : not_after_ns;
}

/* ---- all of them ---- */

static uint64_t nodes_limit(const struct act_rules *rules, size_t node_count)
{
    uint64_t of_percent = node_count * rules->percent_max / 100;
    return of_percent < rules->nodes_max ? of_percent : rules->nodes_max;
}

/* Those that a resume ends count until the next time: it may fail. */
bool act_counts(const struct act_host *host)
{
    const struct scheduler_node *node = host->node;
    bool is_not_seen = !node || node->is_doubtful;
    switch (host->record) {
    case ACT_BEGUN:
    case ACT_RESUMING:
        return true;
    case ACT_DRAINED:
        return is_not_seen || node->is_drained || act_is_ours(host);
    case ACT_OVERRULED:
        return !is_not_seen && node->is_drained;
    default:
        return act_is_unrecorded(host);
    }
}

static uint64_t drained_by_us(const struct act_host *hosts, size_t count)
{
    uint64_t drained = 0;
    for (size_t i = 0; i < count; i++)
        drained += act_counts(&hosts[i]);
    return drained;
}

static int since_order(const void *a, const void *b, void *arg)
{
    const struct act_host *hosts = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (hosts[x].since_ns != hosts[y].since_ns)
        return hosts[x].since_ns < hosts[y].since_ns ? -1 : 1;
    return strcmp(hosts[x].name, hosts[y].name);
}

int act_plan(const struct act_host *hosts, size_t count, size_t node_count,
             const struct act_rules *rules, int64_t now_ns, enum act_verb *verbs)
{
    size_t *order = calloc(count + 1, sizeof *order), candidates = 0;
    if (!order)
        return -ENOMEM;
    uint64_t drained = drained_by_us(hosts, count);
    uint64_t limit = nodes_limit(rules, node_count);
    for (size_t i = 0; i < count; i++) {
        verbs[i] = verb_of(&hosts[i], rules, now_ns);
        if (verbs[i] == ACT_DRAIN)
            order[candidates++] = i;
    }
    qsort_r(order, candidates, sizeof *order, since_order, (void *)(uintptr_t)hosts);
    for (size_t i = 0; i < candidates; i++) {
        bool has_slot = act_counts(&hosts[order[i]]); /* begun, and not seen */
        if (has_slot ? drained > limit : drained >= limit)
            verbs[order[i]] = ACT_LIMITED;
        else
            drained += !has_slot;
    }
    free(order);
    return 0;
}

/* ---- the reason ---- */

void act_reason_print(const struct act_host *host, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char since[TIMETEXT_SIZE] = "";
    timetext_print(since, host->since_ns);
    int reason_max = ACT_REASON_BYTES_MAX - 64;
    strbuf_addf(&text, "baro: %s: %.*s, since %s", resource_health_name(host->health),
                (int)host->reason.size < reason_max ? (int)host->reason.size
                                                    : reason_max,
                host->reason.size > 0 ? host->reason.data : "", since);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool is_plain = c >= ' ' && c < 0x7f && !strchr("|\"'\\`", c);
        strbuf_addc(out, is_plain ? (char)c : '?');
    }
}
