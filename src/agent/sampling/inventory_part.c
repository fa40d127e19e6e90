/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_part - the parts of this node, on their way to barod. */
#include "agent/sampling/inventory_part.h"

#include "agent/sampling/inventory_probe.h"
#include "agent/text_read.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#include <stdatomic.h>

#define AGAIN_NS (24 * 3600 * NS_PER_S)
#define DISTANCE_NS (10 * NS_PER_S) /* less is refused */
#define DEADLINE_NS (60 * NS_PER_S)

struct inventory_part {
    const struct agent_opts *opts;
    const struct agent_report *report;
    const char *root, *cluster;
    struct text_queue *queue;
    uv_timer_t timer;
    struct text_read read;
    struct strbuf sent; /* what was read when it was sent last */
    int64_t sent_ns;    /* steady; 0: never */
    uint64_t refused;   /* reports, until it was sent last */
    bool is_stopped;
    _Atomic uint64_t reads, failures, parts;
};

static void read_failed(struct inventory_part *part, const char *why, struct span more)
{
    atomic_fetch_add(&part->failures, 1);
    agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_READ_FAILED,
                 "the parts of this node are not read: %s" SPAN_FMT, why,
                 SPAN_ARG(more));
}

/* ---- what was read ---- */

static bool is_due(struct inventory_part *part, struct span text)
{
    struct post_queue_counts counts;
    text_queue_count(part->queue, &counts);
    int64_t since_ns = clock_steady_ns() - part->sent_ns;
    if (text_queue_has_lost(part->queue))
        part->sent_ns = 0;
    if (part->sent_ns == 0)
        return true;
    /* Refused: an agent before this one may have sent its own a moment before. */
    return since_ns > DISTANCE_NS &&
           (since_ns >= AGAIN_NS || counts.refused > part->refused ||
            !span_eq(text, strbuf_span(&part->sent)));
}

static int inventory_send(struct inventory_part *part, struct node_inventory *inventory)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    inventory->t_ns = clock_now_ns();
    node_inventory_print(inventory, &text);
    if (strbuf_error(&text) < 0)
        return strbuf_error(&text);
    struct post_queue_counts counts;
    text_queue_count(part->queue, &counts);
    part->refused = counts.refused;
    if (text_queue_put(part->queue, &text, 1) == 0)
        return -EAGAIN; /* counted, and reported */
    strbuf_clear(&part->sent);
    strbuf_add_span(&part->sent, strbuf_span(&part->read.text));
    part->sent_ns = strbuf_error(&part->sent) < 0 ? 0 : clock_steady_ns();
    return 0;
}

static void on_parts_read(void *arg, const struct agent_child_result *result)
{
    struct inventory_part *part = arg;
    AUTO(arena_done) struct arena arena;
    struct node_inventory inventory;
    struct err err = { 0 };
    struct span text = strbuf_span(&part->read.text);
    arena_init(&arena, (size_t)16 << 20);
    if (part->is_stopped)
        return;
    if (result->error < 0 || result->status != 0) {
        read_failed(part, result->error < 0 ? strerror(-result->error) : "",
                    result->complaint);
        return;
    }
    if (result->complaint.size > 0)
        agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE, SPAN_FMT,
                     SPAN_ARG(result->complaint));
    if (node_inventory_read(text, &arena, &inventory, &err) < 0) {
        read_failed(part, err.text, SPAN(""));
        return;
    }
    atomic_fetch_add(&part->reads, 1);
    atomic_store(&part->parts, inventory.part_count);
    if (is_due(part, text))
        (void)inventory_send(part, &inventory);
}

/* ---- when ---- */

static void on_inventory_due(uv_timer_t *timer)
{
    struct inventory_part *part = timer->data;
    static char program[] = "/proc/self/exe", word[] = INVENTORY_PROBE_WORD;
    char *argv[] = { program,
                     word,
                     (char *)(uintptr_t)part->root,
                     (char *)(uintptr_t)part->cluster,
                     (char *)(uintptr_t)part->opts->host,
                     NULL };
    if (part->read.is_out)
        return; /* it hangs, and was reported */
    int rc = text_read_start(&part->read, argv, DEADLINE_NS, clock_now_ms());
    if (rc < 0)
        read_failed(part, strerror(-rc), SPAN(""));
}

int inventory_part_open(const struct agent_opts *opts,
                        const struct agent_report *report, uv_loop_t *loop,
                        struct inventory_part **ret, struct err *err)
{
    static const struct text_queue_opts queue = {
        .name = "inventory",
        .path = "/v1/resources/inventory",
        .content_type = "application/x-ndjson",
        .what = "reports of this node's parts",
        .lines = "reports of this node's parts",
        .refused_event = AGENT_EVENT_HEALTH_REFUSED,
        .lost_event = AGENT_EVENT_HEALTH_LOST,
        .bytes_max = INVENTORY_QUEUE_BYTES_MAX,
        .judge = submission_judge,
    };
    if (opts->node.inventory_interval_ns == 0)
        return 0;
    struct inventory_part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->opts = opts;
    part->report = report;
    part->root = !opts->root || strcmp(opts->root, "/") == 0 ? "" : opts->root;
    part->cluster =
        opts->node.cluster && *opts->node.cluster ? opts->node.cluster : opts->cluster;
    part->cluster = part->cluster ? part->cluster : "";
    part->read = (struct text_read){ .loop = loop,
                                     .bytes_max = INVENTORY_LINE_BYTES_MAX,
                                     .done_fn = on_parts_read,
                                     .arg = part };
    part->timer.data = part;
    int rc = text_queue_open(&queue, opts, report, loop, &part->queue, err);
    if (rc == 0)
        rc = uv_timer_init(loop, &part->timer);
    if (rc < 0) {
        text_queue_close(part->queue);
        free(part);
        return rc;
    }
    uint64_t interval_ms = (uint64_t)(opts->node.inventory_interval_ns / NS_PER_MS);
    (void)uv_timer_start(&part->timer, on_inventory_due, 0, interval_ms);
    *ret = part;
    return 0;
}

void inventory_part_stop(struct inventory_part *part)
{
    if (!part)
        return;
    part->is_stopped = true;
    text_queue_close(TAKE(part->queue));
    uv_close((uv_handle_t *)&part->timer, NULL);
    strbuf_done(&part->sent);
}

void inventory_part_count(struct inventory_part *part, struct inventory_counts *ret)
{
    *ret = (struct inventory_counts){ 0 };
    if (!part)
        return;
    if (part->queue)
        text_queue_count(part->queue, &ret->queue);
    ret->reads = atomic_load(&part->reads);
    ret->failures = atomic_load(&part->failures);
    ret->parts = atomic_load(&part->parts);
}
