/* SPDX-License-Identifier: Apache-2.0 */
/* health_part - what checks of this node state about it, on its way to barod. */
#include "agent/sampling/health_part.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <stdatomic.h>

/* A disk that is full is so for longer than a round. */
#define AGAIN_NS (60 * NS_PER_S)

struct health_part {
    const struct agent_report *report;
    struct resource_checks *checks; /* NULL: there is no cluster to state it of */
    struct text_queue *queue;
    struct strbuf text; /* lines of this round */
    uint32_t count;
    bool is_reported; /* that something was dropped */
    bool has_lost;    /* something that was to be stated */
    int64_t again_ns; /* steady: when all was stated again; 0: never */
    _Atomic uint64_t dropped;
};

int health_part_open(const struct agent_opts *opts, const struct agent_report *report,
                     uv_loop_t *loop, struct health_part **ret, struct err *err)
{
    static const struct text_queue_opts queue = {
        .name = "statements",
        .path = "/v1/resources",
        .content_type = "application/x-ndjson",
        .what = "statements about this node's health",
        .lines = "statements about this node's health",
        .refused_event = AGENT_EVENT_HEALTH_REFUSED,
        .lost_event = AGENT_EVENT_HEALTH_LOST,
        .bytes_max = HEALTH_QUEUE_BYTES_MAX,
        .judge = submission_judge,
    };
    const char *cluster =
        opts->node.cluster && *opts->node.cluster ? opts->node.cluster : opts->cluster;
    struct health_part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->report = report;
    int rc = resource_checks_new(cluster, opts->host, &part->checks);
    if (rc == 0 || rc == -EINVAL)
        rc = text_queue_open(&queue, opts, report, loop, &part->queue, err);
    if (rc < 0) {
        health_part_close(part);
        return rc;
    }
    *ret = part;
    return 0;
}

void health_part_close(struct health_part *part)
{
    if (!part)
        return;
    if (part->queue && part->count > 0)
        (void)text_queue_put(part->queue, &part->text, part->count);
    text_queue_close(part->queue);
    resource_checks_free(part->checks);
    strbuf_done(&part->text);
    free(part);
}

static void statement_put(void *arg, const struct resource_statement *statement)
{
    struct health_part *part = arg;
    resource_statement_print_line(statement, &part->text);
    part->count++;
}

static void check_dropped(struct health_part *part, const struct resource_check *check,
                          int rc)
{
    atomic_fetch_add(&part->dropped, 1);
    if (part->is_reported)
        return;
    part->is_reported = true;
    agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_HEALTH_LOST,
                 "health of " SPAN_FMT " by " SPAN_FMT " is not reported: %s; more is "
                 "counted (statements_dropped_total)",
                 SPAN_ARG(check->part), SPAN_ARG(check->name),
                 rc == -ENODEV   ? "agent.cluster is not set"
                 : rc == -ENOSPC ? "a node has as many checks as can be"
                 : rc == -EINVAL ? "that is no name of a component"
                                 : strerror(-rc));
}

void health_part_state(struct health_part *part, const struct resource_check *check)
{
    struct resource_statement statement;
    int rc =
        part->checks ? resource_checks_state(part->checks, check, &statement) : -ENODEV;
    if (rc < 0)
        check_dropped(part, check, rc);
    else if (rc > 0)
        statement_put(part, &statement);
}

void health_part_end(struct health_part *part, const struct resource_check *end)
{
    if (part->checks)
        resource_checks_end(part->checks, end, statement_put, part);
}

/* A disk that is full is what checks state, and loses what they state: it is stated
 * again, at the next round. */
static void lost_restate(struct health_part *part)
{
    int64_t now_ns = clock_steady_ns();
    if (text_queue_has_lost(part->queue))
        part->has_lost = true;
    if (!part->has_lost || !part->checks ||
        (part->again_ns > 0 && now_ns - part->again_ns < AGAIN_NS))
        return;
    part->has_lost = false;
    part->again_ns = now_ns;
    resource_checks_again(part->checks, clock_now_ns(), statement_put, part);
}

void health_part_send(struct health_part *part)
{
    if (part->count > 0)
        (void)text_queue_put(part->queue, &part->text, part->count);
    part->count = 0;
    lost_restate(part);
}

void health_part_count(struct health_part *part, struct health_counts *ret)
{
    *ret = (struct health_counts){ 0 };
    if (!part)
        return;
    text_queue_count(part->queue, &ret->queue);
    ret->dropped = atomic_load(&part->dropped);
}
