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

static bool is_ours(const struct act_host *host)
{
    return host->node->is_drained && host->drained_reason &&
           strcmp(host->node->reason, host->drained_reason) == 0;
}

static bool is_to_be_drained(const struct act_host *host, const struct act_rules *rules,
                             int64_t now_ns)
{
    unsigned drains = rules->drains & ~(1U << RESOURCE_UNKNOWN | 1U << RESOURCE_UP);
    return !host->node->is_drained && drains >> host->health & 1 &&
           has_lasted(host, rules->drain_after_ns, now_ns);
}

static bool is_up_for_good(const struct act_host *host, const struct act_rules *rules,
                           int64_t now_ns)
{
    return host->health == RESOURCE_UP &&
           has_lasted(host, rules->resume_after_ns, now_ns);
}

/* ACT_DRAIN is a candidate: the limits decide. */
static enum act_verb verb_of(const struct act_host *host, const struct act_rules *rules,
                             int64_t now_ns)
{
    if (!host->node)
        return ACT_LEAVE;
    switch (host->record) {
    case ACT_NOTHING:
        return is_to_be_drained(host, rules, now_ns) ? ACT_DRAIN : ACT_LEAVE;
    case ACT_BEGUN:
        /* What was begun and did not come to be is as if it was not begun. */
        if (is_ours(host))
            return is_up_for_good(host, rules, now_ns) ? ACT_RESUME : ACT_HOLD;
        return is_to_be_drained(host, rules, now_ns) ? ACT_DRAIN : ACT_FORGET;
    case ACT_DRAINED:
        if (is_ours(host))
            return is_up_for_good(host, rules, now_ns) ? ACT_RESUME : ACT_LEAVE;
        return host->health == RESOURCE_UP ? ACT_FORGET : ACT_OVERRULE;
    case ACT_OVERRULED:
        return host->health == RESOURCE_UP ? ACT_FORGET : ACT_LEAVE;
    }
    return ACT_LEAVE;
}

/* ---- all of them ---- */

static uint64_t nodes_limit(const struct act_rules *rules, size_t node_count)
{
    uint64_t of_percent = node_count * rules->percent_max / 100;
    return of_percent < rules->nodes_max ? of_percent : rules->nodes_max;
}

/* Those that a resume ends count until the next time: it may fail. */
static uint64_t drained_by_us(const struct act_host *hosts, size_t count)
{
    uint64_t drained = 0;
    for (size_t i = 0; i < count; i++)
        drained += hosts[i].node && hosts[i].record != ACT_NOTHING &&
                   hosts[i].record != ACT_OVERRULED && is_ours(&hosts[i]);
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
    for (size_t i = 0; i < candidates; i++)
        if (drained + i >= limit)
            verbs[order[i]] = ACT_LIMITED;
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
