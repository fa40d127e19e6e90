/* SPDX-License-Identifier: Apache-2.0 */
/* work - what jobs do: for every entry the moments at which it does something.
 */
#include "work.h"

#include "plant.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SMALL_BYTES 4096
#define MDT(...) [SIM_MDT] = { __VA_ARGS__ }
#define OST(...) [SIM_OST] = { __VA_ARGS__ }
#define OP(op, n, w) [SIM_##op] = { n, w }

enum profile_kind {
    WRITER,
    READER,
    METADATA,
    MIXED,
    SLEEPER,
    STATFS,
    PROFILE_COUNT,
};

/* More closes than opens: clients answer some opens out of their cache. */
static const struct sim_profile profiles[PROFILE_COUNT] = {
    [WRITER] = { "writer",
                 { MDT(OP(OPEN, 8, 1), OP(CLOSE, 8, 1), OP(GETATTR, 16, 2),
                       OP(MKNOD, 32, 1), OP(SETATTR, 24, 1), OP(STATFS, 50, 1),
                       OP(GETXATTR, 9, 1)),
                   OST(OP(WRITE_BYTES, 1, 4), OP(READ_BYTES, 64, 1), OP(PUNCH, 40, 1),
                       OP(SETATTR, 30, 1), OP(SYNC, 20, 1), OP(CREATE, 64, 1),
                       OP(GET_INFO, 100, 1), OP(PREALLOC, 90, 1)) } },
    [READER] = { "reader",
                 { MDT(OP(OPEN, 4, 1), OP(CLOSE, 4, 1), OP(GETATTR, 4, 3),
                       OP(GETXATTR, 12, 1)),
                   OST(OP(READ_BYTES, 1, 2), OP(GETATTR, 10, 1), OP(STATFS, 80, 1)) } },
    [METADATA] = { "metadata",
                   { MDT(OP(OPEN, 1, 5), OP(CLOSE, 1, 6), OP(GETATTR, 1, 20),
                         OP(UNLINK, 2, 2), OP(MKNOD, 2, 2), OP(MKDIR, 10, 1),
                         OP(RMDIR, 10, 1), OP(RENAME, 7, 1), OP(SAMEDIR_RENAME, 7, 1),
                         OP(CROSSDIR_RENAME, 21, 1), OP(LINK, 50, 1),
                         OP(GETXATTR, 3, 4), OP(SETXATTR, 6, 1), OP(SETATTR, 5, 2),
                         OP(PARALLEL_RENAME_FILE, 9, 1), OP(RENAME_TRYLOCKS, 33, 1),
                         OP(READ_BYTES, 30, 1), OP(WRITE_BYTES, 20, 1)),
                     OST(OP(WRITE_BYTES, 6, 1), OP(DESTROY, 4, 2), OP(CREATE, 40, 1),
                         OP(SET_INFO, 25, 1), OP(SETATTR, 8, 1),
                         OP(QUOTACTL, 60, 1)) } },
    [MIXED] = { "mixed",
                { MDT(OP(OPEN, 2, 1), OP(CLOSE, 2, 1), OP(GETATTR, 2, 2),
                      OP(STATFS, 30, 1), OP(SYNC, 40, 1), OP(PUNCH, 90, 1),
                      OP(MIGRATE, 200, 1)),
                  OST(OP(READ_BYTES, 2, 3), OP(WRITE_BYTES, 3, 2), OP(GETATTR, 9, 1),
                      OP(SETATTR, 15, 1), OP(SYNC, 11, 1), OP(STATFS, 31, 1)) } },
    [SLEEPER] = { "sleeper",
                  { MDT(OP(OPEN, 1, 1), OP(CLOSE, 1, 1), OP(GETATTR, 3, 1)),
                    OST(OP(WRITE_BYTES, 1, 1), OP(SETATTR, 5, 1), OP(PUNCH, 7, 1)) } },
    [STATFS] = { "statfs", { MDT(OP(STATFS, 1, 1)), OST(OP(STATFS, 1, 1)) } },
};

/* ---- the arithmetic of one series ---- */

static int64_t burst_start(const struct sim_series *s, uint64_t burst)
{
    int64_t late_ns = 0;
    if (s->jitter_ns)
        late_ns = (int64_t)(sim_mix(s->seed, burst) % (uint64_t)s->jitter_ns);
    return s->start_ns + (int64_t)burst * s->period_ns + late_ns;
}

uint64_t sim_series_events(const struct sim_series *s, int64_t t_ns)
{
    if (t_ns >= s->end_ns)
        t_ns = s->end_ns - 1;
    if (t_ns < s->start_ns)
        return 0;
    uint64_t burst = (uint64_t)((t_ns - s->start_ns) / s->period_ns);
    int64_t into_ns = t_ns - burst_start(s, burst);
    uint64_t events = 0;
    if (into_ns >= 0)
        events = (uint64_t)(into_ns / s->step_ns) + 1;
    if (events > s->burst_events)
        events = s->burst_events;
    return burst * s->burst_events + events;
}

int64_t sim_series_event_time(const struct sim_series *s, uint64_t n)
{
    uint64_t burst = (n - 1) / s->burst_events;
    return burst_start(s, burst) + (int64_t)((n - 1) % s->burst_events) * s->step_ns;
}

static uint64_t rule_samples(struct sim_rule rule, uint64_t events)
{
    return rule.every ? (events + rule.every - 1) / rule.every * rule.samples : 0;
}

static uint64_t latency_sum(uint64_t samples, uint64_t latency_usecs)
{
    return samples * latency_usecs + samples / 7 * 8 * latency_usecs;
}

static void stat_bytes(const struct sim_series *s, uint64_t before, uint64_t after,
                       struct sim_stat *ret)
{
    uint64_t small = s->is_even ? 0 : (after + 7) / 8 - (before + 7) / 8;
    uint64_t large = after - before - small;
    ret->small = small;
    ret->min = small ? SMALL_BYTES : s->large_bytes;
    ret->max = large ? s->large_bytes : SMALL_BYTES;
    ret->sum = small * SMALL_BYTES + large * s->large_bytes;
    ret->sumsq = small * SMALL_BYTES * SMALL_BYTES +
                 large * s->large_bytes * s->large_bytes; /* wraps, as Lustre's */
}

void sim_series_stat(const struct sim_series *s, enum sim_op op, uint64_t base,
                     uint64_t count, struct sim_stat *ret)
{
    /* The latencies "read" and "write" are counted with the bytes. */
    enum sim_op counted = op == SIM_READ    ? SIM_READ_BYTES
                          : op == SIM_WRITE ? SIM_WRITE_BYTES
                                            : op;
    struct sim_rule rule = s->profile->rules[s->kind][counted];
    uint64_t before = rule_samples(rule, base);
    uint64_t after = rule_samples(rule, count);
    *ret = (struct sim_stat){ .samples = after - before };
    if (ret->samples == 0)
        return;
    if (op == SIM_READ_BYTES || op == SIM_WRITE_BYTES) {
        stat_bytes(s, before, after, ret);
        return;
    }
    uint64_t usecs = 20 + sim_mix(s->seed, (uint64_t)op) % 380;
    ret->min = usecs;
    ret->max = usecs * 9;
    ret->sum = latency_sum(after, usecs) - latency_sum(before, usecs);
    ret->sumsq = ret->sum * usecs;
}

/* ---- jobs on nodes ---- */

struct job {
    uint64_t seed;
    uint64_t number, uid;
    int64_t start_ns, end_ns;
    enum profile_kind kind;
    unsigned mdt, ost_first, ost_count;
};

static enum profile_kind kind_of(uint64_t h)
{
    static const uint8_t percent[PROFILE_COUNT] = { 25, 20, 15, 20, 15, 5 };
    uint64_t at = h % 100;
    for (enum profile_kind k = 0; k < PROFILE_COUNT; k++) {
        if (at < percent[k])
            return k;
        at -= percent[k];
    }
    return MIXED;
}

static bool job_make(const struct sim *sim, size_t group, int64_t slot, struct job *ret)
{
    const struct sim_conf *c = &sim->conf;
    const struct sim_group *g = &sim->groups[group];
    uint64_t h = sim_mix(sim_mix(c->seed, group * 4 + 1), (uint64_t)slot);
    if (sim_mix(h, 1) % 100 >= c->busy_percent)
        return false;
    int64_t slot_start_ns = g->phase_ns + slot * g->slot_ns;
    static const uint8_t stripes[] = { 1, 1, 1, 2, 2, 4, 4, 8, 8, 255 };
    unsigned stripe = stripes[sim_mix(h, 2) % COUNT_OF(stripes)];
    *ret = (struct job){
        .seed = h,
        .number = 1000000 + (uint64_t)slot * sim->group_count + group,
        .uid = 17600000 + sim_mix(h, 3) % c->users,
        .start_ns =
            slot_start_ns + (int64_t)(sim_mix(h, 4) % (uint64_t)(g->slot_ns / 10)),
        .end_ns = slot_start_ns + g->slot_ns -
                  (int64_t)(sim_mix(h, 5) % (uint64_t)(g->slot_ns / 4)),
        .kind = kind_of(sim_mix(h, 6)),
        .mdt = (unsigned)(sim_mix(h, 7) % c->mdts),
        .ost_first = (unsigned)(sim_mix(h, 8) % c->osts),
        .ost_count = stripe > c->osts ? (unsigned)c->osts : stripe,
    };
    return true;
}

static bool job_touches(const struct sim *sim, const struct job *job,
                        const struct sim_target *target)
{
    if (target->kind == SIM_MDT)
        return target->index == job->mdt;
    unsigned osts = (unsigned)sim->conf.osts;
    return (target->index + osts - job->ost_first) % osts < job->ost_count;
}

static int64_t seconds_between(uint64_t h, int64_t min_s, int64_t max_s)
{
    return (min_s + (int64_t)(h % (uint64_t)(max_s - min_s + 1))) * NS_PER_S;
}

/* How often, how long and how densely a kind works. */
static void series_rhythm(const struct sim *sim, enum profile_kind kind, uint64_t h,
                          struct sim_series *s)
{
    int64_t cleanup_s = sim->conf.cleanup_ns / NS_PER_S;
    int64_t burst_ns = 0, step_ms = 0;
    switch (kind) {
    case WRITER:
        s->period_ns = seconds_between(h, 400, 1500);
        burst_ns = seconds_between(sim_mix(h, 1), 40, 120);
        step_ms = 250;
        break;
    case READER:
        s->period_ns = seconds_between(h, 90, 140);
        burst_ns = s->period_ns * 4 / 5;
        step_ms = 500;
        break;
    case METADATA:
        s->period_ns = seconds_between(h, 60, 100);
        burst_ns = s->period_ns * 2 / 3;
        step_ms = 100;
        break;
    case SLEEPER:
        s->period_ns = seconds_between(h, cleanup_s * 8 / 5 + 60, cleanup_s * 4 + 120);
        burst_ns = seconds_between(sim_mix(h, 1), 5, 45);
        step_ms = 1000;
        break;
    case STATFS:
        s->period_ns = seconds_between(h, 240, 360);
        step_ms = 1000;
        break;
    case MIXED:
    default:
        s->period_ns = seconds_between(h, 200, 500);
        burst_ns = s->period_ns / 3;
        step_ms = 400;
        break;
    }
    /* An odd number of nanoseconds, so that no two series march in step. */
    s->step_ns = step_ms * NS_PER_MS * 100 / (int64_t)sim->conf.rate_percent +
                 (int64_t)(sim_mix(h, 2) % 100003);
    s->burst_events = (uint64_t)(burst_ns / s->step_ns) + 1;
    s->jitter_ns = (s->period_ns - burst_ns) / 4;
}

static void series_id(struct sim_series *s, const char *text)
{
    s->id_size = strnlen(text, SIM_ID_BYTES_MAX);
    memcpy(s->id, text, s->id_size);
    s->id[s->id_size] = '\0';
}

void sim_node_name(uint64_t node, char out[static SIM_NODE_SIZE])
{
    (void)snprintf(out, SIM_NODE_SIZE, "r%02" PRIu64 "c%02" PRIu64, node / 48 + 1,
                   node % 48 + 1);
}

static void job_series(const struct sim *sim, const struct job *job,
                       const struct sim_target *target, uint64_t node,
                       struct sim_series *s)
{
    static const uint64_t sizes[] = { 1u << 16, 1u << 20, 1u << 20, 1u << 22,
                                      1u << 24 };
    uint64_t h = sim_mix(job->seed, 100);
    *s = (struct sim_series){
        .profile = &profiles[job->kind],
        .kind = target->kind,
        .end_ns = job->end_ns,
        .seed =
            sim_mix(sim_mix(job->seed, node + 1000), target->index * 2 + target->kind),
        .large_bytes = sizes[sim_mix(h, 3) % COUNT_OF(sizes)],
    };
    series_rhythm(sim, job->kind, h, s);
    s->start_ns = job->start_ns + (int64_t)(s->seed % (3 * (uint64_t)NS_PER_S));
    char name[SIM_NODE_SIZE], text[96];
    sim_node_name(node, name);
    (void)snprintf(text, sizeof text, "%" PRIu64 ":%" PRIu64 ":%s", job->number,
                   job->uid, name);
    series_id(s, text);
}

/* The forms of broken identifiers that the seed's authors met, each made so
 * that no two series of one time share it.  False: this form has no place here.
 */
static bool malformed_id(const struct job *job, const char *node, bool is_first,
                         int64_t slot, unsigned form, char *out, size_t size)
{
    uint64_t j = job->number, u = job->uid;
    switch (form) {
    case 0: /* the job is missing; the same node's next job must not collide */
        (void)snprintf(out, size, ":%" PRIu64 ":%s", u, node);
        return slot % 2 == 0;
    case 1:
        (void)snprintf(out, size, "%" PRIu64 ":%" PRIu64 ":%s.bullx", j, u, node);
        return true;
    case 2:
        (void)snprintf(out, size, ":%" PRIu64 ":%" PRIu64 ":%s", j % 10000000, u, node);
        return true;
    case 3:
        (void)snprintf(out, size, "%" PRIu64 ":", j);
        return is_first;
    case 4:
        (void)snprintf(out, size, "%" PRIu64 "%" PRIu64, j, j % 10);
        return is_first;
    case 5:
        (void)snprintf(out, size, "%" PRIu64 ":%" PRIu64, j, u);
        return is_first;
    case 6:
        (void)snprintf(out, size, "%" PRIu64 ":%" PRIu64 ":", j, u);
        return is_first;
    case 7:
        (void)snprintf(out, size, "wget.%" PRIu64, j);
        return is_first;
    case 8:
        (void)snprintf(out, size, "%" PRIu64, j);
        return is_first;
    default: /* cut at 31 bytes by Lustre */
        (void)snprintf(out, size, "SLURM_JOB_%s_%" PRIu64 ":%" PRIu64 ":machine184",
                       node, j, u);
        return true;
    }
}

struct each {
    const struct sim *sim;
    const struct sim_target *target;
    sim_series_fn *fn;
    void *arg;
};

static int each_node(const struct each *e, const struct job *job, int64_t slot,
                     uint64_t node, bool is_first)
{
    struct sim_series s;
    job_series(e->sim, job, e->target, node, &s);
    int rc = e->fn(e->arg, &s);
    if (rc < 0 || sim_mix(s.seed, 7) % 1000000 >= e->sim->conf.malformed_ppm)
        return rc;
    char name[SIM_NODE_SIZE], text[96];
    sim_node_name(node, name);
    if (!malformed_id(job, name, is_first, slot, (unsigned)(sim_mix(s.seed, 8) % 10),
                      text, sizeof text))
        return 0;
    series_id(&s, text);
    s.seed = sim_mix(s.seed, 9);
    s.start_ns += (int64_t)(s.seed % (60 * (uint64_t)NS_PER_S));
    s.burst_events = 1 + s.seed % 3;
    if (s.start_ns >= s.end_ns)
        return 0;
    return e->fn(e->arg, &s);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static int each_group(const struct each *e, size_t group, int64_t from_ns,
                      int64_t to_ns)
{
    const struct sim_group *g = &e->sim->groups[group];
    int64_t first = floor_div(from_ns - g->phase_ns, g->slot_ns);
    int64_t last = floor_div(to_ns - g->phase_ns, g->slot_ns);
    for (int64_t slot = first < 0 ? 0 : first; slot <= last; slot++) {
        struct job job;
        if (!job_make(e->sim, group, slot, &job) ||
            !job_touches(e->sim, &job, e->target))
            continue;
        for (uint64_t n = 0; n < g->node_count; n++) {
            int rc = each_node(e, &job, slot, g->first_node + n, n == 0);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

/* ---- people on login nodes, and the system's own ---- */

static void login_id(const struct sim *sim, uint64_t login, char *out, size_t size)
{
    static const char *const programs[] = {
        "rsync",      "wget",
        "python3.11", "bash",
        "ls",         "node_exporter",
        "git",        "my tool v2",
        "tar",        "du",
        "scp",        "(sd-pam)",
        "a-b.c",      "x86_64-linux-gn",
    };
    static const char *const fixed[] = {
        "kworker/86:1.0", "wget.",     "wget",
        "@start.0",       "q\"uote.5", "abc def .0123 .-_+ AB.1000",
        "a\nb.0",
    };
    size_t fixed_count = COUNT_OF(fixed) - (sim->conf.odd_ids ? 0 : 1);
    if (login < fixed_count) {
        (void)snprintf(out, size, "%s", fixed[login]);
        return;
    }
    /* Program and user are made of the number, so that no two logins are one. */
    uint64_t n = login - fixed_count;
    (void)snprintf(out, size, "%s.%" PRIu64, programs[n % COUNT_OF(programs)],
                   n % 5 == 0 ? n / 5 : 17600000 + n);
}

static int each_login(const struct each *e)
{
    const struct sim_conf *c = &e->sim->conf;
    static const enum profile_kind kinds[] = { METADATA, STATFS, STATFS, SLEEPER,
                                               MIXED };
    for (uint64_t login = 0; login < c->logins; login++) {
        uint64_t h = sim_mix(sim_mix(c->seed, 77), login);
        uint64_t on = sim_mix(h, e->target->index * 2 + e->target->kind + 50);
        if (on % 4 == 0)
            continue;
        enum profile_kind kind = kinds[sim_mix(h, 1) % COUNT_OF(kinds)];
        struct sim_series s = {
            .profile = &profiles[kind],
            .kind = e->target->kind,
            .end_ns = SIM_FOREVER,
            .seed = on,
            .large_bytes = 1u << 20,
        };
        series_rhythm(e->sim, kind, h, &s);
        s.step_ns *= 7; /* a person at a prompt, not a thousand cores */
        s.burst_events = s.burst_events / 7 + 1;
        s.start_ns = c->epoch_ns + (int64_t)(on % (uint64_t)s.period_ns);
        char text[96];
        login_id(e->sim, login, text, sizeof text);
        series_id(&s, text);
        int rc = e->fn(e->arg, &s);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int sim_series_each(const struct sim *sim, const struct sim_target *target,
                    int64_t from_ns, int64_t to_ns, sim_series_fn *fn, void *arg)
{
    struct each e = { sim, target, fn, arg };
    /* An entry outlives its last event by at most one and a half cleanup
     * intervals. */
    int64_t linger_ns = sim->conf.cleanup_ns / 2 * 3 + NS_PER_S;
    int64_t since_ns = sim->conf.cleanup_ns ? from_ns - linger_ns : sim->conf.epoch_ns;
    if (since_ns < sim->conf.epoch_ns)
        since_ns = sim->conf.epoch_ns;
    for (size_t g = 0; g < sim->group_count; g++) {
        int rc = each_group(&e, g, since_ns, to_ns);
        if (rc < 0)
            return rc;
    }
    int rc = sim_plants_each(sim, target, since_ns, to_ns, fn, arg);
    return rc < 0 ? rc : each_login(&e);
}
