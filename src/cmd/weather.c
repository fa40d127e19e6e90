/* SPDX-License-Identifier: Apache-2.0 */
/* weather - baro weather: what the file systems did in a window of time, on one page.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/terminal/terminal.h"
#include "base/timetext.h"
#include "base/user_time.h"
#include "client/job/job.h"
#include "cmd/climate/args.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/warning.h"
#include "draw/draw.h"
#include "report/report.h"

#define WHO "baro weather"
#define TOP_DEFAULT 10

struct weather_args {
    struct window_sources_opts window;
    const char *svg;
    int64_t last_ns;
    uint64_t top;
    struct table_parts_args parts;
};

static int weather_svg_print(const char *path, struct window_sources *sources,
                             const struct window_context *window, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct lmt_series **series = NULL;
    size_t count = 0;
    int rc = window_sources_series(sources, window, &series, &count, err);
    if (rc == 0)
        rc = weather_print_svg(&window->weather, series, count, &out, err);
    if (rc == 0 && (rc = strbuf_error(&out)) < 0)
        (void)err_set(err, ENOMEM, "out of memory");
    if (rc < 0)
        return rc;
    if (strcmp(path, "-") != 0)
        return file_replace(path, out.data, out.size, 0644, err);
    terminal_data();
    return output_print(&out, err);
}

static int weather_print(const struct weather_args *args,
                         const struct window_context *window, struct err *err)
{
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    AUTO(weather_report_done) struct weather_report report;
    struct table_part parts[WEATHER_PARTS];
    if (weather_report_make(window, args->top ? args->top : TOP_DEFAULT, &report) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (args->parts.wanted.count > 0 ||
        (args->parts.output && strcmp(args->parts.output, "table") != 0)) {
        weather_report_parts(&report, parts);
        return table_parts_print(WHO, parts, WEATHER_PARTS, &args->parts, err);
    }
    weather_text_print(&report, &page);
    return output_page(&page, err);
}

static int weather_times_parse(char **operands, int64_t *ret_from_ns,
                               int64_t *ret_to_ns, struct err *err)
{
    int64_t *const times[] = { ret_from_ns, ret_to_ns };
    int64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (user_time_parse(operands[i], now_ns, times[i], err) < 0)
            return -EINVAL;
    if (*ret_to_ns <= *ret_from_ns)
        return err_set(err, EINVAL, "a window ends after it begins");
    return 0;
}

/* FROM and TO, or the time up to now. */
static int weather_window_parse(const struct weather_args *args, int operand_count,
                                char **operands, int64_t *ret_from_ns,
                                int64_t *ret_to_ns, struct err *err)
{
    if ((operand_count != 2 || args->last_ns > 0) &&
        (operand_count != 0 || args->last_ns == 0))
        return err_set(err, EINVAL, "wants FROM and TO, as -2h now, or --last 2h");
    if (operand_count == 2)
        return weather_times_parse(operands, ret_from_ns, ret_to_ns, err);
    *ret_to_ns = clock_now_ns();
    *ret_from_ns = *ret_to_ns - args->last_ns;
    return 0;
}

static int weather_window_print(const struct weather_args *args, int64_t from_ns,
                                int64_t to_ns, struct err *err)
{
    AUTO(window_sources_done) struct window_sources sources = { 0 };
    AUTO(window_context_done) struct window_context window = { 0 };
    int rc = window_sources_open(&args->window, &sources, err);
    if (rc == 0)
        rc = window_sources_read(&sources, from_ns, to_ns, &window, err);
    if (rc == 0 && args->svg)
        rc = weather_svg_print(args->svg, &sources, &window, err);
    if (rc < 0 || (args->svg && strcmp(args->svg, "-") == 0))
        return rc;
    return weather_print(args, &window, err);
}

static int weather_run(void *args_arg, int operand_count, char **operands)
{
    /* A copy: the defaults are no lists of the options, which are freed with these. */
    struct weather_args copy = *(const struct weather_args *)args_arg, *args = &copy;
    struct err err = { 0 };
    int64_t from_ns = 0;
    int64_t to_ns = 0;
    args->window.sources.access.log = warning_print;
    if (weather_window_parse(args, operand_count, operands, &from_ns, &to_ns, &err) <
        0) {
        fprintf(stderr, WHO ": %s\n", err.text);
        return EXIT_USAGE;
    }
    window_sources_default(&args->window);
    int rc = weather_window_print(args, from_ns, to_ns, &err);
    return climate_args_end(WHO, rc, &err);
}

static const struct option options[] = {
    { "last", 'l', OPTION_DURATION, offsetof(struct weather_args, last_ns), "DURATION",
      "The time up to now, instead of FROM and TO." },
    { "against", 'a', OPTION_DURATION, offsetof(struct weather_args, window.against_ns),
      "DURATION",
      "Is it as usual?  First, against the same hours of the days so long before: "
      "30d." },
    { "series", 's', OPTION_LIST, offsetof(struct weather_args, window.sources.series),
      "FILE",
      "What the servers measured: TOKIO HDF5, h5lmt, a copy of an LMT database in "
      "SQLite, or barod or its address; its other days are the baseline. May be "
      "repeated." },
    { "health", 'H', OPTION_LIST, offsetof(struct weather_args, window.sources.health),
      "FILE", "Recorded lfs df and lctl dl -t, or barod; may be repeated." },
    { "health-age-max", 0, OPTION_DURATION,
      offsetof(struct weather_args, window.sources.health_age_max_ns), "DURATION",
      "How old the last reading before FROM may be; default: 1h." },
    { "jobs", 'j', OPTION_LIST, offsetof(struct weather_args, window.sources.jobs),
      "FILE", "What ran: sacct's text, see baro job list; may be repeated." },
    { "cluster", 0, OPTION_TEXT, offsetof(struct weather_args, window.sources.cluster),
      "NAME", "Only jobs of it." },
    { "climate", 'C', OPTION_LIST, offsetof(struct weather_args, window.climate),
      "RUNS.csv",
      "How runs of this table that began then did among comparable runs; with --map." },
    { "map", 'm', OPTION_TEXT, offsetof(struct weather_args, window.map), "FILE",
      "What the columns mean: see baro climate study --sample." },
    { "site", 0, OPTION_TEXT, offsetof(struct weather_args, window.sources.site),
      "FILE",
      "What file systems there are, which share a fabric, and whose each file of "
      "series is." },
    { "filesystem", 'F', OPTION_TEXT, offsetof(struct weather_args, window.filesystem),
      "NAME",
      "Of it alone, as the site file calls it, or without one as Lustre does and a "
      "barod knows it; default: of all together." },
    SERIES_OPTIONS(struct weather_args, window.sources.access),
    CLOCK_LIST_OPTION(offsetof(struct weather_args, window.sources.clocks)),
    { "svg", 0, OPTION_TEXT, offsetof(struct weather_args, svg), "FILE",
      "Also a picture: bytes over time, and heat maps of targets; - is standard "
      "output, "
      "and then nothing else." },
    { "top", 'n', OPTION_LIMIT, offsetof(struct weather_args, top), "COUNT",
      "So many targets and jobs in tables; default: 10." },
    { "table", 't', OPTION_LIST, offsetof(struct weather_args, parts.wanted),
      "flows|targets|fabrics|fullness|servers|moves|jobs|runs|usual",
      "Tables in place of the page: flows, targets, fabrics, fullness, servers, moves, "
      "jobs, "
      "runs, usual; may be repeated." },
    CLIMATE_OPTION_OUTPUT(struct weather_args),
};

const struct command cmd_weather = {
    .name = "weather",
    .operands = "[FROM TO]",
    .help = "What the file systems did in a window of time, on one page.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct weather_args),
    .has_time_operands = true,
    .run = weather_run,
    .details =
        "Bytes, operations and loads with their peaks, what was quiet and what was "
        "not\n"
        "measured, the busiest and the fullest targets, failovers, the largest jobs;\n"
        "against the same hours of the other days that the series have.\n"
        "\n"
        "Without --series, --health, --jobs and --climate: what the barod of "
        "BARO_SERVER has.\n"
        "Was last night worse than usual?  baro weather --last 12h --against 30d\n"
        "\n"
        "Example: baro weather -2h now -s barod -H ost-map.txt -j sacct.txt",
};
