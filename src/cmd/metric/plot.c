/* SPDX-License-Identifier: Apache-2.0 */
/* metric_plot - baro metric plot: lines on the terminal, or as SVG. */
#include "base/span.h"
#include "base/suggest.h"
#include "cmd/commands.h"
#include "cmd/metric/args.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

#include <stdio.h>
#include <unistd.h>

static int plot_check(const struct metric_args *args, struct err *err)
{
    const char *form = args->client.output;
    if (form && strcmp(form, "svg") != 0 && strcmp(form, "braille") != 0)
        return suggest_invalid(err, "--output", span_of(form), "braille, svg");
    if (args->width > 10000 || args->height > 10000)
        return err_set(err, EINVAL, "--width, --height: at most 10000");
    return 0;
}

static int plot_print(const struct metric_args *args, const struct metric_plot *plot,
                      const char *title, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct screen screen;
    screen_init(&screen, stdout, STDOUT_FILENO);
    bool is_svg = args->client.output && strcmp(args->client.output, "svg") == 0;
    size_t width = is_svg ? 800 : screen.width ? screen.width : 80;
    size_t height = is_svg ? 300 : screen.height ? screen.height / 2 : 12;
    const struct metric_plot_opts opts = {
        .title = title,
        .form = is_svg ? METRIC_PLOT_SVG : METRIC_PLOT_BRAILLE,
        .width = args->width ? args->width : width,
        .height = args->height ? args->height : height,
    };
    int rc = metric_plot_draw(plot, &opts, &out, err);
    return rc < 0 ? rc : output_print(&out, err);
}

static int metric_plot_run(void *arg, int operand_count, char **operands)
{
    const struct metric_args *args = arg;
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(table_done) struct table table;
    AUTO(metric_plot_done) struct metric_plot plot = { 0 };
    AUTO(strbuf_done) struct strbuf title = STRBUF_INIT;
    struct err err = { 0 };
    table_init(&table);
    net_url_init(&url, "/v1/query");
    int rc = plot_check(args, &err);
    if (rc == 0)
        rc = metric_args_add(&url, args, operand_count, operands, &err);
    if (rc < 0) {
        (void)request_failed("metric plot", rc, &err);
        return EXIT_USAGE;
    }
    net_url_add(&url, "format", "table");
    rc = client_http_fetch_table(&args->client.endpoint, &url, &table, &err);
    if (rc == 0)
        rc = metric_plot_make(&table, &plot, &err);
    if (rc == 0) {
        metric_plot_title(operands[0], &table, &title);
        rc = plot_print(args, &plot, strbuf_text(&title), &err);
    }
    for (size_t i = 0; rc == 0 && i < table.note_count; i++)
        fprintf(stderr, "# %s\n", table.notes[i]);
    return rc < 0 ? request_failed("metric plot", rc, &err) : EXIT_OK;
}

/* clang-format off */
static const struct option options[] = {
    { "output", 'o', OPTION_TEXT, CLIENT_FIELD(output), "braille|svg",
      "braille (default), for a terminal, or svg." },
    { "width", 0, OPTION_COUNT, METRIC_FIELD(width), "COUNT",
      "Columns of the terminal, or pixels; default: what the terminal has, or 800." },
    { "height", 0, OPTION_COUNT, METRIC_FIELD(height), "COUNT",
      "Rows, or pixels; default: half of the terminal, or 300." },
    METRIC_PARAMS_RANGE(METRIC_OPTION) METRIC_PARAMS_POINTS(METRIC_OPTION)
    METRIC_PARAMS_COUNTERS(METRIC_OPTION)
    CLIENT_SERVER_OPTIONS,
};
/* clang-format on */

const struct command cmd_metric_plot = {
    .name = "metric plot",
    .operands = "METRIC [COMPONENT]...",
    .help = "Draw a metric over time, in the terminal or as SVG.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct metric_args),
    .run = metric_plot_run,
};
