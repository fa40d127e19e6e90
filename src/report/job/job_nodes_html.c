/* SPDX-License-Identifier: Apache-2.0 */
/* job_nodes_html - what a job's nodes did, as a section of an HTML page. */
#include "report/job/job_nodes_html.h"

#include "base/number.h"
#include "report/job/html_map.h"
#include "report/job/html_text.h"
#include "report/job/job_html.h"
#include "report/job/job_metrics_page.h"
#include "report/job/job_phases_html.h"
#include "report/unusual/unusual.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define NAMES_BYTES_MAX ((size_t)64 << 20)

static void text_cell(const char *class_name, const char *text, struct strbuf *out)
{
    html_element(out, "td", class_name, span_of(text ? text : ""));
}

static void number_cell(double value, const char *unit, struct strbuf *out)
{
    char text[FOOTPRINT_VALUE_SIZE] = "";
    if (!isnan(value))
        footprint_value_text(text, value, unit);
    text_cell("num", text, out);
}

/* "23 on c04" */
static void end_cell(double value, const char *unit, const char *where,
                     struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf cell = STRBUF_INIT;
    char text[FOOTPRINT_VALUE_SIZE];
    if (!isnan(value))
        strbuf_addf(&cell, "%s on %s", footprint_value_text(text, value, unit),
                    where ? where : "?");
    text_cell("num", strbuf_text(&cell), out);
}

static void metric_row(const struct footprint_metric *m, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf half = STRBUF_INIT;
    char low[FOOTPRINT_VALUE_SIZE], high[FOOTPRINT_VALUE_SIZE];
    strbuf_adds(out, "<tr>");
    html_element(out, "th", NULL, span_of(m->name));
    number_cell(m->median, m->unit, out);
    if (m->rows > 1 && !isnan(m->low) && !isnan(m->high))
        strbuf_addf(&half, "%s to %s", footprint_value_text(low, m->low, m->unit),
                    footprint_value_text(high, m->high, m->unit));
    text_cell("num", strbuf_text(&half), out);
    number_cell(m->rows > 1 ? m->deviation : NAN, m->unit, out);
    end_cell(m->rows > 1 ? m->lowest_value : NAN, m->unit, m->lowest, out);
    end_cell(m->rows > 1 ? m->highest_value : NAN, m->unit, m->highest, out);
    strbuf_adds(out, "</tr>\n");
}

static void metrics_table(const struct footprint *f, struct strbuf *out)
{
    strbuf_adds(out, "<div class='wide'><table><thead><tr><th>Metric</th>"
                     "<th class='num'>Median node</th><th class='num'>Middle half</th>"
                     "<th class='num'>Spread</th><th class='num'>Least</th>"
                     "<th class='num'>Most</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < f->metric_count; i++)
        metric_row(&f->metrics[i], out);
    strbuf_adds(out,
                "</tbody></table></div>\n"
                "<p class='note'>Of each node's mean over time. Spread: the median "
                "distance from the median.</p>\n");
}

/* ---- pictures ---- */

static int map_rows_make(const struct node_samples *samples,
                         const struct node_samples_metric *metric, struct arena *arena,
                         struct row_map_row *rows)
{
    for (size_t i = 0; i < metric->row_count; i++) {
        const struct node_samples_row *row = &metric->rows[i];
        AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
        strbuf_adds(&name, samples->hosts[row->host]);
        if (row->device[0])
            strbuf_addf(&name, "/%s", row->device);
        rows[i].name = arena_dup(arena, strbuf_span(&name));
        rows[i].values = row->values;
        if (!rows[i].name)
            return -ENOMEM;
    }
    return 0;
}

/* True: it was drawn. */
static bool metric_map(const struct node_samples *samples,
                       const struct node_samples_metric *metric, struct strbuf *out)
{
    AUTO(arena_done) struct arena arena;
    AUTO_FREE struct row_map_row *rows = calloc(metric->row_count + 1, sizeof *rows);
    int64_t span_ns = samples->window_ns * (int64_t)samples->window_count;
    const struct row_map map = { .title = metric->name,
                                 .rows = rows,
                                 .row_count = metric->row_count,
                                 .columns = samples->window_count,
                                 .from_s = samples->from_ns / NS_PER_S,
                                 .to_s = (samples->from_ns + span_ns) / NS_PER_S };
    arena_init(&arena, NAMES_BYTES_MAX);
    int rc = rows ? map_rows_make(samples, metric, &arena, rows) : -ENOMEM;
    if (rc < 0) {
        out->error = rc;
        return false;
    }
    return html_map_print(&map, metric->unit, out);
}

/* Those whose meaning is known first. */
static void node_maps_print(const struct node_samples *samples, struct strbuf *out)
{
    size_t drawn = 0;
    for (int is_other = 0; is_other < 2; is_other++)
        for (size_t i = 0; i < samples->metric_count; i++) {
            const struct node_samples_metric *metric = &samples->metrics[i];
            bool is_known = metric_role_of(metric->name, NULL) != METRIC_ROLE_NONE;
            if (is_known == (is_other == 1) || drawn == JOB_HTML_MAPS_MAX)
                continue;
            drawn += metric_map(samples, metric, out);
        }
    if (samples->metric_count > drawn && drawn == JOB_HTML_MAPS_MAX)
        strbuf_addf(out, "<p class='note'>%zu of %zu metrics are drawn.</p>\n", drawn,
                    samples->metric_count);
}

void job_nodes_html(const struct job_nodes *nodes, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    job_metrics_html(nodes, out);
    if (!nodes || !nodes->is_observed)
        return;
    const struct footprint *f = &nodes->footprint;
    strbuf_addf(out, "<section><h2>Its %zu node%s</h2>\n", f->hosts,
                f->hosts == 1 ? "" : "s");
    if (f->unobserved)
        strbuf_addf(&text, "No metrics of %s.", f->unobserved);
    if (text.size > 0)
        html_element(out, "p", "note", strbuf_span(&text));
    metrics_table(f, out);
    node_maps_print(&nodes->samples, out);
    job_phases_html(f, &nodes->samples, out);
    job_roofline_html(f, out);
    strbuf_adds(out, "</section>\n");
}
