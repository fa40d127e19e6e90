/* SPDX-License-Identifier: Apache-2.0 */
/* job_health - how a file system was when a job began: full, or served by too few. */
#include "analysis/job/job_health.h"

#include "analysis/job/job_value.h"
#include "base/number.h"
#include "base/span.h"
#include "source/health/health.h"

#include <math.h>

/* The first reason is the one that is reported. */
static int refuse(struct job_health *h, struct arena *arena, const char *why)
{
    if (!h->refused)
        h->refused = arena_dup(arena, span_of(why));
    return h->refused ? 0 : -ENOMEM;
}

static int target_read(const struct health_target *t, struct arena *arena,
                       struct job_health_target *ret)
{
    char name[64]; /* longer names of disks are cut */
    if (t->has & HEALTH_DISK)
        (void)snprintf(name, sizeof name, SPAN_FMT, SPAN_ARG(t->name));
    else
        (void)snprintf(name, sizeof name, "OST%04x", t->parts.index);
    *ret = (struct job_health_target){
        .name = arena_dup(arena, span_of(name)),
        .index = t->parts.index,
        .used_kib = (int64_t)t->used_kib,
        .pct = 100.0 * (double)t->used_kib / (double)t->total_kib,
    };
    return ret->name ? 0 : -ENOMEM;
}

static int fullness_read(const struct health_fullness *full, struct arena *arena,
                         struct job_health *h)
{
    h->actual_s = full->t_ns / NS_PER_S;
    h->fullness_lead_s = (double)(h->requested_s - h->actual_s);
    h->ost_count = (int64_t)full->count;
    h->mean_kib = (int64_t)full->mean_used_kib;
    h->mean_pct = full->mean_pct;
    int rc = target_read(full->fullest, arena, &h->fullest);
    return rc < 0 ? rc : target_read(full->emptiest, arena, &h->emptiest);
}

static void servers_read(const struct health_failover *servers, struct job_health *h)
{
    int64_t servers_s = servers->t_ns / NS_PER_S;
    if (h->actual_s == JOB_I64_NONE)
        h->actual_s = servers_s;
    h->servers_lead_s = (double)(h->requested_s - servers_s);
    h->overloaded_servers = (int64_t)servers->above_servers;
    h->overloaded_targets = (int64_t)servers->above_targets;
    if (servers->target_count > 0)
        h->overloaded_pct =
            100.0 * (double)servers->above_targets / (double)servers->target_count;
    h->targets_per_server = servers->above_mean;
    h->overload_factor = servers->overload_factor;
}

static int sample_read(const struct health_sample *sample, struct span fs,
                       int64_t start_s, struct arena *arena, struct job_health *h)
{
    AUTO(health_failover_done) struct health_failover servers = { 0 };
    struct health_fullness full;
    bool has_fullness = health_fullness(sample, fs, TARGET_OST, &full) == 0;
    int has_servers = health_failover(sample, fs, &servers);
    if (has_servers < 0 && has_servers != -ENOENT)
        return has_servers;
    if (has_fullness || has_servers == 0)
        h->requested_s = start_s;
    int rc = has_fullness ? fullness_read(&full, arena, h) : 0;
    if (has_servers == 0)
        servers_read(&servers, h);
    return rc;
}

static struct job_health health_missing(void)
{
    const struct job_health_target target = { NULL, JOB_I64_NONE, JOB_I64_NONE, NAN };
    return (struct job_health){
        .requested_s = JOB_I64_NONE,
        .actual_s = JOB_I64_NONE,
        .fullness_lead_s = NAN,
        .ost_count = JOB_I64_NONE,
        .mean_kib = JOB_I64_NONE,
        .mean_pct = NAN,
        .fullest = target,
        .emptiest = target,
        .servers_lead_s = NAN,
        .overloaded_servers = JOB_I64_NONE,
        .overloaded_targets = JOB_I64_NONE,
        .overloaded_pct = NAN,
        .targets_per_server = NAN,
        .overload_factor = NAN,
    };
}

int job_health_read(const struct span *texts, size_t count, const char *file_system,
                    int64_t start_s, int64_t age_max_ns, struct arena *arena,
                    struct job_health *ret)
{
    struct job_health h = health_missing();
    AUTO(health_sample_done) struct health_sample sample;
    struct span fs;
    int rc = 0;
    health_sample_init(&sample);
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct health_block block;
        struct err err = { 0 };
        if (health_block_at(texts[i], start_s * NS_PER_S, age_max_ns, &block, NULL,
                            &err) < 0)
            rc = refuse(&h, arena, err.text);
        else
            rc = health_sample_add(&sample, &block, NULL, NULL);
    }
    if (rc < 0)
        return rc;
    if (file_system && health_sample_fs(&sample, span_of(file_system), &fs) == 0)
        rc = sample_read(&sample, fs, start_s, arena, &h);
    else if (sample.count > 0)
        rc =
            refuse(&h, arena, "the job's file system is not in the readings of health");
    if (rc == 0)
        *ret = h;
    return rc;
}
