/* SPDX-License-Identifier: Apache-2.0 */
/* metric_plot - baro metric plot: lines on the terminal, or as SVG. */
#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/metric_args.h"
#include "cmd/request_run.h"
#include "draw/draw.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMN_COMPONENT, COLUMN_METRIC, COLUMN_TIME, COLUMN_VALUE, COLUMN_COUNT };

#define GAP_STEPS 2

struct picture {
    struct line_plot_point *points;
    struct line_plot_line lines[LINE_PLOT_LINES_MAX];
    size_t line_count;
    size_t left_out; /* lines beyond LINE_PLOT_LINES_MAX */
    int64_t step_ms; /* the shortest between two points */
};

static bool is_same(const struct table *table, size_t row, size_t other)
{
    return strcmp(table_at(table, row, COLUMN_COMPONENT)->text,
                  table_at(table, other, COLUMN_COMPONENT)->text) == 0 &&
           strcmp(table_at(table, row, COLUMN_METRIC)->text,
                  table_at(table, other, COLUMN_METRIC)->text) == 0;
}

static void note_step(struct picture *p, size_t row)
{
    int64_t step_ms = p->points[row].t_ms - p->points[row - 1].t_ms;
    if (step_ms > 0 && (p->step_ms == 0 || step_ms < p->step_ms))
        p->step_ms = step_ms;
}

/* Rows of one line stand together. */
static int make_picture(const struct table *table, struct picture *ret)
{
    struct picture *p = ret;
    p->points = calloc(table->row_count + 1, sizeof *p->points);
    if (!p->points)
        return -ENOMEM;
    struct line_plot_line *line = NULL;
    for (size_t row = 0; row < table->row_count; row++) {
        p->points[row] =
            (struct line_plot_point){ table_at(table, row, COLUMN_TIME)->i64,
                                      table_at(table, row, COLUMN_VALUE)->dbl };
        bool is_new = row == 0 || !is_same(table, row - 1, row);
        if (is_new && p->line_count == LINE_PLOT_LINES_MAX) {
            p->left_out++;
            line = NULL;
        } else if (is_new) {
            line = &p->lines[p->line_count++];
            *line =
                (struct line_plot_line){ table_at(table, row, COLUMN_COMPONENT)->text,
                                         &p->points[row], 0 };
        } else {
            note_step(p, row);
        }
        if (line)
            line->count++;
    }
    return 0;
}

static int print(const struct metric_args *args, const struct picture *picture,
                 const char *title, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct line_plot plot = { title, picture->lines, picture->line_count,
                                    GAP_STEPS * picture->step_ms };
    const char *form = args->client.output ? args->client.output : "braille";
    struct winsize size = { .ws_col = 80, .ws_row = 24 };
    int rc;
    if (strcmp(form, "svg") == 0) {
        rc = line_plot_svg(&plot, args->width ? args->width : 800,
                           args->height ? args->height : 300, &out);
    } else {
        (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
        rc = line_plot_braille(&plot, args->width ? args->width : size.ws_col,
                               args->height ? args->height : size.ws_row / 2, &out);
    }
    if (rc == -ENODATA)
        return err_set(err, ENODATA, "there are no samples in this range");
    if (rc == 0 &&
        (fwrite(out.data, 1, out.size, stdout) != out.size || fflush(stdout)))
        return err_set(err, errno, "write: %s", strerror(errno));
    return rc;
}

/* "cpu_load, in load" where the metric has a unit.  A server that does not say costs
 * the unit, not the picture. */
static void title_make(const struct metric_args *args, const char *metric,
                       struct strbuf *out)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    strbuf_adds(out, metric);
    table_init(&table);
    net_url_init(&url, "/v1/metrics");
    net_url_add(&url, "format", "table");
    if (client_http_fetch_table(&args->client.endpoint, &url, &table, &err) < 0)
        return;
    int name = table_find_column(&table, "metric");
    int unit = table_find_column(&table, "unit");
    if (name < 0 || unit < 0 || table.columns[name].type != TABLE_TEXT ||
        table.columns[unit].type != TABLE_TEXT)
        return;
    for (size_t row = 0; row < table.row_count; row++) {
        const struct table_cell *cell = table_at(&table, row, (size_t)unit);
        const struct table_cell *key = table_at(&table, row, (size_t)name);
        if (key->is_null || cell->is_null || !*cell->text ||
            strcmp(key->text, metric) != 0)
            continue;
        strbuf_addf(out, ", in %s", cell->text);
    }
}

static int check(const struct metric_args *args, int operand_count, struct err *err)
{
    const char *form = args->client.output;
    if (operand_count < 1 || operand_count > 2)
        return err_set(err, EINVAL,
                       "which metric, and of which components? see --help");
    if (form && strcmp(form, "svg") != 0 && strcmp(form, "braille") != 0)
        return err_set(err, EINVAL, "--output: '%s' is neither braille nor svg", form);
    if (args->width > 10000 || args->height > 10000)
        return err_set(err, EINVAL, "--width, --height: at most 10000");
    return 0;
}

static int run(void *arg, int operand_count, char **operands)
{
    const struct metric_args *args = arg;
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(table_done) struct table table;
    struct picture picture = { 0 };
    struct err err = { 0 };
    table_init(&table);
    int rc = check(args, operand_count, &err);
    if (rc == 0) {
        net_url_init(&url, "/v1/query");
        metric_args_add(&url, args, operand_count, operands);
        net_url_add(&url, "format", "table");
        rc = client_http_fetch_table(&args->client.endpoint, &url, &table, &err);
    }
    if (rc == 0 && table.column_count != COLUMN_COUNT)
        rc = err_set(&err, EBADMSG, "barod answered with other columns than these");
    if (rc == 0)
        rc = make_picture(&table, &picture);
    if (rc == 0) {
        AUTO(strbuf_done) struct strbuf title = STRBUF_INIT;
        title_make(args, operands[0], &title);
        rc = print(args, &picture, strbuf_text(&title), &err);
    }
    if (picture.left_out)
        fprintf(stderr, "%zu lines more: ask for fewer components\n", picture.left_out);
    free(picture.points);
    return rc < 0 ? request_failed("metric plot", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    { "output", 'o', OPTION_TEXT, CLIENT_FIELD(output), "FORM",
      "braille (default), for a terminal, or svg." },
    { "width", 0, OPTION_COUNT, METRIC_FIELD(width), "COUNT",
      "Columns of the terminal, or pixels; default: what the terminal has, or 800." },
    { "height", 0, OPTION_COUNT, METRIC_FIELD(height), "COUNT",
      "Rows, or pixels; default: half of the terminal, or 300." },
    METRIC_RANGE_OPTIONS,
    { "step", 0, OPTION_TEXT, CLIENT_FIELD(step), "DURATION",
      "Distance of points; default: as they are kept." },
    { "resample", 0, OPTION_TEXT, METRIC_FIELD(resample), "HOW",
      "average (default) or triangles: the shape of the line." },
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_metric_plot = {
    .name = "metric plot",
    .operands = "METRIC [COMPONENT]",
    .help = "Draw a metric over time, in the terminal or as SVG.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct metric_args),
    .run = run,
};
