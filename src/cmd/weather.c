/* SPDX-License-Identifier: Apache-2.0 */
/* weather - baro weather: what the file systems did in a window of time, on one page.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/terminal.h"
#include "base/timetext.h"
#include "cmd/climate_args.h"
#include "cmd/commands.h"
#include "cmd/job_maker.h"
#include "cmd/output.h"
#include "cmd/warning.h"
#include "draw/draw.h"
#include "report/report.h"

#define WHO "baro weather"
#define TOP_DEFAULT 10
#define AGE_MAX_NS (3600 * NS_PER_S)

struct args {
    struct job_maker_opts maker;
    struct option_list climate;
    const char *map;
    const char *filesystem;
    const char *svg;
    uint64_t top;
    struct table_parts_args parts;
};

struct weather_command {
    const struct args *args;
    struct job_maker maker;
    const struct site_filesystem *of; /* NULL: of all together */
    struct climate_runs climate;
    struct strbuf clocks; /* of the report */
    struct weather_report report;
};

static int series_take(void *arg, int64_t from_s, int64_t to_s,
                       struct lmt_series ***ret, size_t *ret_count, struct err *err)
{
    struct weather_command *a = arg;
    const struct series_request wish = {
        .from_s = from_s,
        .to_s = to_s,
        .scope = a->of ? SERIES_SCOPE_OWN : SERIES_SCOPE_ALL,
        .owner = a->of,
        .fs = a->of ? NULL : a->args->filesystem,
    };
    return series_set_get(&a->maker.shelf, &wish, ret, ret_count, NULL, err);
}

static int series_read(struct weather_command *a, struct err *err)
{
    const struct series_set *shelf = &a->maker.shelf;
    struct weather_report *r = &a->report;
    struct weather_source source = { .take = series_take,
                                     .arg = a,
                                     .first_s = INT64_MAX,
                                     .end_s = INT64_MIN,
                                     .zone = series_set_zone(shelf) };
    for (size_t i = 0; i < shelf->count; i++) {
        const struct series_set_file *file = &shelf->files[i];
        source.first_s = file->from_s < source.first_s ? file->from_s : source.first_s;
        source.end_s = file->to_s > source.end_s ? file->to_s : source.end_s;
    }
    r->has_series = shelf->count > 0;
    if (!r->has_series)
        return 0;
    return weather_read(&source, r->from_ns / NS_PER_S,
                        (r->to_ns + NS_PER_S - 1) / NS_PER_S, &r->weather, err);
}

/* Those that share a fabric with another: of all, or with the one asked about. */
static int fabrics_read(struct weather_command *a, struct err *err)
{
    struct weather_report *r = &a->report;
    size_t count = 0;
    const struct site_filesystem *all =
        a->maker.site ? site_file_filesystems(a->maker.site, &count) : NULL;
    r->fabrics = calloc(count + 1, sizeof *r->fabrics);
    if (!r->fabrics)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        struct weather_fabric *f = &r->fabrics[r->fabric_count];
        bool is_wanted = a->of && site_file_fabric(&all[i], a->of);
        for (size_t k = 0; !a->of && k < count; k++)
            is_wanted |= k != i && site_file_fabric(&all[i], &all[k]);
        if (!is_wanted)
            continue;
        int rc = fabric_series_read_own(&a->maker.shelf, &all[i], r->from_ns / NS_PER_S,
                                        (r->to_ns + NS_PER_S - 1) / NS_PER_S,
                                        &f->traffic, err);
        if (rc < 0)
            return rc;
        f->name = all[i].name;
        r->fabric_count++;
    }
    return 0;
}

static bool series_has_server(const struct series_set *shelf)
{
    for (size_t i = 0; i < shelf->count; i++)
        if (shelf->files[i].is_server)
            return true;
    return false;
}

/* Without a site file it is what Lustre calls it, and the shelf's to find. */
static int filesystem_find(struct weather_command *a, struct err *err)
{
    const char *name = a->args->filesystem;
    if (!name)
        return 0;
    if (!a->maker.site)
        return series_has_server(&a->maker.shelf)
                   ? 0
                   : err_set(err, EINVAL, "--filesystem wants --site, or a barod");
    a->of = site_file_named(a->maker.site, name);
    return a->of
               ? 0
               : err_set(err, EINVAL, "--filesystem: the site file has no '%s'", name);
}

static int health_read(struct weather_command *a, struct err *err)
{
    const struct args *args = a->args;
    struct weather_report *r = &a->report;
    size_t count = job_maker_health_max(&a->maker);
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
    int rc = job_maker_health(&a->maker, from_ns, to_ns, room, texts, err);
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

static int climate_read(struct weather_command *a, struct err *err)
{
    const struct args *args = a->args;
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

static int window_parse(char **operands, struct weather_report *r, struct err *err)
{
    int64_t *const times[] = { &r->from_ns, &r->to_ns };
    int64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (timetext_parse_user(span_of(operands[i]), now_ns, times[i]) < 0)
            return err_set(err, EINVAL,
                           "'%s' is no time (2026-11-21T06:00Z, -2h, now, @SECONDS)",
                           operands[i]);
    if (r->to_ns <= r->from_ns)
        return err_set(err, EINVAL, "a window ends after it begins");
    return 0;
}

static int jobs_read(struct weather_command *a, struct err *err)
{
    const struct job_maker_opts *opts = &a->args->maker;
    struct weather_report *r = &a->report;
    const struct job_list *jobs = NULL;
    const struct job_query query = {
        .cluster = span_of(opts->cluster ? opts->cluster : ""),
        .from_ns = r->from_ns,
        .to_ns = r->to_ns,
    };
    r->has_jobs = opts->jobs.count > 0;
    int rc = job_maker_jobs(&a->maker, r->from_ns, r->to_ns, &jobs, err);
    if (rc == 0 && r->has_jobs && window_jobs_make(jobs, &query, &r->jobs) < 0)
        rc = err_set(err, ENOMEM, "out of memory");
    return rc;
}

static int weather_gather(struct weather_command *a, char **operands, struct err *err)
{
    const struct args *args = a->args;
    struct weather_report *r = &a->report;
    r->top = args->top ? args->top : TOP_DEFAULT;
    int rc = window_parse(operands, r, err);
    if (rc < 0)
        return rc;
    rc = job_maker_open(&args->maker, &a->maker, err);
    if (rc == 0)
        rc = filesystem_find(a, err);
    if (rc == 0)
        rc = series_read(a, err);
    if (rc == 0)
        rc = fabrics_read(a, err);
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

static int svg_write(struct weather_command *a, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct lmt_series **series = NULL;
    size_t count = 0;
    const struct weather *w = &a->report.weather;
    if (!a->report.has_series)
        return err_set(err, EINVAL, "--svg wants --series");
    int rc = series_take(a, w->from_s, w->to_s, &series, &count, err);
    if (rc == 0)
        rc = weather_print_svg(w, series, count, &out, err);
    if (rc == 0 && (rc = strbuf_error(&out)) < 0)
        (void)err_set(err, ENOMEM, "out of memory");
    if (rc < 0)
        return rc;
    if (strcmp(a->args->svg, "-") != 0)
        return file_replace(a->args->svg, out.data, out.size, 0644, err);
    terminal_data();
    return output_print(&out, err);
}

static int weather_print(struct weather_command *a, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct args *args = a->args;
    struct table_part parts[WEATHER_PARTS];
    if (args->svg) {
        int rc = svg_write(a, err);
        if (rc < 0 || strcmp(args->svg, "-") == 0)
            return rc;
    }
    if (args->parts.wanted.count > 0 ||
        (args->parts.output && strcmp(args->parts.output, "table") != 0)) {
        for (size_t i = 0; i < WEATHER_PARTS; i++)
            parts[i] = (struct table_part){ weather_part_name((enum weather_part)i),
                                            &a->report.tables[i] };
        return table_parts_print(WHO, parts, WEATHER_PARTS, &args->parts, err);
    }
    weather_text_print(&a->report, &out);
    return output_print(&out, err);
}

static int weather_run(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct weather_command a = { .args = args, .clocks = STRBUF_INIT };
    struct err err = { 0 };
    args->maker.way.log = warning_print;
    if (operand_count != 2) {
        fprintf(stderr, WHO ": wants FROM and TO, as -2h now\n");
        return EXIT_USAGE;
    }
    a.maker.opts = &a.args->maker;
    int rc = weather_gather(&a, operands, &err);
    if (rc == 0)
        rc = weather_print(&a, &err);
    weather_report_done(&a.report);
    strbuf_done(&a.clocks);
    climate_runs_done(&a.climate);
    job_maker_done(&a.maker);
    return climate_args_end(WHO, rc, &err);
}

static const struct option options[] = {
    { "series", 's', OPTION_LIST, offsetof(struct args, maker.series), "FILE",
      "What the servers measured: TOKIO HDF5, h5lmt, a copy of an LMT database in "
      "SQLite, or barod or its address; other days of it say what is usual. May be "
      "repeated." },
    { "health", 'H', OPTION_LIST, offsetof(struct args, maker.health), "FILE",
      "Kept lfs df and lctl dl -t, BEGIN before each; may be repeated." },
    { "health-age-max", 0, OPTION_DURATION,
      offsetof(struct args, maker.health_age_max_ns), "DURATION",
      "How old the last reading before FROM may be; default: 1h." },
    { "jobs", 'j', OPTION_LIST, offsetof(struct args, maker.jobs), "FILE",
      "What ran: sacct's text, see baro job list; may be repeated." },
    { "cluster", 0, OPTION_TEXT, offsetof(struct args, maker.cluster), "NAME",
      "Only jobs of it." },
    { "climate", 'C', OPTION_LIST, offsetof(struct args, climate), "RUNS.csv",
      "How runs of this table that began then did among their like; with --map." },
    CLIMATE_OPTION_MAP(struct args),
    { "site", 0, OPTION_TEXT, offsetof(struct args, maker.site), "FILE",
      "What file systems there are, which share a fabric, and whose each file of "
      "series is." },
    { "filesystem", 'F', OPTION_TEXT, offsetof(struct args, filesystem), "NAME",
      "Of it alone, as the site file calls it, or without one as Lustre does and a "
      "barod knows it; default: of all together." },
    SERIES_OPTIONS(struct args, maker.way),
    CLOCK_LIST_OPTION(offsetof(struct args, maker.clocks)),
    { "svg", 0, OPTION_TEXT, offsetof(struct args, svg), "FILE",
      "Also a picture: bytes over time, and heat maps of targets; - is standard "
      "output, "
      "and then nothing else." },
    { "top", 'n', OPTION_LIMIT, offsetof(struct args, top), "COUNT",
      "So many targets and jobs in tables; default: 10." },
    { "table", 't', OPTION_LIST, offsetof(struct args, parts.wanted), "NAME",
      "Tables in place of the page: flows, targets, fabrics, fullness, servers, moves, "
      "jobs, "
      "runs; may be repeated." },
    CLIMATE_OPTION_OUTPUT(struct args),
};

const struct command cmd_weather = {
    .name = "weather",
    .operands = "FROM TO",
    .help = "What the file systems did in a window of time, on one page.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = weather_run,
    .details =
        "Bytes, operations and loads with their peaks, what was quiet and what was "
        "not\n"
        "measured, the busiest and the fullest targets, failovers, the largest jobs;\n"
        "against the same hours of the other days that the series have.\n"
        "\n"
        "Example: baro weather -2h now -s barod -H ost-map.txt -j sacct.txt",
};
