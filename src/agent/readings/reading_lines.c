/* SPDX-License-Identifier: Apache-2.0 */
/* reading_lines - readings of targets out of the totals of a server. */
#include "agent/readings/reading_lines.h"

#include "agent/target_list.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"
#include "source/lustre/lustre.h"

/* Of a target that comes and goes. */
#define AGAIN_NS (60 * NS_PER_S)

/* A target that was served here. */
struct served {
    char name[TARGET_BYTES_MAX + 1];
    int64_t reported_ns; /* INT64_MIN: never */
    bool is_here, was_here;
    /* Of the reading under way, in KiB; -1: it has none. */
    int64_t total, unused, available;
};

struct reading_lines {
    const struct agent_opts *opts;
    int64_t due_ns; /* the slot of health_interval that was reported last */
    struct served served[READING_TARGETS_MAX];
    size_t count;
};

int reading_lines_new(const struct agent_opts *opts, struct reading_lines **ret)
{
    struct reading_lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return -ENOMEM;
    lines->opts = opts;
    lines->due_ns = INT64_MIN;
    *ret = lines;
    return 0;
}

void reading_lines_free(struct reading_lines *lines)
{
    free(lines);
}

static int64_t interval_slot(const struct reading_lines *lines, int64_t t_ns)
{
    return t_ns - t_ns % lines->opts->health_interval_ns;
}

/* Also where the clock was set back. */
bool reading_lines_is_due(const struct reading_lines *lines, int64_t t_ns)
{
    return interval_slot(lines, t_ns) != lines->due_ns;
}

/* A target that has gone leaves its slot to a new one. */
static struct served *served_find(struct reading_lines *lines, struct span name)
{
    struct served *unused = NULL;
    for (size_t i = 0; i < lines->count; i++) {
        struct served *s = &lines->served[i];
        if (span_is(name, s->name))
            return s;
        if (!unused && !s->is_here && !s->was_here)
            unused = s;
    }
    if (lines->count < READING_TARGETS_MAX)
        unused = &lines->served[lines->count++];
    if (unused) {
        *unused = (struct served){ .reported_ns = INT64_MIN };
        (void)snprintf(unused->name, sizeof unused->name, SPAN_FMT, SPAN_ARG(name));
    }
    return unused;
}

static int64_t kib_of(const struct lustre_reading *reading)
{
    return reading->value <= (uint64_t)TARGET_READING_KIB_MAX ? (int64_t)reading->value
                                                              : -1;
}

/* What the server prints of a target shows that it has it. */
static int on_served(void *arg, const struct lustre_total *total)
{
    struct reading_lines *lines = arg;
    struct target_name name;
    bool is_target = total->target.size > 0 && total->target.size <= TARGET_BYTES_MAX &&
                     target_parse(total->target, &name) == 0 &&
                     target_is_wanted(&lines->opts->filesystems, total->target);
    struct served *s = is_target ? served_find(lines, total->target) : NULL;
    if (!s)
        return 0;
    if (!s->is_here)
        s->total = s->unused = s->available = -1;
    s->is_here = true;
    if (!(total->reading.has & READING_VALUE))
        return 0;
    if (strcmp(total->file, "kbytestotal") == 0)
        s->total = kib_of(&total->reading);
    else if (strcmp(total->file, "kbytesfree") == 0)
        s->unused = kib_of(&total->reading);
    else if (strcmp(total->file, "kbytesavail") == 0)
        s->available = kib_of(&total->reading);
    return 0;
}

/* Whether it could be printed: barod would refuse others one by one. */
static bool served_print(const struct reading_lines *lines, const struct served *s,
                         int64_t t_ns, struct strbuf *out)
{
    struct span host = span_of(lines->opts->host);
    bool has_space = s->total > 0 && s->unused >= 0 && s->unused <= s->total;
    bool has_available = s->available >= 0 && s->available <= s->unused;
    const struct target_reading reading = {
        .cluster = SPAN(""),
        .target = span_of(s->name),
        .t_ns = t_ns,
        .mount = SPAN(""),
        .has_space = has_space,
        .total_kib = has_space ? s->total : 0,
        .used_kib = has_space ? s->total - s->unused : 0,
        .available_kib = !has_space      ? 0
                         : has_available ? s->available
                                         : s->unused,
        .server = host,
        .source = host,
    };
    if (target_reading_check(&reading))
        return false;
    target_reading_print_line(&reading, out);
    return true;
}

int reading_lines_add(struct reading_lines *lines, int64_t t_ns, struct span text,
                      struct strbuf *out, uint32_t *ret_count)
{
    const struct lustre_totals totals = { .total = on_served, .arg = lines };
    bool is_due = reading_lines_is_due(lines, t_ns);
    uint32_t count = 0;
    for (size_t i = 0; i < lines->count; i++) {
        lines->served[i].was_here = lines->served[i].is_here;
        lines->served[i].is_here = false;
    }
    int rc = lustre_read_totals_text(text, &totals);
    for (size_t i = 0; rc == 0 && i < lines->count; i++) {
        struct served *s = &lines->served[i];
        bool is_new = !s->was_here &&
                      (s->reported_ns == INT64_MIN ||
                       t_ns - s->reported_ns >= AGAIN_NS || t_ns < s->reported_ns);
        if (!s->is_here || !(is_due || is_new) || !served_print(lines, s, t_ns, out))
            continue;
        s->reported_ns = t_ns;
        count++;
    }
    if (rc == 0 && is_due)
        lines->due_ns = interval_slot(lines, t_ns);
    *ret_count = count;
    return rc < 0 ? rc : strbuf_error(out);
}
