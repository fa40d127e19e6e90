/* SPDX-License-Identifier: Apache-2.0 */
/* truth - what really happened on a target in some time, and how fast it was then. */
#include "truth.h"

#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <inttypes.h>

#define TARGET_BYTES_PER_S 1073741824.0
#define ACCESS_S 0.0005
#define SHARED_MAX 20.0

struct adding {
    int64_t from_ns, to_ns;
    uint64_t but_job;
    uint64_t bytes;
};

/* The number in front of an identifier, 0 where there is none. */
static uint64_t job_of(const struct sim_series *s)
{
    struct span rest = { s->id, s->id_size }, text;
    uint64_t number = 0;
    (void)span_cut(&rest, ':', &text);
    return number_parse_u64(text, &number) < 0 ? 0 : number;
}

static int add_bytes(void *arg, const struct sim_series *s)
{
    struct adding *a = arg;
    struct sim_stat read, written;
    uint64_t before = sim_series_events(s, a->from_ns);
    uint64_t after = sim_series_events(s, a->to_ns);
    if (after == before || (a->but_job && job_of(s) == a->but_job))
        return 0;
    sim_series_stat(s, SIM_READ_BYTES, before, after, &read);
    sim_series_stat(s, SIM_WRITE_BYTES, before, after, &written);
    a->bytes += read.sum + written.sum;
    return 0;
}

uint64_t sim_truth_bytes(const struct sim *sim, const struct sim_target *target,
                         int64_t from_ns, int64_t to_ns, uint64_t but_job)
{
    struct adding a = { from_ns, to_ns, but_job, 0 };
    (void)sim_series_each(sim, target, from_ns, to_ns, add_bytes, &a);
    return a.bytes;
}

double sim_access_s(uint64_t bytes, double others_bytes_per_s)
{
    double shared = 1 + others_bytes_per_s / TARGET_BYTES_PER_S;
    if (shared > SHARED_MAX)
        shared = SHARED_MAX;
    return shared * (ACCESS_S + (double)bytes / TARGET_BYTES_PER_S);
}

struct printing {
    const struct sim_target *target;
    int64_t from_ns, to_ns;
    FILE *out;
};

static int print_series(void *arg, const struct sim_series *s)
{
    struct printing *p = arg;
    uint64_t before = sim_series_events(s, p->from_ns);
    uint64_t after = sim_series_events(s, p->to_ns);
    for (enum sim_op op = 0; after > before && op < SIM_OP_COUNT; op++) {
        struct sim_stat stat;
        sim_series_stat(s, op, before, after, &stat);
        if (stat.samples)
            fprintf(p->out, "%s,%s,%s,%" PRIu64 ",%" PRIu64 "\n", p->target->name,
                    s->id, sim_op_name(op), stat.samples, stat.sum);
    }
    return 0;
}

int sim_truth_print(const struct sim *sim, int64_t from_ns, int64_t to_ns, FILE *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sim->target_count; i++) {
        struct printing p = { &sim->targets[i], from_ns, to_ns, out };
        rc = sim_series_each(sim, p.target, from_ns, to_ns, print_series, &p);
    }
    return rc;
}
