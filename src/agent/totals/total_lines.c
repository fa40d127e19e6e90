/* SPDX-License-Identifier: Apache-2.0 */
/* total_lines - a server's totals as line protocol. */
#include "agent/totals/total_lines.h"

#include "base/span.h"

#include "agent/totals/histogram.h"
#include "agent/totals/metric_line.h"

#define TARGETS_MAX 512
#define CHANGELOG_USERS_MAX 64 /* of one MDT that have metrics of their own */

/* Of a target at one time; the parameters come in any order. */
struct space {
    struct span target;
    enum target_kind kind;
    double capacity, available;
};

/* Who reads the changelog of one MDT. */
struct changelog {
    uint64_t index, lag;
    double idle_s;
    size_t users;
    bool has_index, has_idle;
};

struct agent_lines {
    struct metric_line line;
    struct histograms histograms;
    /* Of the reading under way. */
    uint64_t seen_ops; /* of the file: the second of a name is another counter */
    struct span target;
    const char *file;
    struct space spaces[TARGETS_MAX];
    size_t space_count;
    struct changelog changelog; /* of target, while its file is read */
};

int agent_lines_new(const char *cluster, const char *host, struct agent_lines **ret)
{
    struct agent_lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return -ENOMEM;
    lines->line.cluster = cluster;
    lines->line.host = host;
    *ret = lines;
    return 0;
}

void agent_lines_free(struct agent_lines *lines)
{
    if (!lines)
        return;
    histograms_done(&lines->histograms);
    free(lines);
}

static void add_total(struct agent_lines *lines, const struct lustre_total *total,
                      const char *name, const char *suffix, double value)
{
    const struct metric_of of = { .target = total->target,
                                  .type = span_of(target_kind_name(total->kind)) };
    metric_line_add(&lines->line, (const char *const[3]){ "lustre_", name, suffix },
                    &of, value);
}

/* ---- stats, md_stats, and what stands alone ---- */

static void emit_op(struct agent_lines *lines, const struct lustre_total *total)
{
    const struct lustre_reading *r = &total->reading;
    enum op_unit unit = op_unit_parse(r->unit);
    int op = op_column(r->name, unit);
    if (op == OP_NONE || !(r->has & READING_SAMPLES) ||
        lines->seen_ops & UINT64_C(1) << op)
        return;
    lines->seen_ops |= UINT64_C(1) << op;
    const char *name = op_name((enum op)op);
    add_total(lines, total, name, "_samples", (double)r->samples);
    if (!(r->has & READING_SUM))
        return;
    if (unit == OP_UNIT_USECS)
        add_total(lines, total, name, "_usecs", (double)r->sum);
    else if (unit == OP_UNIT_BYTES)
        add_total(lines, total, name, "", (double)r->sum);
}

static struct space *space_of(struct agent_lines *lines,
                              const struct lustre_total *total)
{
    static struct space ignored;
    for (size_t i = 0; i < lines->space_count; i++) {
        if (span_eq(lines->spaces[i].target, total->target))
            return &lines->spaces[i];
    }
    if (lines->space_count == TARGETS_MAX)
        return &ignored;
    struct space *s = &lines->spaces[lines->space_count++];
    *s =
        (struct space){ .target = total->target, .kind = total->kind, .available = -1 };
    return s;
}

static void emit_value(struct agent_lines *lines, const struct lustre_total *total)
{
    static const struct {
        const char *file, *name;
        double unit;
    } values[] = {
        { "kbytestotal", "capacity_bytes", 1024 },
        { "kbytesfree", "free_bytes", 1024 },
        { "kbytesavail", "available_bytes", 1024 },
        { "filestotal", "files_total", 1 },
        { "filesfree", "files_free", 1 },
        { "num_exports", "exports", 1 },
    };
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        double value = (double)total->reading.value * values[i].unit;
        if (strcmp(total->file, values[i].file) != 0)
            continue;
        add_total(lines, total, values[i].name, "", value);
        if (i == 0)
            space_of(lines, total)->capacity = value;
        else if (i == 2)
            space_of(lines, total)->available = value;
    }
}

static void emit_fullness(struct agent_lines *lines)
{
    for (size_t i = 0; i < lines->space_count; i++) {
        const struct space *s = &lines->spaces[i];
        const struct lustre_total total = { .target = s->target, .kind = s->kind };
        if (s->capacity > 0 && s->available >= 0)
            add_total(lines, &total, "fullness", "",
                      100 - 100 * s->available / s->capacity);
    }
}

/* ---- changelogs ---- */

static void add_changelog(struct agent_lines *lines, const char *name, struct span user,
                          double value)
{
    const struct metric_of of = { .target = lines->target,
                                  .type = span_of(target_kind_name(TARGET_MDT)),
                                  .part_type = SPAN("changelog"),
                                  .part = user };
    metric_line_add(&lines->line,
                    (const char *const[3]){ "lustre_changelog_", name, "" }, &of,
                    value);
}

/* What the slowest of the users leaves behind keeps the MDT from cleaning up. */
static void emit_changelog(struct agent_lines *lines)
{
    const struct changelog *c = &lines->changelog;
    if (!c->has_index)
        return;
    add_changelog(lines, "index", (struct span){ 0 }, (double)c->index);
    add_changelog(lines, "users", (struct span){ 0 }, (double)c->users);
    if (c->users > 0)
        add_changelog(lines, "lag", (struct span){ 0 }, (double)c->lag);
    if (c->has_idle)
        add_changelog(lines, "idle_seconds", (struct span){ 0 }, c->idle_s);
}

static void on_changelog(struct agent_lines *lines, const struct lustre_reading *r)
{
    struct changelog *c = &lines->changelog;
    struct span user = r->bucket;
    if (user.size == 0) {
        c->index = r->value;
        c->has_index = true;
        return;
    }
    if (!c->has_index || !metric_line_is_name(user))
        return;
    uint64_t lag = c->index > r->value ? c->index - r->value : 0;
    bool has_metrics = ++c->users <= CHANGELOG_USERS_MAX;
    c->lag = lag > c->lag ? lag : c->lag;
    if (has_metrics)
        add_changelog(lines, "lag", user, (double)lag);
    if (!(r->has & READING_TIME))
        return;
    double idle_s = (double)r->t_ns / 1e9;
    c->idle_s = !c->has_idle || idle_s > c->idle_s ? idle_s : c->idle_s;
    c->has_idle = true;
    if (has_metrics)
        add_changelog(lines, "idle_seconds", user, idle_s);
}

/* ---- one reading ---- */

static void on_quantile(void *arg, struct span target, const char *name,
                        const char *suffix, double value)
{
    const struct agent_lines *lines = arg;
    const struct metric_of of = { .target = target,
                                  .type = span_of(target_kind_name(TARGET_OST)) };
    metric_line_add(&lines->line, (const char *const[3]){ "lustre_brw_", name, suffix },
                    &of, value);
}

static int on_total(void *arg, const struct lustre_total *total)
{
    struct agent_lines *lines = arg;
    if (!metric_line_is_name(total->target))
        return 0;
    if (lines->file != total->file || !span_eq(lines->target, total->target)) {
        emit_changelog(lines);
        lines->changelog = (struct changelog){ 0 };
        lines->file = total->file;
        lines->target = total->target;
        lines->seen_ops = 0;
    }
    if (strcmp(total->file, "brw_stats") == 0)
        histograms_add(&lines->histograms, total);
    else if (strcmp(total->file, "changelog_users") == 0)
        on_changelog(lines, &total->reading);
    else if (total->reading.has & READING_SAMPLES)
        emit_op(lines, total);
    else if (total->reading.has & READING_VALUE)
        emit_value(lines, total);
    return strbuf_error(lines->line.out);
}

int agent_lines_totals(struct agent_lines *lines, int64_t t_ns, struct span text,
                       struct strbuf *out)
{
    const struct lustre_totals totals = { .total = on_total, .arg = lines };
    lines->line.out = out;
    lines->line.t_ns = t_ns;
    lines->file = NULL;
    lines->target = (struct span){ 0 };
    lines->space_count = 0;
    lines->changelog = (struct changelog){ 0 };
    int rc = lustre_read_totals_text(text, &totals);
    emit_changelog(lines);
    lines->target = (struct span){ 0 };
    emit_fullness(lines);
    if (rc == 0)
        histograms_emit(&lines->histograms, on_quantile, lines);
    return rc < 0 ? rc : strbuf_error(out);
}
