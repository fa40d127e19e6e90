/* SPDX-License-Identifier: Apache-2.0 */
/* plant - jobs that are put into the played file system on purpose, to tell stories. */
#include "plant.h"

#include "truth.h"

#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

#include <inttypes.h>
#include <stdio.h>

#define ONCE UINT32_MAX /* of a series shorter than that */
#define MIB UINT64_C(1048576)
#define STORY_OSTS 8
#define STORY_UID 17600000

static const struct sim_profile planted = {
    "planted",
    { [SIM_MDT] = { [SIM_OPEN] = { ONCE, 1 },
                    [SIM_CLOSE] = { ONCE, 1 },
                    [SIM_MKNOD] = { ONCE, 1 },
                    [SIM_GETATTR] = { ONCE, 1 } },
      [SIM_OST] = { [SIM_WRITE_BYTES] = { 1, 1 } } },
};

const char *sim_story_name(enum sim_story story)
{
    static const char *const names[] = { "own", "neighbour", "both" };
    return names[story];
}

/* ---- the line ---- */

static int parse_time(struct span text, int64_t *ret)
{
    return text.size && text.data[0] == '@'
               ? number_parse_seconds(span_skip(text, 1), ret)
               : number_parse_duration(text, ret);
}

int sim_plant_parse(struct span line, struct sim_plant *ret)
{
    struct sim_plant p;
    const struct {
        uint64_t *count;
        int64_t *ns;
    } fields[] = { { &p.number, NULL },     { &p.uid, NULL },
                   { NULL, &p.start_ns },   { NULL, &p.length_ns },
                   { &p.first_node, NULL }, { &p.node_count, NULL },
                   { &p.mdt, NULL },        { &p.ost_first, NULL },
                   { &p.ost_count, NULL },  { NULL, &p.step_ns },
                   { &p.bytes, NULL } };
    struct span text;
    (void)span_cut(&line, ' ', &text);
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        (void)span_cut(&line, ' ', &text);
        int rc = fields[i].ns ? parse_time(text, fields[i].ns)
                              : number_parse_u64(text, fields[i].count);
        if (rc < 0)
            return -EINVAL;
    }
    if (!p.ost_count || !p.node_count || p.step_ns <= 0 || p.length_ns < NS_PER_S)
        return -EINVAL;
    *ret = p;
    return 0;
}

static int plant_add(const struct sim *sim, const struct sim_plant *p, struct err *err)
{
    char line[512];
    (void)snprintf(line, sizeof line,
                   "plant %" PRIu64 " %" PRIu64 " @%" PRId64 ".%09" PRId64 " %" PRId64
                   "ms %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                   " %" PRId64 "ms %" PRIu64 "\n",
                   p->number, p->uid, p->start_ns / NS_PER_S, p->start_ns % NS_PER_S,
                   p->length_ns / NS_PER_MS, p->first_node, p->node_count, p->mdt,
                   p->ost_first, p->ost_count, p->step_ns / NS_PER_MS, p->bytes);
    return sim_add_event(sim->dir, line, err);
}

/* ---- series ---- */

const struct sim_plant *sim_plant_find(const struct sim *sim, uint64_t number)
{
    for (size_t i = 0; i < sim->plant_count; i++)
        if (sim->plants[i].number == number)
            return &sim->plants[i];
    return NULL;
}

uint64_t sim_plant_ost(const struct sim *sim, const struct sim_plant *plant, uint64_t n)
{
    return (plant->ost_first + n % plant->ost_count) % sim->conf.osts;
}

void sim_plant_series(const struct sim_plant *plant, enum sim_kind kind, uint64_t n,
                      struct sim_series *ret)
{
    char node[SIM_NODE_SIZE];
    *ret = (struct sim_series){
        .profile = &planted,
        .kind = kind,
        .start_ns = plant->start_ns + NS_PER_S / 4 + (int64_t)n * NS_PER_MS,
        .end_ns = plant->start_ns + plant->length_ns,
        .period_ns = plant->length_ns,
        .step_ns = plant->step_ns,
        .seed = sim_mix(plant->number, n),
        .large_bytes = plant->bytes,
        .is_even = true,
    };
    ret->burst_events =
        (uint64_t)((ret->end_ns - ret->start_ns - NS_PER_S / 4) / plant->step_ns) + 1;
    sim_node_name(plant->first_node + n, node);
    (void)snprintf(ret->id, sizeof ret->id, "%" PRIu64 ":%" PRIu64 ":%s", plant->number,
                   plant->uid, node);
    ret->id_size = strlen(ret->id);
}

static bool is_on(const struct sim *sim, const struct sim_plant *plant, uint64_t n,
                  const struct sim_target *target)
{
    return target->index ==
           (target->kind == SIM_MDT ? plant->mdt : sim_plant_ost(sim, plant, n));
}

int sim_plants_each(const struct sim *sim, const struct sim_target *target,
                    int64_t from_ns, int64_t to_ns, sim_series_fn *fn, void *arg)
{
    for (size_t i = 0; i < sim->plant_count; i++) {
        const struct sim_plant *p = &sim->plants[i];
        if (p->start_ns > to_ns || p->start_ns + p->length_ns < from_ns)
            continue;
        for (uint64_t n = 0; n < p->node_count; n++) {
            struct sim_series s;
            if (!is_on(sim, p, n, target))
                continue;
            sim_plant_series(p, target->kind, n, &s);
            int rc = fn(arg, &s);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

/* ---- stories ---- */

static const struct sim_target *ost_of(const struct sim *sim, uint64_t index)
{
    return &sim->targets[sim->conf.mdts + index % sim->conf.osts];
}

/* The first of count neighbouring OSTs of which the busiest is as quiet as can be, and
 * the bytes a second of that one. */
static uint64_t quiet_osts(const struct sim *sim, uint64_t count, int64_t start_ns,
                           int64_t length_ns, double *ret_rate)
{
    uint64_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint64_t first = 0; first < sim->conf.osts; first++) {
        uint64_t most = 0;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t bytes = sim_truth_bytes(sim, ost_of(sim, first + i), start_ns,
                                             start_ns + length_ns, 0);
            most = bytes > most ? bytes : most;
        }
        if (most < least) {
            least = most;
            best = first;
        }
    }
    *ret_rate = (double)least * NS_PER_S / (double)length_ns;
    return best;
}

/* Six times what the busiest of the job's other targets has to do, and 6 GiB/s at
 * least, by 16 processes. */
static int64_t hammer_step(uint64_t bytes, double quiet_rate)
{
    double rate = 6 * quiet_rate;
    if (rate < 6144.0 * (double)MIB)
        rate = 6144.0 * (double)MIB;
    int64_t step_ms = (int64_t)(16.0 * (double)bytes / rate * 1000);
    return (step_ms > 0 ? step_ms : 1) * NS_PER_MS;
}

/* How often each process writes.  Small records alone cost their job half its time;
 * with a neighbour on the same target each takes so much longer that fewer do. */
static int64_t story_step(enum sim_story story)
{
    static const int64_t step_ms[] = {
        [SIM_STORY_OWN] = 1,
        [SIM_STORY_NEIGHBOUR] = 100,
        [SIM_STORY_BOTH] = 20,
    };
    return step_ms[story] * NS_PER_MS;
}

/* "job 900001 on r44c37,r44c38" */
static void print_job(const struct sim_plant *job)
{
    char node[SIM_NODE_SIZE];
    printf("job %" PRIu64 " on ", job->number);
    for (uint64_t n = 0; n < job->node_count; n++) {
        sim_node_name(job->first_node + n, node);
        printf("%s%s", n ? "," : "", node);
    }
    printf("\n");
}

int sim_story_plant(const struct sim *sim, enum sim_story story, uint64_t number,
                    int64_t start_ns, int64_t length_ns, struct err *err)
{
    bool is_small = story != SIM_STORY_NEIGHBOUR;
    double rate = 0;
    uint64_t osts = is_small ? 1 : STORY_OSTS;
    osts = osts > sim->conf.osts ? sim->conf.osts : osts;
    uint64_t first = quiet_osts(sim, osts, start_ns, length_ns, &rate);
    struct sim_plant job = {
        .number = number,
        .uid = STORY_UID + number % 100,
        .start_ns = start_ns,
        .length_ns = length_ns,
        .first_node = sim->conf.nodes + 100 * (number % 100),
        .node_count = is_small ? 8 : 16,
        .mdt = number % sim->conf.mdts,
        .ost_first = first,
        .ost_count = osts,
        .step_ns = story_step(story),
        .bytes = is_small ? 47008 : 4 * MIB,
    };
    int rc = plant_add(sim, &job, err);
    print_job(&job);
    if (rc < 0 || story == SIM_STORY_OWN)
        return rc;
    struct sim_plant hammer = job;
    hammer.number++;
    hammer.uid++;
    hammer.first_node += 50;
    hammer.node_count = 16;
    hammer.ost_first = (first + osts / 2) % sim->conf.osts;
    hammer.ost_count = 1;
    hammer.bytes = 16 * MIB;
    hammer.step_ns = hammer_step(hammer.bytes, rate);
    printf("neighbour %" PRIu64 " on %s\n", hammer.number,
           ost_of(sim, hammer.ost_first)->name);
    return plant_add(sim, &hammer, err);
}
