/* SPDX-License-Identifier: Apache-2.0 */
/* weather_gather - what is known of a window: series, fabrics, health, jobs, runs. */
#include "cmd/weather_gather.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "cmd/climate/args.h"

#define TOP_DEFAULT 10
#define AGE_MAX_NS (3600 * NS_PER_S)

static int gathered_series_read(struct weather_gathered *a, struct err *err)
{
    struct weather_report *r = &a->report;
    int64_t from_s = r->from_ns / NS_PER_S;
    int64_t to_s = (r->to_ns + NS_PER_S - 1) / NS_PER_S;
    int rc = weather_series_init(&a->series, &a->maker.shelf, a->maker.site,
                                 a->args->filesystem, err);
    r->has_series = a->maker.shelf.count > 0;
    if (rc == 0 && r->has_series)
        rc = weather_series_read(&a->series, from_s, to_s, &r->weather, err);
    if (rc == 0)
        rc = weather_series_fabrics(&a->series, a->maker.site, from_s, to_s,
                                    &r->fabrics, &r->fabric_count, err);
    return rc;
}

static int health_read(struct weather_gathered *a, struct err *err)
{
    const struct weather_args *args = a->args;
    struct weather_report *r = &a->report;
    size_t count = job_sources_health_max(&a->maker);
    AUTO_FREE struct strbuf *room = calloc(count + 1, sizeof *room);
    AUTO_FREE struct span *texts = calloc(count + 1, sizeof *texts);
    int64_t offset_ns =
        clock_list_offset(&a->maker.clocks.all, "health", NULL) * NS_PER_S;
    int64_t age_max_ns =
        args->maker.health_age_max_ns ? args->maker.health_age_max_ns : AGE_MAX_NS;
    int64_t from_ns = r->from_ns - offset_ns;
    int64_t to_ns = r->to_ns - offset_ns;
    r->has_health = args->maker.health.count > 0;
    if (!room || !texts)
        return err_set(err, ENOMEM, "out of memory");
    int rc = job_sources_health(&a->maker, from_ns, to_ns, room, texts, err);
    if (rc == 0) {
        rc = health_history_read(texts, count, from_ns, to_ns, age_max_ns, &r->health);
        if (rc < 0)
            (void)err_set(err, -rc, "%s", strerror(-rc));
    }
    for (size_t i = 0; i < count; i++)
        strbuf_done(&room[i]);
    if (rc == 0)
        health_history_shift(&r->health, offset_ns);
    return rc;
}

static int climate_read(struct weather_gathered *a, struct err *err)
{
    const struct weather_args *args = a->args;
    AUTO_FREE char **paths = calloc(args->climate.count + 1, sizeof *paths);
    if ((args->climate.count > 0) != (args->map != NULL))
        return err_set(err, EINVAL, "--climate and --map go together");
    if (args->climate.count == 0)
        return 0;
    if (!paths)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < args->climate.count; i++)
        paths[i] = (char *)(uintptr_t)args->climate.items[i];
    int rc =
        climate_args_load(args->map, paths, (int)args->climate.count, &a->climate, err);
    if (rc == 0)
        rc = window_runs_make(&a->climate.runs, a->report.from_ns, a->report.to_ns,
                              &a->report.runs);
    a->report.has_runs = rc == 0;
    return rc == -ENOMEM ? err_set(err, ENOMEM, "out of memory") : rc;
}

static int jobs_read(struct weather_gathered *a, struct err *err)
{
    const struct job_sources_opts *opts = &a->args->maker;
    struct weather_report *r = &a->report;
    const struct job_list *jobs = NULL;
    const struct job_query query = {
        .cluster = span_of(opts->cluster ? opts->cluster : ""),
        .from_ns = r->from_ns,
        .to_ns = r->to_ns,
    };
    r->has_jobs = opts->jobs.count > 0;
    int rc = job_sources_jobs(&a->maker, r->from_ns, r->to_ns, &jobs, err);
    if (rc == 0 && r->has_jobs && window_jobs_make(jobs, &query, &r->jobs) < 0)
        rc = err_set(err, ENOMEM, "out of memory");
    return rc;
}

static int window_parse(char **operands, struct weather_report *r, struct err *err)
{
    int64_t *const times[] = { &r->from_ns, &r->to_ns };
    int64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (timetext_parse_user(span_of(operands[i]), now_ns, times[i]) < 0)
            return err_set(err, EINVAL,
                           "'%s' is not a time (2026-11-21T06:00Z, -2h, now, @SECONDS)",
                           operands[i]);
    if (r->to_ns <= r->from_ns)
        return err_set(err, EINVAL, "a window ends after it begins");
    return 0;
}

int weather_gather(struct weather_gathered *a, char **operands, struct err *err)
{
    const struct weather_args *args = a->args;
    struct weather_report *r = &a->report;
    r->top = args->top ? args->top : TOP_DEFAULT;
    int rc = window_parse(operands, r, err);
    if (rc < 0)
        return rc;
    rc = job_sources_open(&args->maker, &a->maker, err);
    if (rc == 0)
        rc = gathered_series_read(a, err);
    if (rc == 0)
        rc = climate_read(a, err);
    if (rc < 0)
        return rc;
    rc = jobs_read(a, err);
    if (rc < 0)
        return rc;
    clock_list_print(&a->maker.clocks, &a->clocks);
    r->clocks = a->clocks.size > 0 ? strbuf_text(&a->clocks) : NULL;
    rc = health_read(a, err);
    if (rc < 0)
        return rc;
    rc = weather_report_make(r);
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}

void weather_gathered_done(struct weather_gathered *a)
{
    weather_report_done(&a->report);
    strbuf_done(&a->clocks);
    climate_runs_done(&a->climate);
    job_sources_done(&a->maker);
}
