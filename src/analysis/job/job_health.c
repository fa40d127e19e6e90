/* SPDX-License-Identifier: Apache-2.0 */
/* job_health - how a file system was when a job began, and while it ran. */
#include "analysis/job/job_health.h"

#include "analysis/job/job_value.h"
#include "analysis/weather/weather.h"
#include "base/number.h"
#include "base/span.h"
#include "source/health/health.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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

/* A job may have used any of them, not the fullest. */
static int full_read(const struct health_sample *sample, struct span fs,
                     struct arena *arena, struct job_health *h)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    size_t count = 0;
    for (size_t i = 0; i < sample->count && count < JOB_HEALTH_FULL_MAX; i++) {
        const struct health_target *t = &sample->targets[i];
        bool is_ost = !(t->has & HEALTH_DISK) && t->parts.kind == TARGET_OST &&
                      span_eq(t->parts.fs, fs);
        double pct = 100.0 * (double)t->used_kib / (double)t->total_kib;
        if (!is_ost || !(t->has & HEALTH_SPACE) || !(pct > JOB_HEALTH_FULL_PCT))
            continue;
        strbuf_addf(&text, "%sOST%04x:%.1f", count > 0 ? " " : "", t->parts.index, pct);
        count++;
    }
    if (count > 0)
        h->full_targets =
            strbuf_error(&text) < 0 ? NULL : arena_dup(arena, strbuf_span(&text));
    return count == 0 || h->full_targets ? 0 : -ENOMEM;
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
    if (rc == 0 && has_fullness)
        rc = full_read(sample, fs, arena, h);
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
        .moved_count = JOB_I64_NONE,
        .moved_s = JOB_I64_NONE,
    };
}

/* ---- while it ran ---- */

/* Moves of one file system; those that moved as its first one did. */
static int moves_sum(const struct health_history *history, struct span fs,
                     struct arena *arena, struct job_health *h)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    const struct health_move *first = NULL;
    h->moved_count = 0;
    for (size_t i = 0; i < history->move_count; i++) {
        const struct health_move *move = &history->moves[i];
        struct target_name parts;
        if (target_parse(span_of(move->target), &parts) < 0 || !span_eq(parts.fs, fs))
            continue;
        first = first ? first : move;
        if (strcmp(move->from, first->from) != 0 || strcmp(move->to, first->to) != 0)
            continue;
        if (h->moved_count++ < JOB_HEALTH_MOVED_MAX)
            strbuf_addf(&names, "%s%s", names.size > 0 ? " " : "", move->target);
    }
    if (!first)
        return strbuf_error(&names);
    h->moved_s = first->t_ns / NS_PER_S;
    h->moved_from = arena_dup(arena, span_of(first->from));
    h->moved_to = arena_dup(arena, span_of(first->to));
    h->moved_targets =
        strbuf_error(&names) < 0 ? NULL : arena_dup(arena, strbuf_span(&names));
    return h->moved_from && h->moved_to && h->moved_targets ? 0 : -ENOMEM;
}

/* In one reading nothing changes. */
static int moves_read(const struct span *texts, size_t count, struct span fs,
                      const struct job_health_window *window, struct arena *arena,
                      struct job_health *h)
{
    AUTO(health_history_done) struct health_history history = { 0 };
    int rc = health_history_read(texts, count, window->from_s * NS_PER_S,
                                 (window->to_s + 1) * NS_PER_S, window->age_max_ns,
                                 &history);
    return rc < 0 || history.server_readings < 2 ? rc
                                                 : moves_sum(&history, fs, arena, h);
}

int job_health_read_moves(const struct span *texts, size_t count,
                          const char *file_system,
                          const struct job_health_window *window, struct arena *arena,
                          struct job_health *health)
{
    AUTO(health_sample_done) struct health_sample sample;
    struct span fs;
    int rc = 0;
    health_sample_init(&sample);
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct health_block block;
        struct err err = { 0 };
        if (health_block_at(texts[i], window->to_s * NS_PER_S, window->age_max_ns,
                            &block, NULL, &err) == 0)
            rc = health_sample_add(&sample, &block, NULL, NULL);
    }
    if (rc < 0 || !file_system || health->moved_count > 0 ||
        health_sample_fs(&sample, span_of(file_system), &fs) < 0)
        return rc;
    return moves_read(texts, count, fs, window, arena, health);
}

int job_health_read(const struct span *texts, size_t count, const char *file_system,
                    const struct job_health_window *window, struct arena *arena,
                    struct job_health *ret)
{
    const int64_t start_s = window->from_s;
    struct job_health h = health_missing();
    AUTO(health_sample_done) struct health_sample sample;
    struct span fs;
    int rc = 0;
    health_sample_init(&sample);
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct health_block block;
        struct err err = { 0 };
        if (health_block_at(texts[i], start_s * NS_PER_S, window->age_max_ns, &block,
                            NULL, &err) < 0)
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
        rc = job_health_read_moves(texts, count, file_system, window, arena, &h);
    if (rc == 0)
        *ret = h;
    return rc;
}
