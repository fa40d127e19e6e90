/* SPDX-License-Identifier: Apache-2.0 */
/* total_lines - a server's totals as line protocol. */
#include "agent/total_lines.h"

#include "base/decimal_text.h"
#include "base/file.h"
#include "base/number.h"

#include <inttypes.h>
#include <math.h>

#define BUCKETS_MAX 64
#define HISTOGRAMS_MAX 2048
#define PROC_BYTES_MAX (1 << 20) /* stat has a number for each interrupt */
#define TARGETS_MAX 512
#define CHANGELOG_USERS_MAX 64 /* of one MDT that are told each */

/* One part of one target's brw_stats. */
struct histogram {
    struct histogram *next;
    size_t part; /* of parts[] */
    bool has_before;
    size_t count;
    double at[BUCKETS_MAX];
    uint64_t before[BUCKETS_MAX][2], now[BUCKETS_MAX][2]; /* read, write */
    char target[];
};

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

struct cpu_times {
    uint64_t all, idle, iowait;
};

struct agent_lines {
    const char *cluster, *host;
    struct histogram *histograms;
    size_t histogram_count;
    struct cpu_times cpu;
    bool has_cpu;
    /* Of the time that is told now. */
    struct strbuf *out;
    int64_t t_ns;
    uint64_t seen_ops; /* of the file: the second of a name is another counter */
    struct span target;
    const char *file;
    struct space spaces[TARGETS_MAX];
    size_t space_count;
    struct changelog changelog; /* of target, while its file is told */
};

static const struct {
    const char *heading, *name;
} parts[] = {
    { "disk I/O size", "io_bytes" },
    { "I/O time (1/1000s)", "io_ms" },
    { "disk I/Os in flight", "io_in_flight" },
    { "pages per bulk r/w", "bulk_pages" },
};

int agent_lines_new(const char *cluster, const char *host, struct agent_lines **ret)
{
    struct agent_lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return -ENOMEM;
    lines->cluster = cluster;
    lines->host = host;
    *ret = lines;
    return 0;
}

void agent_lines_free(struct agent_lines *lines)
{
    if (!lines)
        return;
    for (struct histogram *h = lines->histograms; h;) {
        struct histogram *next = h->next;
        free(h);
        h = next;
    }
    free(lines);
}

/* ---- a line ---- */

static void add_tag_value(struct strbuf *out, struct span text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (strchr(", =", text.data[i]))
            strbuf_addc(out, '\\');
        strbuf_addc(out, text.data[i]);
    }
}

/* What the server prints is not trusted: a name with control bytes is none. */
static bool is_name(struct span target)
{
    for (size_t i = 0; i < target.size; i++) {
        unsigned char c = (unsigned char)target.data[i];
        if (c <= 0x20 || c == 0x7F || c == '\\')
            return false;
    }
    return target.size > 0 && target.size <= TARGET_BYTES_MAX;
}

/* metric: up to three pieces of a name; user: of a target, or empty. */
static void add_user_line(struct agent_lines *lines, const char *const metric[3],
                          struct span target, const char *type, struct span user,
                          double value)
{
    struct strbuf *out = lines->out;
    char text[DECIMAL_TEXT_MAX];
    strbuf_addf(out, "%s%s%s,cluster=", metric[0], metric[1], metric[2]);
    add_tag_value(out, span_of(lines->cluster));
    strbuf_adds(out, ",hostname=");
    add_tag_value(out, span_of(lines->host));
    if (target.size > 0) {
        strbuf_addf(out, ",type=%s,type-id=", type);
        add_tag_value(out, target);
    }
    if (user.size > 0) {
        strbuf_adds(out, ",stype=changelog,stype-id=");
        add_tag_value(out, user);
    }
    /* As a double: no integer is refused because it is too large for one. */
    strbuf_adds(out, " value=");
    strbuf_add(out, text, decimal_print_shortest(text, value));
    strbuf_addf(out, " %" PRId64 "\n", lines->t_ns);
}

static void add_line(struct agent_lines *lines, const char *const metric[3],
                     struct span target, const char *type, double value)
{
    add_user_line(lines, metric, target, type, (struct span){ 0 }, value);
}

static void add_total(struct agent_lines *lines, const struct lustre_total *total,
                      const char *name, const char *suffix, double value)
{
    add_line(lines, (const char *const[3]){ "lustre_", name, suffix }, total->target,
             target_kind_name(total->kind), value);
}

/* ---- stats, md_stats, and what stands alone ---- */

static void tell_op(struct agent_lines *lines, const struct lustre_total *total)
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
    static struct space nobody;
    for (size_t i = 0; i < lines->space_count; i++) {
        if (span_eq(lines->spaces[i].target, total->target))
            return &lines->spaces[i];
    }
    if (lines->space_count == TARGETS_MAX)
        return &nobody;
    struct space *s = &lines->spaces[lines->space_count++];
    *s =
        (struct space){ .target = total->target, .kind = total->kind, .available = -1 };
    return s;
}

static void tell_value(struct agent_lines *lines, const struct lustre_total *total)
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

static void tell_fullness(struct agent_lines *lines)
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
    add_user_line(lines, (const char *const[3]){ "lustre_changelog_", name, "" },
                  lines->target, target_kind_name(TARGET_MDT), user, value);
}

/* What the slowest of the users leaves behind keeps the MDT from cleaning up. */
static void tell_changelog(struct agent_lines *lines)
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

static void take_changelog(struct agent_lines *lines, const struct lustre_reading *r)
{
    struct changelog *c = &lines->changelog;
    struct span user = r->bucket;
    if (user.size == 0) {
        c->index = r->value;
        c->has_index = true;
        return;
    }
    if (!c->has_index || !is_name(user))
        return;
    uint64_t lag = c->index > r->value ? c->index - r->value : 0;
    bool is_told = ++c->users <= CHANGELOG_USERS_MAX;
    c->lag = lag > c->lag ? lag : c->lag;
    if (is_told)
        add_changelog(lines, "lag", user, (double)lag);
    if (!(r->has & READING_TIME))
        return;
    double idle_s = (double)r->t_ns / 1e9;
    c->idle_s = !c->has_idle || idle_s > c->idle_s ? idle_s : c->idle_s;
    c->has_idle = true;
    if (is_told)
        add_changelog(lines, "idle_seconds", user, idle_s);
}

/* ---- histograms ---- */

/* "256", "4K", "1M"; also with a colon. */
static bool parse_bucket(struct span text, double *ret)
{
    uint64_t number;
    double unit = 1;
    if (span_ends(text, ":"))
        text.size--;
    if (span_ends(text, "K"))
        unit = 1024;
    else if (span_ends(text, "M"))
        unit = 1024 * 1024;
    text.size -= unit > 1;
    if (number_parse_u64(text, &number) < 0)
        return false;
    *ret = (double)number * unit;
    return true;
}

static struct histogram *histogram_of(struct agent_lines *lines, struct span target,
                                      size_t part)
{
    struct histogram *h = lines->histograms;
    while (h && (h->part != part || !span_is(target, h->target)))
        h = h->next;
    if (h || lines->histogram_count == HISTOGRAMS_MAX)
        return h;
    h = calloc(1, sizeof *h + target.size + 1);
    if (!h)
        return NULL;
    h->part = part;
    memcpy(h->target, target.data, target.size);
    h->next = lines->histograms;
    lines->histograms = h;
    lines->histogram_count++;
    return h;
}

static void take_bucket(struct agent_lines *lines, const struct lustre_total *total)
{
    const struct lustre_reading *r = &total->reading;
    size_t part = 0, i = 0;
    double at;
    while (part < COUNT_OF(parts) && !span_is(r->name, parts[part].heading))
        part++;
    if (part == COUNT_OF(parts) || !parse_bucket(r->bucket, &at))
        return;
    struct histogram *h = histogram_of(lines, total->target, part);
    if (!h)
        return;
    while (i < h->count && h->at[i] != at)
        i++;
    if (i == BUCKETS_MAX)
        return;
    if (i == h->count) {
        h->at[h->count++] = at;
        h->before[i][0] = h->before[i][1] = 0;
    }
    h->now[i][0] = r->has & READING_READ ? r->read : 0;
    h->now[i][1] = r->has & READING_WRITE ? r->write : 0;
}

/* Buckets are printed in their order, but a new one may come between. */
static double quantile(const struct histogram *h, const uint64_t grown[BUCKETS_MAX],
                       uint64_t all, unsigned percent)
{
    uint64_t wanted = all / 100 * percent + all % 100 * percent / 100;
    double best = NAN;
    wanted += wanted == 0;
    for (size_t i = 0; i < h->count; i++) {
        uint64_t below = 0;
        for (size_t k = 0; k < h->count; k++)
            below += h->at[k] <= h->at[i] ? grown[k] : 0;
        if (below >= wanted && !(h->at[i] >= best))
            best = h->at[i];
    }
    return best;
}

static void tell_histogram(struct agent_lines *lines, struct histogram *h, size_t way)
{
    static const struct {
        unsigned percent;
        const char *suffix[2];
    } told[] = {
        { 50, { "_read_p50", "_write_p50" } },
        { 90, { "_read_p90", "_write_p90" } },
        { 99, { "_read_p99", "_write_p99" } },
    };
    uint64_t grown[BUCKETS_MAX], all = 0;
    for (size_t i = 0; i < h->count; i++) {
        uint64_t now = h->now[i][way], before = h->before[i][way];
        /* Counters that fell began anew. */
        grown[i] = now >= before ? now - before : now;
        all += grown[i];
        h->before[i][way] = now;
    }
    if (!h->has_before || all == 0)
        return;
    struct span target = span_of(h->target);
    for (size_t i = 0; i < COUNT_OF(told); i++)
        add_line(lines,
                 (const char *const[3]){ "lustre_brw_", parts[h->part].name,
                                         told[i].suffix[way] },
                 target, target_kind_name(TARGET_OST),
                 quantile(h, grown, all, told[i].percent));
}

/* ---- one time ---- */

static int take_total(void *arg, const struct lustre_total *total)
{
    struct agent_lines *lines = arg;
    if (!is_name(total->target))
        return 0;
    if (lines->file != total->file || !span_eq(lines->target, total->target)) {
        tell_changelog(lines);
        lines->changelog = (struct changelog){ 0 };
        lines->file = total->file;
        lines->target = total->target;
        lines->seen_ops = 0;
    }
    if (strcmp(total->file, "brw_stats") == 0)
        take_bucket(lines, total);
    else if (strcmp(total->file, "changelog_users") == 0)
        take_changelog(lines, &total->reading);
    else if (total->reading.has & READING_SAMPLES)
        tell_op(lines, total);
    else if (total->reading.has & READING_VALUE)
        tell_value(lines, total);
    return strbuf_error(lines->out);
}

int agent_lines_totals(struct agent_lines *lines, int64_t t_ns, struct span text,
                       struct strbuf *out)
{
    const struct lustre_totals totals = { .total = take_total, .arg = lines };
    lines->out = out;
    lines->t_ns = t_ns;
    lines->file = NULL;
    lines->target = (struct span){ 0 };
    lines->space_count = 0;
    lines->changelog = (struct changelog){ 0 };
    int rc = lustre_read_totals_text(text, &totals);
    tell_changelog(lines);
    lines->target = (struct span){ 0 };
    tell_fullness(lines);
    for (struct histogram *h = lines->histograms; rc == 0 && h; h = h->next) {
        tell_histogram(lines, h, 0);
        tell_histogram(lines, h, 1);
        h->has_before = true;
    }
    return rc < 0 ? rc : strbuf_error(out);
}

/* ---- the server ---- */

static int read_proc(const char *root, const char *name, struct strbuf *ret)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/proc/%s", root, name);
    return strbuf_error(&path) < 0 ? -ENOMEM
                                   : file_read(path.data, PROC_BYTES_MAX, ret, NULL);
}

static bool take_word(struct span *rest, struct span *ret)
{
    *rest = span_trim(*rest);
    return span_cut(rest, ' ', ret) || ret->size > 0;
}

/* "cpu  user nice system idle iowait irq softirq steal ..." */
static bool parse_cpu(struct span text, struct cpu_times *ret)
{
    struct span line, word;
    uint64_t value;
    *ret = (struct cpu_times){ 0 };
    (void)span_cut(&text, '\n', &line);
    if (!take_word(&line, &word) || !span_is(word, "cpu"))
        return false;
    /* guest times, behind steal, are in user already */
    for (size_t i = 0; i < 8 && take_word(&line, &word); i++) {
        if (number_parse_u64(word, &value) < 0)
            return false;
        ret->all += value;
        ret->idle += i == 3 ? value : 0;
        ret->iowait += i == 4 ? value : 0;
    }
    return true;
}

static void add_server(struct agent_lines *lines, const char *name, double value)
{
    add_line(lines, (const char *const[3]){ "server_", name, "" }, (struct span){ 0 },
             NULL, value);
}

static void tell_cpu(struct agent_lines *lines, struct span text)
{
    struct cpu_times now, before = lines->cpu;
    if (!parse_cpu(text, &now))
        return;
    if (lines->has_cpu && now.all > before.all && now.idle >= before.idle &&
        now.iowait >= before.iowait) {
        double all = (double)(now.all - before.all);
        double iowait = (double)(now.iowait - before.iowait);
        double idle = (double)(now.idle - before.idle);
        add_server(lines, "cpu_busy", round(10000 * (all - idle - iowait) / all) / 100);
        add_server(lines, "cpu_iowait", round(10000 * iowait / all) / 100);
    }
    lines->cpu = now;
    lines->has_cpu = true;
}

/* "MemTotal:       16384 kB" */
static void tell_memory(struct agent_lines *lines, struct span text)
{
    struct span line, word;
    uint64_t kib;
    while (text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        if (!take_word(&line, &word))
            continue;
        const char *name = span_is(word, "MemTotal:")       ? "memory_bytes"
                           : span_is(word, "MemAvailable:") ? "memory_available_bytes"
                                                            : NULL;
        if (name && take_word(&line, &word) && number_parse_u64(word, &kib) == 0)
            add_server(lines, name, (double)kib * 1024);
    }
}

void agent_lines_server(struct agent_lines *lines, int64_t t_ns, const char *root,
                        struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct span rest, word;
    double load;
    lines->out = out;
    lines->t_ns = t_ns;
    if (read_proc(root, "stat", &text) == 0)
        tell_cpu(lines, strbuf_span(&text));
    strbuf_clear(&text);
    if (read_proc(root, "meminfo", &text) == 0)
        tell_memory(lines, strbuf_span(&text));
    strbuf_clear(&text);
    if (read_proc(root, "loadavg", &text) < 0)
        return;
    rest = strbuf_span(&text);
    if (take_word(&rest, &word) && number_parse_double(word, &load) == 0)
        add_server(lines, "load", load);
}
