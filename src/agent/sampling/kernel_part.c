/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_part - messages of this node's kernel as events and health. */
#include "agent/sampling/kernel_part.h"

#include "agent/sampling/file_writer.h"
#include "agent/sampling/kernel_event.h"
#include "agent/sampling/kernel_state.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>

/* What was lost or held back is reported so often at most. */
#define REPORT_NS (60 * NS_PER_S)
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

struct kernel_part {
    const struct agent_opts *opts;
    const char *root, *cluster;
    const struct agent_report *report;
    struct health_part *health;
    struct session *session; /* NULL: none */
    struct kmsg_rules *rules;
    struct file_writer *writer;
    int fd; /* of the messages; -1: they cannot be read */
    bool is_own_fd;
    struct kernel_state state;
    bool is_dirty; /* the state is not that of the file */
    struct kmsg_reader reader;
    struct kernel_event event;
    bool is_pending;     /* the event: the session accepted no more */
    int64_t reported_ns; /* steady: when something of these was reported; 0: never */
    uint64_t reported;
    _Atomic uint64_t messages, events, held_back, lost, not_published, bad;
};

/* ---- opening ---- */

static const char *root_of(const struct agent_opts *opts)
{
    return !opts->root || strcmp(opts->root, "/") == 0 ? "" : opts->root;
}

static bool has_rules(const struct agent_opts *opts)
{
    return opts->node.kernel_rules && *opts->node.kernel_rules;
}

static int kmsg_open(const struct agent_opts *opts)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/dev/kmsg", root_of(opts));
    if (strbuf_error(&path))
        return -ENOMEM;
    int fd = open(path.data, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

void kernel_messages_open(struct agent_opts *opts)
{
    int fd = has_rules(opts) ? kmsg_open(opts) : -1;
    if (fd > 0)
        opts->node.kernel_fd = fd;
}

int kernel_rules_check(const struct agent_opts *opts, struct err *err)
{
    AUTO(kmsg_rules_free) struct kmsg_rules *rules = NULL;
    return has_rules(opts) ? kmsg_rules_load(opts->node.kernel_rules, &rules, err) : 0;
}

static void messages_open(struct kernel_part *part)
{
    int fd = part->opts->node.kernel_fd;
    part->is_own_fd = fd <= 0;
    part->fd = fd > 0 ? fd : kmsg_open(part->opts);
    if (part->fd >= 0)
        return;
    agent_report(
        part->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
        "messages of the kernel are not read (node.kernel_rules): %s/dev/kmsg: "
        "%s; the unit needs CAP_SYSLOG and the device, see baro-agent.conf(5)",
        part->root, strerror(-part->fd));
    part->fd = -1;
}

static void boot_read(const char *root, char ret[KERNEL_BOOT_BYTES])
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
    strbuf_addf(&path, "%s" BOOT_ID, root);
    if (strbuf_error(&path) || file_read(path.data, 4096, &text, NULL) < 0)
        strbuf_clear(&text);
    struct span id = span_trim(strbuf_span(&text));
    if (id.size == 0 || id.size >= KERNEL_BOOT_BYTES)
        id = SPAN("unknown");
    memcpy(ret, id.data, id.size);
    ret[id.size] = '\0';
}

static void part_state_health(struct kernel_part *part, const struct kernel_health *h,
                              enum resource_health health, int64_t t_ns)
{
    const struct resource_check check = {
        .kind = "node",
        .name = SPAN("kernel"),
        .part = span_of(h->part),
        .health = health,
        .reason = span_of(health == RESOURCE_UP ? "" : h->reason),
        .t_ns = t_ns,
    };
    health_part_state(part->health, &check);
}

/* Another boot: its messages are numbered from 0, and what the last one's stated of
 * parts stands against nothing. */
static void state_begin(struct kernel_part *part, const char *boot)
{
    struct kernel_state *state = &part->state;
    if (strcmp(state->boot, boot) == 0)
        return;
    for (size_t i = 0; i < state->health_count; i++)
        part_state_health(part, &state->healths[i], RESOURCE_UP, clock_now_ns());
    *state = (struct kernel_state){ 0 };
    (void)snprintf(state->boot, sizeof state->boot, "%s", boot);
    part->is_dirty = true;
}

static int state_open(struct kernel_part *part, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
    char boot[KERNEL_BOOT_BYTES];
    strbuf_addf(&path, "%s/kernel.messages", part->opts->state);
    int rc = strbuf_error(&path);
    if (rc == 0)
        rc = file_make_dirs(part->opts->state, 0700, err);
    if (rc < 0)
        return rc;
    rc = file_read(path.data, KERNEL_STATE_BYTES_MAX, &text, err);
    if (rc == 0 && kernel_state_parse(strbuf_span(&text), &part->state) < 0)
        agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "'%s' is damaged: all messages of this boot are events again",
                     path.data);
    else if (rc < 0 && rc != -ENOENT)
        return rc;
    boot_read(part->root, boot);
    state_begin(part, boot);
    return file_writer_start(path.data,
                             "after a restart the kernel's messages since are events "
                             "again",
                             part->report, &part->writer, err);
}

int kernel_part_open(const struct agent_opts *opts, const struct agent_report *report,
                     struct health_part *health, struct kernel_part **ret,
                     struct err *err)
{
    if (!has_rules(opts))
        return 0;
    struct kernel_part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->opts = opts;
    part->root = root_of(opts);
    part->cluster =
        opts->node.cluster && *opts->node.cluster ? opts->node.cluster : opts->cluster;
    part->report = report;
    part->health = health;
    part->fd = -1;
    int rc = kmsg_rules_load(opts->node.kernel_rules, &part->rules, err);
    if (rc == 0)
        rc = state_open(part, err);
    if (rc < 0) {
        kernel_part_close(part);
        return rc;
    }
    messages_open(part);
    kmsg_reader_start(&part->reader, part->fd, part->state.next);
    *ret = part;
    return 0;
}

static void state_save(struct kernel_part *part)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    part->is_dirty = false;
    kernel_state_print(&part->state, &text);
    if (strbuf_error(&text) == 0)
        file_writer_put(part->writer, &text);
}

void kernel_part_close(struct kernel_part *part)
{
    if (!part)
        return;
    if (part->writer && part->is_dirty)
        state_save(part);
    file_writer_stop(part->writer);
    kmsg_rules_free(part->rules);
    kernel_event_done(&part->event);
    if (part->is_own_fd)
        auto_close(&part->fd);
    free(part);
}

void kernel_part_begin(struct kernel_part *part, struct session *session)
{
    part->session = session;
}

/* ---- health ---- */

static void health_put(struct kernel_part *part, const struct kmsg_event *event,
                       int64_t t_ns)
{
    struct kernel_health health = { .health = event->health };
    kernel_part_name(event->component, health.part);
    part->is_dirty = true;
    if (event->health == KMSG_UP) {
        (void)kernel_state_remove(&part->state, health.part);
        part_state_health(part, &health, RESOURCE_UP, t_ns);
        return;
    }
    size_t size = event->text.size < sizeof health.reason - 1
                      ? event->text.size
                      : sizeof health.reason - 1;
    memcpy(health.reason, event->text.data, size);
    health.until_ns = event->health_ns ? t_ns + event->health_ns : 0;
    if (kernel_state_put(&part->state, &health) < 0)
        agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_KERNEL,
                     "health of %s is not stated: messages of the kernel are against "
                     "%d parts already",
                     health.part, KERNEL_HEALTHS_MAX);
}

/* What was stated before a restart is so still. */
static void health_state(struct kernel_part *part, int64_t t_ns)
{
    struct kernel_state *state = &part->state;
    for (size_t i = state->health_count; i-- > 0;) {
        struct kernel_health *h = &state->healths[i];
        bool is_over = h->until_ns && h->until_ns <= t_ns;
        part_state_health(part, h,
                          is_over                  ? RESOURCE_UP
                          : h->health == KMSG_DOWN ? RESOURCE_DOWN
                                                   : RESOURCE_DEGRADED,
                          t_ns);
        if (!is_over)
            continue;
        *h = state->healths[--state->health_count];
        part->is_dirty = true;
    }
}

/* ---- events ---- */

/* False: the session accepts no more for now, and the event waits. */
static bool event_publish(struct kernel_part *part)
{
    int rc = 0;
    if (part->session)
        rc = node_publish(session_node(part->session), (uint32_t)geteuid(),
                          strbuf_span(&part->event.name),
                          strbuf_span(&part->event.payload));
    part->is_pending = rc == -EAGAIN || rc == -ENOBUFS;
    if (part->is_pending)
        return false;
    if (rc < 0) {
        atomic_fetch_add(&part->not_published, 1);
        agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_KERNEL,
                     "event %s is not published: %s", strbuf_text(&part->event.name),
                     strerror(-rc));
    }
    atomic_fetch_add(&part->events, 1);
    return true;
}

static int64_t message_time_ns(const struct kmsg_record *record)
{
    int64_t now_ns = clock_now_ns();
    int64_t ago_ns = clock_monotonic_ns() - (int64_t)record->time_us * 1000;
    return ago_ns > 0 && ago_ns < now_ns ? now_ns - ago_ns : now_ns;
}

/* Returns whether more may be read. */
static bool kernel_record_read(struct kernel_part *part,
                               const struct kmsg_record *record)
{
    struct kmsg_event event;
    if (!kmsg_rules_apply(part->rules, record, &event))
        return true;
    const struct kernel_of of = { .root = part->root,
                                  .cluster = part->cluster,
                                  .host = part->opts->host,
                                  .boot = part->state.boot,
                                  .record = record,
                                  .t_ns = message_time_ns(record) };
    if (event.health != KMSG_NO_HEALTH)
        health_put(part, &event, of.t_ns);
    if (event.is_held_back)
        atomic_fetch_add(&part->held_back, 1);
    if (!event.is_published || event.is_held_back)
        return true;
    kernel_event_make(&of, &event, &part->event);
    agent_report(part->report, part->event.level, AGENT_EVENT_KERNEL, "%s",
                 strbuf_text(&part->event.line));
    return event_publish(part);
}

/* ---- a round ---- */

static void losses_report(struct kernel_part *part)
{
    uint64_t lost = atomic_load(&part->lost), held = atomic_load(&part->held_back);
    int64_t now_ns = clock_steady_ns();
    if (lost + held == part->reported ||
        (part->reported_ns && now_ns - part->reported_ns < REPORT_NS))
        return;
    part->reported = lost + held;
    part->reported_ns = now_ns;
    agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                 "messages of the kernel: %" PRIu64
                 " were overwritten before they were "
                 "read, %" PRIu64 " were over the rate of their rule and are no events",
                 lost, held);
}

static void messages_read(struct kernel_part *part)
{
    unsigned budget = KERNEL_LINES_MAX;
    struct kmsg_record record;
    int rc = 0;
    bool has_more = true;
    while (has_more && (rc = kmsg_reader_next(&part->reader, &budget, &record)) > 0) {
        atomic_fetch_add(&part->messages, 1);
        has_more = kernel_record_read(part, &record);
        part->is_dirty = true;
        /* One that waits is read again after a restart. */
        part->state.next = has_more ? part->reader.next : record.sequence;
    }
    atomic_store(&part->lost, part->reader.lost);
    atomic_store(&part->bad, part->reader.bad);
    if (rc >= 0)
        return;
    agent_report(part->report, LOG_LEVEL_ERROR, AGENT_EVENT_ONCE,
                 "messages of the kernel are not read any more: %s", strerror(-rc));
    part->reader.fd = part->fd = -1;
}

void kernel_part_read(struct kernel_part *part, int64_t t_ns)
{
    if (!part)
        return;
    if (part->is_pending && event_publish(part)) {
        part->state.next = part->reader.next;
        part->is_dirty = true;
    }
    if (part->fd >= 0 && !part->is_pending)
        messages_read(part);
    health_state(part, t_ns);
    losses_report(part);
    if (part->is_dirty)
        state_save(part);
}

void kernel_part_count(const struct kernel_part *part, struct kernel_counts *ret)
{
    *ret = (struct kernel_counts){ 0 };
    if (!part)
        return;
    *ret = (struct kernel_counts){
        .messages = atomic_load(&part->messages),
        .events = atomic_load(&part->events),
        .held_back = atomic_load(&part->held_back),
        .lost = atomic_load(&part->lost),
        .not_published = atomic_load(&part->not_published),
        .bad = atomic_load(&part->bad),
        .state_failures = part->writer ? file_writer_failures(part->writer) : 0,
    };
}
