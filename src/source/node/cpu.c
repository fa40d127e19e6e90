/* SPDX-License-Identifier: Apache-2.0 */
/* cpu - what the CPUs of a node did, by mode: shares of the time since the round
 * before.
 */
#include "source/node/node_private.h"

#include "base/number.h"
#include "base/span.h"

#include <stdio.h>

static const char *const modes[] = { "cpu_user",      "cpu_nice",   "cpu_system",
                                     "cpu_idle",      "cpu_iowait", "cpu_irq",
                                     "cpu_softirq",   "cpu_steal",  "cpu_guest",
                                     "cpu_guest_nice" };
enum { MODE_USER, MODE_NICE, MODE_IDLE = 3, MODE_GUEST = 8, MODE_GUEST_NICE = 9 };

static void cpu_emit(const struct node_sources *s, struct span id, const char *metric,
                     double value)
{
    const struct node_value v = {
        .metric = metric,
        .unit = "Percent",
        .value = value,
        .type = id.size ? SPAN("hwthread") : SPAN(""),
        .id = id,
    };
    s->fn(s->arg, &v);
}

/* Guest time is in user, and guest_nice in nice: it counts once in cpu_used. */
static void cpu_shares(const struct node_sources *s, struct span id,
                       const struct cpu_now *before, const struct cpu_now *now)
{
    double ticks_s = s->elapsed_s * (double)sysconf(_SC_CLK_TCK), used = 0;
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        if (now->ticks[i] < before->ticks[i])
            continue; /* idle and iowait may go back a little */
        double share = 100 * (double)(now->ticks[i] - before->ticks[i]) / ticks_s;
        cpu_emit(s, id, modes[i], share);
        used += i != MODE_IDLE && i < MODE_GUEST ? share : 0;
    }
    cpu_emit(s, id, "cpu_used", used);
}

/* cpus[0] is all of them, cpus[n + 1] is number n. */
static struct cpu_now *cpu_slot(struct node_sources *s, size_t at, bool *is_new)
{
    *is_new = at >= s->cpu_count;
    if (at > NODE_CPUS_MAX)
        return NULL;
    if (*is_new) {
        struct cpu_now *grown = reallocarray(s->cpus, at + 1, sizeof *grown);
        if (!grown)
            return NULL;
        memset(grown + s->cpu_count, 0, (at + 1 - s->cpu_count) * sizeof *grown);
        s->cpus = grown;
        s->cpu_count = at + 1;
    }
    return &s->cpus[at];
}

void node_read_cpu(struct node_sources *s)
{
    struct span text = node_file_read(s, &s->stat), line;
    size_t count = 0;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        if (!span_starts(line, "cpu"))
            break; /* they are the first lines */
        struct span id = span_skip(node_word(&line), 3);
        uint64_t number = 0;
        struct cpu_now now = { 0 };
        if (id.size && number_parse_u64(id, &number) < 0)
            continue;
        size_t at = id.size ? (size_t)number + 1 : 0;
        for (size_t i = 0; i < COUNT_OF(modes); i++)
            if (!node_number(&line, &now.ticks[i]))
                break;
        bool is_new;
        struct cpu_now *before = cpu_slot(s, at, &is_new);
        if (!before)
            continue;
        count += id.size > 0;
        if (!is_new && before->ticks[MODE_IDLE] && s->elapsed_s > 0)
            cpu_shares(s, id, before, &now);
        *before = now;
    }
    if (count)
        node_emit(s, "num_cpus", "", (double)count);
}
