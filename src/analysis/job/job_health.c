/* SPDX-License-Identifier: Apache-2.0 */
/* job_health - how a file system was when a job began: full, or served by too few. */
#include "analysis/job/job_health.h"

#include "base/number.h"
#include "source/health/health.h"

#include <inttypes.h>
#include <math.h>

static void refuse(struct job_health *h, const char *why)
{
    if (h->refused[0] == '\0')
        (void)snprintf(h->refused, sizeof h->refused, "%s", why);
}

static struct job_health_target target_of(const struct health_target *t)
{
    struct job_health_target ret = { .index = t->parts.index, .used_kib = t->used_kib };
    if (t->has & HEALTH_DISK)
        (void)snprintf(ret.name, sizeof ret.name, SPAN_FMT, SPAN_ARG(t->name));
    else
        (void)snprintf(ret.name, sizeof ret.name, "OST%04x", t->parts.index);
    ret.pct = 100.0 * (double)t->used_kib / (double)t->total_kib;
    return ret;
}

static int take(const struct health_sample *sample, struct span fs,
                struct job_health *h)
{
    AUTO(health_failover_done) struct health_failover servers = { 0 };
    struct health_fullness full;
    if (health_fullness(sample, fs, TARGET_OST, &full) == 0) {
        h->has_fullness = true;
        h->fullness_s = full.t_ns / NS_PER_S;
        h->ost_count = full.count;
        h->mean_kib = full.mean_used_kib;
        h->mean_pct = full.mean_pct;
        h->fullest = target_of(full.fullest);
        h->emptiest = target_of(full.emptiest);
    }
    int rc = health_failover(sample, fs, &servers);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    h->has_servers = true;
    h->servers_s = servers.t_ns / NS_PER_S;
    h->overloaded_servers = servers.above_servers;
    h->overloaded_targets = servers.above_targets;
    h->mapped_targets = servers.target_count;
    h->targets_per_overloaded = servers.above_mean;
    h->overload_factor = servers.overload_factor;
    return 0;
}

int job_health_read(const struct span *texts, size_t count, const char *file_system,
                    int64_t start_s, int64_t age_max_ns, struct job_health *ret)
{
    struct job_health h = { .start_s = start_s };
    AUTO(health_sample_done) struct health_sample sample;
    struct span fs;
    int rc = 0;
    health_sample_init(&sample);
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct health_block block;
        struct err err = { 0 };
        if (health_block_at(texts[i], start_s * NS_PER_S, age_max_ns, &block, NULL,
                            &err) < 0)
            refuse(&h, err.text);
        else
            rc = health_sample_add(&sample, &block, NULL, NULL);
    }
    if (rc < 0)
        return rc;
    if (file_system && health_sample_fs(&sample, span_of(file_system), &fs) == 0)
        rc = take(&sample, fs, &h);
    else if (sample.count > 0)
        refuse(&h, "the job's file system is not in the readings of health");
    if (rc == 0)
        *ret = h;
    return rc;
}

/* ---- the columns ---- */

static void put_target(struct job_row *row, const char *which, bool is_known,
                       const struct job_health_target *t)
{
    char name[64];
    (void)snprintf(name, sizeof name, "fshealth_ost_%s_id", which);
    if (is_known)
        job_row_i64(row, name, t->index);
    else
        job_row_missing(row, name);
    (void)snprintf(name, sizeof name, "fshealth_ost_%s_kib", which);
    if (is_known)
        job_row_i64(row, name, (int64_t)t->used_kib);
    else
        job_row_missing(row, name);
    (void)snprintf(name, sizeof name, "fshealth_ost_%s_name", which);
    job_row_text(row, name, is_known ? t->name : NULL);
    (void)snprintf(name, sizeof name, "fshealth_ost_%s_pct", which);
    job_row_double(row, name, is_known ? t->pct : NAN);
}

static void put_i64(struct job_row *row, const char *name, bool is_known, int64_t value)
{
    if (is_known)
        job_row_i64(row, name, value);
    else
        job_row_missing(row, name);
}

static void put_double(struct job_row *row, const char *name, bool is_known,
                       double value)
{
    job_row_double(row, name, is_known ? value : NAN);
}

void job_health_put(const struct job_health *h, struct job_row *row)
{
    bool full = h->has_fullness, servers = h->has_servers;
    put_i64(row, "fshealth_ost_requested_timestamp", full || servers, h->start_s);
    put_i64(row, "fshealth_ost_actual_timestamp", full || servers,
            full ? h->fullness_s : h->servers_s);
    put_double(row, "fshealth_ost_fullness_lead_secs", full,
               (double)(h->start_s - h->fullness_s));
    put_i64(row, "fshealth_ost_count", full, (int64_t)h->ost_count);
    put_i64(row, "fshealth_ost_avg_full_kib", full, (int64_t)h->mean_kib);
    put_double(row, "fshealth_ost_avg_full_pct", full, h->mean_pct);
    put_target(row, "most_full", full, &h->fullest);
    put_target(row, "least_full", full, &h->emptiest);
    put_double(row, "fshealth_ost_failures_lead_secs", servers,
               (double)(h->start_s - h->servers_s));
    put_i64(row, "fshealth_ost_overloaded_oss_count", servers,
            (int64_t)h->overloaded_servers);
    put_i64(row, "fshealth_ost_overloaded_ost_count", servers,
            (int64_t)h->overloaded_targets);
    put_double(row, "fshealth_ost_overloaded_pct", servers && h->mapped_targets > 0,
               100.0 * (double)h->overloaded_targets / (double)h->mapped_targets);
    put_double(row, "fshealth_ost_avg_overloaded_ost_per_oss", servers,
               h->targets_per_overloaded);
    put_double(row, "fshealth_ost_avg_overloaded_overload_factor", servers,
               h->overload_factor);
    job_row_text(row, "fshealth_refused", h->refused[0] ? h->refused : NULL);
}
