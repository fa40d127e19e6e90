/* SPDX-License-Identifier: Apache-2.0 */
/* window_sources - windows of time out of what options name. */
#include "client/job/window_sources.h"

#include "base/number.h"
#include "base/span.h"

#define HEALTH_AGE_MAX_NS (3600 * NS_PER_S)

static int window_series_read(struct window_sources *s, struct window_context *window,
                              struct err *err)
{
    int64_t from_s = window->from_ns / NS_PER_S;
    int64_t to_s = (window->to_ns + NS_PER_S - 1) / NS_PER_S;
    int rc = 0;
    window->has_series = s->sources.shelf.count > 0;
    if (window->has_series)
        rc = weather_series_read(&s->series, from_s, to_s, &window->weather, err);
    if (rc == 0)
        rc = weather_series_fabrics(&s->series, s->sources.site, from_s, to_s,
                                    &window->fabrics, &window->fabric_count, err);
    return rc;
}

static int window_health_read(struct window_sources *s, struct window_context *window,
                              struct err *err)
{
    const struct job_sources_opts *opts = &s->opts->sources;
    size_t count = job_sources_health_max(&s->sources);
    AUTO_FREE struct strbuf *room = calloc(count + 1, sizeof *room);
    AUTO_FREE struct span *texts = calloc(count + 1, sizeof *texts);
    int64_t offset_ns =
        clock_list_offset(&s->sources.clocks.all, "health", NULL) * NS_PER_S;
    int64_t age_max_ns =
        opts->health_age_max_ns ? opts->health_age_max_ns : HEALTH_AGE_MAX_NS;
    int64_t from_ns = window->from_ns - offset_ns;
    int64_t to_ns = window->to_ns - offset_ns;
    if (!room || !texts)
        return err_set(err, ENOMEM, "out of memory");
    int rc = job_sources_health(&s->sources, from_ns, to_ns, room, texts, err);
    if (rc == 0) {
        rc = health_history_read(texts, count, from_ns, to_ns, age_max_ns,
                                 &window->health);
        if (rc < 0)
            (void)err_set(err, -rc, "%s", strerror(-rc));
    }
    for (size_t i = 0; i < count; i++)
        strbuf_done(&room[i]);
    /* A barod that no recorder sends to is no reason to report that there is none. */
    window->has_health = opts->health.count > 0 &&
                         (!s->sources.health_server || window->health.readings > 0);
    if (rc == 0)
        health_history_shift(&window->health, offset_ns);
    return rc;
}

/* As its servers call it; NULL: of all file systems. */
static const char *fs_of_window(const struct window_sources *s)
{
    const char *name = s->opts->filesystem;
    const struct site_filesystem *fs =
        s->sources.site && name ? site_file_named(s->sources.site, name) : NULL;
    return fs && fs->fsname ? fs->fsname : name;
}

static int window_jobs_read(struct window_sources *s, struct window_context *window,
                            struct err *err)
{
    const struct job_sources_opts *opts = &s->opts->sources;
    const struct job_list *jobs = NULL;
    const struct job_query query = {
        .cluster = span_of(opts->cluster ? opts->cluster : ""),
        .from_ns = window->from_ns,
        .to_ns = window->to_ns,
    };
    window->has_jobs = opts->jobs.count > 0;
    const struct job_target_request request = { fs_of_window(s), window->from_ns,
                                                window->to_ns };
    int rc = job_sources_jobs(&s->sources, &request, &jobs, err);
    if (rc == 0 && window->has_jobs &&
        window_jobs_make(jobs, &query, &window->jobs) < 0)
        rc = err_set(err, ENOMEM, "out of memory");
    return rc;
}

static int window_runs_read(struct window_sources *s, struct window_context *window,
                            struct err *err)
{
    window->has_runs = s->opts->climate.count > 0;
    if (!window->has_runs)
        return 0;
    int rc = window_runs_make(&s->climate.runs, window->from_ns, window->to_ns,
                              &window->runs);
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}

int window_sources_read(struct window_sources *sources, int64_t from_ns, int64_t to_ns,
                        struct window_context *ret, struct err *err)
{
    AUTO(window_context_done)
    struct window_context window = { .from_ns = from_ns,
                                     .to_ns = to_ns,
                                     .against_ns = sources->opts->against_ns };
    if (to_ns <= from_ns)
        return err_set(err, EINVAL, "a window ends after it begins");
    int rc = window_series_read(sources, &window, err);
    if (rc == 0)
        rc = window_health_read(sources, &window, err);
    if (rc == 0)
        rc = window_runs_read(sources, &window, err);
    if (rc == 0)
        rc = window_jobs_read(sources, &window, err);
    if (rc < 0)
        return rc;
    window.clocks = sources->sources.inputs.clocks;
    *ret = window;
    window = (struct window_context){ 0 };
    return 0;
}

int window_sources_series(struct window_sources *sources,
                          const struct window_context *window, struct lmt_series ***ret,
                          size_t *ret_count, struct err *err)
{
    if (!window->has_series)
        return err_set(err, EINVAL, "--svg wants --series");
    return weather_series_get(&sources->series, window->weather.from_s,
                              window->weather.to_s, ret, ret_count, err);
}

static void window_climate_truncated(const struct window_sources *s)
{
    char text[RUNS_FILES_TRUNCATED_BYTES];
    runs_files_truncated_text(s->climate.truncated, text, sizeof text);
    series_log(&s->opts->sources.access, "%s", text);
}

static int window_climate_open(struct window_sources *s, struct err *err)
{
    const struct option_list *tables = &s->opts->climate;
    if ((tables->count > 0) != (s->opts->map != NULL))
        return err_set(err, EINVAL, "--climate and --map go together");
    if (tables->count == 0)
        return 0;
    int rc = climate_runs_load(s->opts->map, tables->items, tables->count, NULL,
                               &s->climate, err);
    if (rc == 0 && s->climate.truncated)
        window_climate_truncated(s);
    return rc;
}

void window_sources_default(struct window_sources_opts *opts)
{
    static const char *barod[] = { "barod" };
    struct job_sources_opts *sources = &opts->sources;
    if (sources->series.count + sources->health.count + sources->jobs.count +
            opts->climate.count ==
        0)
        sources->series = sources->health =
            (struct option_list){ barod, COUNT_OF(barod) };
}

int window_sources_open(const struct window_sources_opts *opts,
                        struct window_sources *ret, struct err *err)
{
    *ret = (struct window_sources){ .opts = opts };
    ret->sources.opts = &opts->sources;
    int rc = job_sources_open(&opts->sources, &ret->sources, err);
    if (rc == 0)
        rc = weather_series_init(&ret->series, &ret->sources.shelf, ret->sources.site,
                                 opts->filesystem, err);
    ret->series.against_s = opts->against_ns / NS_PER_S;
    if (rc == 0)
        rc = window_climate_open(ret, err);
    return rc;
}

void window_sources_done(struct window_sources *sources)
{
    climate_runs_done(&sources->climate);
    job_sources_done(&sources->sources);
}
