/* SPDX-License-Identifier: Apache-2.0 */
/* weather - baro weather: what the file systems did in a window of time, on one page.
 */
#include "base/file.h"
#include "base/terminal/terminal.h"
#include "cmd/climate/args.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/warning.h"
#include "cmd/weather_gather.h"
#include "draw/draw.h"

#define WHO "baro weather"

static int svg_write(struct weather_gathered *a, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct lmt_series **series = NULL;
    size_t count = 0;
    const struct weather *w = &a->report.weather;
    if (!a->report.has_series)
        return err_set(err, EINVAL, "--svg wants --series");
    int rc = weather_series_get(&a->series, w->from_s, w->to_s, &series, &count, err);
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

static int weather_print(struct weather_gathered *a, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct weather_args *args = a->args;
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
    struct weather_args *args = args_arg;
    struct weather_gathered a = { .args = args, .clocks = STRBUF_INIT };
    struct err err = { 0 };
    args->maker.access.log = warning_print;
    if (operand_count != 2) {
        fprintf(stderr, WHO ": wants FROM and TO, as -2h now\n");
        return EXIT_USAGE;
    }
    a.maker.opts = &a.args->maker;
    int rc = weather_gather(&a, operands, &err);
    if (rc == 0)
        rc = weather_print(&a, &err);
    weather_gathered_done(&a);
    return climate_args_end(WHO, rc, &err);
}

static const struct option options[] = {
    { "series", 's', OPTION_LIST, offsetof(struct weather_args, maker.series), "FILE",
      "What the servers measured: TOKIO HDF5, h5lmt, a copy of an LMT database in "
      "SQLite, or barod or its address; its other days are the baseline. May be "
      "repeated." },
    { "health", 'H', OPTION_LIST, offsetof(struct weather_args, maker.health), "FILE",
      "Recorded lfs df and lctl dl -t, BEGIN before each; may be repeated." },
    { "health-age-max", 0, OPTION_DURATION,
      offsetof(struct weather_args, maker.health_age_max_ns), "DURATION",
      "How old the last reading before FROM may be; default: 1h." },
    { "jobs", 'j', OPTION_LIST, offsetof(struct weather_args, maker.jobs), "FILE",
      "What ran: sacct's text, see baro job list; may be repeated." },
    { "cluster", 0, OPTION_TEXT, offsetof(struct weather_args, maker.cluster), "NAME",
      "Only jobs of it." },
    { "climate", 'C', OPTION_LIST, offsetof(struct weather_args, climate), "RUNS.csv",
      "How runs of this table that began then did among comparable runs; with --map." },
    CLIMATE_OPTION_MAP(struct weather_args),
    { "site", 0, OPTION_TEXT, offsetof(struct weather_args, maker.site), "FILE",
      "What file systems there are, which share a fabric, and whose each file of "
      "series is." },
    { "filesystem", 'F', OPTION_TEXT, offsetof(struct weather_args, filesystem), "NAME",
      "Of it alone, as the site file calls it, or without one as Lustre does and a "
      "barod knows it; default: of all together." },
    SERIES_OPTIONS(struct weather_args, maker.access),
    CLOCK_LIST_OPTION(offsetof(struct weather_args, maker.clocks)),
    { "svg", 0, OPTION_TEXT, offsetof(struct weather_args, svg), "FILE",
      "Also a picture: bytes over time, and heat maps of targets; - is standard "
      "output, "
      "and then nothing else." },
    { "top", 'n', OPTION_LIMIT, offsetof(struct weather_args, top), "COUNT",
      "So many targets and jobs in tables; default: 10." },
    { "table", 't', OPTION_LIST, offsetof(struct weather_args, parts.wanted), "NAME",
      "Tables in place of the page: flows, targets, fabrics, fullness, servers, moves, "
      "jobs, "
      "runs; may be repeated." },
    CLIMATE_OPTION_OUTPUT(struct weather_args),
};

const struct command cmd_weather = {
    .name = "weather",
    .operands = "FROM TO",
    .help = "What the file systems did in a window of time, on one page.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct weather_args),
    .run = weather_run,
    .details =
        "Bytes, operations and loads with their peaks, what was quiet and what was "
        "not\n"
        "measured, the busiest and the fullest targets, failovers, the largest jobs;\n"
        "against the same hours of the other days that the series have.\n"
        "\n"
        "Example: baro weather -2h now -s barod -H ost-map.txt -j sacct.txt",
};
