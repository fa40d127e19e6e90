/* SPDX-License-Identifier: Apache-2.0 */
/* usage_text - what one job was given and what it used, in two sentences. */
#include "report/usage/usage_text.h"

#include "base/figure.h"
#include "base/number.h"

#include <inttypes.h>
#include <math.h>

#define PARTS_MAX 6
#define J_PER_KWH 3.6e6
#define SIGNAL_MAX 64

/* Parts of a sentence, joined by commas and "and". */
struct parts {
    char texts[PARTS_MAX][96];
    size_t count;
};

static char *part_new(struct parts *parts)
{
    return parts->texts[parts->count++];
}

static void parts_print(const char *before, const struct parts *parts,
                        struct strbuf *out)
{
    if (parts->count == 0)
        return;
    strbuf_adds(out, before);
    for (size_t i = 0; i < parts->count; i++)
        strbuf_addf(out, "%s%s",
                    i == 0                 ? ""
                    : i + 1 < parts->count ? ", "
                                           : " and ",
                    parts->texts[i]);
    strbuf_adds(out, ".\n");
}

static void count_add(struct parts *parts, int64_t count, const char *one)
{
    char *text = part_new(parts);
    if (count == 0)
        (void)snprintf(text, sizeof parts->texts[0], "no %s", one);
    else
        (void)snprintf(text, sizeof parts->texts[0], "%" PRId64 " %s%s", count, one,
                       count > 1 ? "s" : "");
}

static void given_print(const struct job_resources *r, uint64_t nodes,
                        struct strbuf *out)
{
    struct parts parts = { .count = 0 };
    char text[FIGURE_SIZE];
    if (nodes > 0 && nodes <= JOB_NODES_MAX)
        count_add(&parts, (int64_t)nodes, "node");
    if (job_resource_known(r, JOB_CPUS))
        count_add(&parts, r->value[JOB_CPUS], "CPU");
    if (job_resource_known(r, JOB_MEMORY_BYTES)) {
        figure_print_bytes(text, sizeof text, (double)r->value[JOB_MEMORY_BYTES]);
        (void)snprintf(part_new(&parts), sizeof parts.texts[0], "%s of memory", text);
    }
    if (job_resource_known(r, JOB_GPUS))
        count_add(&parts, r->value[JOB_GPUS], "GPU");
    if (job_resource_known(r, JOB_TIME_LIMIT_S)) {
        figure_print_duration(text, sizeof text,
                              r->value[JOB_TIME_LIMIT_S] < INT32_MAX
                                  ? r->value[JOB_TIME_LIMIT_S] * NS_PER_S
                                  : INT64_MAX);
        (void)snprintf(part_new(&parts), sizeof parts.texts[0], "%s at most", text);
    }
    parts_print("It was given ", &parts, out);
}

static void memory_add(struct parts *parts, const struct job_resources *r)
{
    char text[FIGURE_SIZE];
    double share = job_memory_share(r);
    bool is_whole = job_resource_known(r, JOB_MEMORY_PEAK_BYTES);
    if (!is_whole && !job_resource_known(r, JOB_TASK_MEMORY_PEAK_BYTES))
        return;
    figure_print_bytes(
        text, sizeof text,
        (double)
            r->value[is_whole ? JOB_MEMORY_PEAK_BYTES : JOB_TASK_MEMORY_PEAK_BYTES]);
    char *part = part_new(parts);
    if (!is_whole) /* its other processes had some, too */
        (void)snprintf(part, sizeof parts->texts[0],
                       "%s of memory in its largest process", text);
    else if (isnan(share))
        (void)snprintf(part, sizeof parts->texts[0], "at most %s of memory", text);
    else
        (void)snprintf(part, sizeof parts->texts[0], "at most %s of memory (%.0f %%)",
                       text, 100 * share);
}

static void used_print(const struct job_resources *r, double elapsed_s,
                       struct strbuf *out)
{
    struct parts parts = { .count = 0 };
    double cpu = job_cpu_share(r, elapsed_s);
    char text[FIGURE_SIZE];
    if (!isnan(cpu))
        (void)snprintf(part_new(&parts), sizeof parts.texts[0],
                       "%.0f %% of its CPU time", 100 * cpu);
    memory_add(&parts, r);
    if (job_resource_known(r, JOB_TIME_LIMIT_S) && r->value[JOB_TIME_LIMIT_S] > 0)
        (void)snprintf(part_new(&parts), sizeof parts.texts[0],
                       "%.0f %% of its time limit",
                       100 * elapsed_s / (double)r->value[JOB_TIME_LIMIT_S]);
    if (job_resource_known(r, JOB_ENERGY_J)) {
        figure_print_number(text, sizeof text,
                            (double)r->value[JOB_ENERGY_J] / J_PER_KWH);
        (void)snprintf(part_new(&parts), sizeof parts.texts[0], "%s kWh", text);
    }
    parts_print("It used ", &parts, out);
}

static void exit_print(const struct job_resources *r, struct strbuf *out)
{
    bool has_status = job_resource_known(r, JOB_EXIT_STATUS);
    bool has_signal = job_resource_known(r, JOB_EXIT_SIGNAL);
    /* Slurm's 0:125 is its mark of a job that ran out of memory: no signal. */
    if (has_signal && r->value[JOB_EXIT_SIGNAL] > 0 &&
        r->value[JOB_EXIT_SIGNAL] <= SIGNAL_MAX)
        strbuf_addf(out, "Signal %" PRId64 " ended it.\n", r->value[JOB_EXIT_SIGNAL]);
    else if (has_status && r->value[JOB_EXIT_STATUS] > 0)
        strbuf_addf(out, "Its exit status was %" PRId64 ".\n",
                    r->value[JOB_EXIT_STATUS]);
}

void usage_print(const struct job_resources *r, uint64_t nodes, int64_t start_ns,
                 int64_t end_ns, struct strbuf *out)
{
    if (r->known == 0)
        return;
    given_print(r, nodes, out);
    if (start_ns == JOB_TIME_NONE || end_ns == JOB_TIME_NONE || end_ns <= start_ns)
        return;
    used_print(r, (double)(end_ns - start_ns) / (double)NS_PER_S, out);
    exit_print(r, out);
}
