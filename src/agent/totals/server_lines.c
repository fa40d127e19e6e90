/* SPDX-License-Identifier: Apache-2.0 */
/* server_lines - CPU, memory and load of this server as line protocol. */
#include "agent/totals/server_lines.h"

#include "agent/totals/metric_line.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PROC_BYTES_MAX (1 << 20) /* stat has a number for each interrupt */

struct cpu_times {
    uint64_t all, idle, iowait;
};

struct server_lines {
    struct metric_line line;
    struct cpu_times cpu;
    bool has_cpu;
};

int server_lines_new(const char *cluster, const char *host, struct server_lines **ret)
{
    struct server_lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return -ENOMEM;
    lines->line.cluster = cluster;
    lines->line.host = host;
    *ret = lines;
    return 0;
}

void server_lines_free(struct server_lines *lines)
{
    free(lines);
}

static int read_proc(const char *root, const char *name, struct strbuf *ret)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/proc/%s", root, name);
    return strbuf_error(&path) < 0 ? -ENOMEM
                                   : file_read(path.data, PROC_BYTES_MAX, ret, NULL);
}

static bool next_word(struct span *rest, struct span *ret)
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
    if (!next_word(&line, &word) || !span_is(word, "cpu"))
        return false;
    /* guest times, behind steal, are in user already */
    for (size_t i = 0; i < 8 && next_word(&line, &word); i++) {
        if (number_parse_u64(word, &value) < 0)
            return false;
        ret->all += value;
        ret->idle += i == 3 ? value : 0;
        ret->iowait += i == 4 ? value : 0;
    }
    return true;
}

static void add_server(struct server_lines *lines, const char *name, double value)
{
    const struct metric_of server = { 0 };
    metric_line_add(&lines->line, (const char *const[3]){ "server_", name, "" },
                    &server, value);
}

static void emit_cpu(struct server_lines *lines, struct span text)
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
static void emit_memory(struct server_lines *lines, struct span text)
{
    struct span line, word;
    uint64_t kib;
    while (text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        if (!next_word(&line, &word))
            continue;
        const char *name = span_is(word, "MemTotal:")       ? "memory_bytes"
                           : span_is(word, "MemAvailable:") ? "memory_available_bytes"
                                                            : NULL;
        if (name && next_word(&line, &word) && number_parse_u64(word, &kib) == 0)
            add_server(lines, name, (double)kib * 1024);
    }
}

void server_lines_add(struct server_lines *lines, int64_t t_ns, const char *root,
                      struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct span rest, word;
    double load;
    lines->line.out = out;
    lines->line.t_ns = t_ns;
    if (read_proc(root, "stat", &text) == 0)
        emit_cpu(lines, strbuf_span(&text));
    strbuf_clear(&text);
    if (read_proc(root, "meminfo", &text) == 0)
        emit_memory(lines, strbuf_span(&text));
    strbuf_clear(&text);
    if (read_proc(root, "loadavg", &text) < 0)
        return;
    rest = strbuf_span(&text);
    if (next_word(&rest, &word) && number_parse_double(word, &load) == 0)
        add_server(lines, "load", load);
}
