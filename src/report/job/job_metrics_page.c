/* SPDX-License-Identifier: Apache-2.0 */
/* job_metrics_page - a job's footprint, as it was stored when it ended. */
#include "report/job/job_metrics_page.h"

#include "base/span.h"
#include "report/job/html_text.h"
#include "report/unusual/unusual.h"

#include <math.h>

static const struct job_metric *whole_of(const struct job_nodes *nodes)
{
    for (size_t i = 0; i < nodes->stored_count; i++)
        if (nodes->stored[i].metric.size == 0)
            return &nodes->stored[i];
    return NULL;
}

bool job_metrics_stand_in(const struct job_nodes *nodes)
{
    const struct job_metric *whole = nodes ? whole_of(nodes) : NULL;
    return whole && !nodes->is_observed && whole->observed > 0;
}

/* All of it is "100 %", and nothing else is. */
static void share_print(double covered, struct strbuf *out)
{
    double percent = covered * 100;
    if (percent > 99.9 && percent < 100)
        percent = 99.9;
    strbuf_addf(out, percent == 100 ? "%.0f %%" : "%.1f %%", percent);
}

static void whole_print(const struct job_metric *whole, struct strbuf *out)
{
    strbuf_addf(out,
                "as stored when the job ended: the samples are no longer in memory");
    if (whole->observed < whole->nodes)
        strbuf_addf(out, "; of %llu nodes, %llu were observed",
                    (unsigned long long)whole->nodes,
                    (unsigned long long)whole->observed);
    if (whole->covered < 1) {
        strbuf_adds(out, "; samples cover ");
        share_print(whole->covered, out);
        strbuf_adds(out, " of their time");
    }
}

static void number_print(const char *before, double value, const struct job_metric *m,
                         struct strbuf *out)
{
    AUTO_FREE char *unit = span_dup(m->unit);
    char text[FOOTPRINT_VALUE_SIZE];
    if (!isnan(value))
        strbuf_addf(out, "%s%s", before,
                    footprint_value_text(text, value, unit ? unit : ""));
}

static void metric_line_print(const struct job_metric *m, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    entry_id_print(&name, m->metric);
    strbuf_addf(out, "    %-16s", strbuf_text(&name));
    if (isnan(m->mean)) {
        strbuf_adds(out, " not observed\n");
        return;
    }
    number_print(" ", m->mean, m, out);
    number_print(" (", m->min, m, out);
    number_print(" to ", m->max, m, out);
    strbuf_adds(out, isnan(m->min) ? "" : ")");
    number_print(", all nodes together ", m->sum, m, out);
    if (m->covered < 1) {
        strbuf_adds(out, "; of ");
        share_print(m->covered, out);
        strbuf_adds(out, " of the time");
    }
    strbuf_addc(out, '\n');
}

void job_metrics_print_text(const struct job_nodes *nodes, struct strbuf *out)
{
    if (!job_metrics_stand_in(nodes))
        return;
    const struct job_metric *whole = whole_of(nodes);
    strbuf_addf(out,
                "\nIts %llu node%s (mean over them and the time, least and most),\n",
                (unsigned long long)whole->nodes, whole->nodes == 1 ? "" : "s");
    whole_print(whole, out);
    strbuf_adds(out, ":\n");
    for (size_t i = 0; i < nodes->stored_count; i++)
        if (nodes->stored[i].metric.size > 0)
            metric_line_print(&nodes->stored[i], out);
}

/* ---- as a section ---- */

static void number_cell(double value, const struct job_metric *m, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    number_print("", value, m, &text);
    html_element(out, "td", "num", strbuf_span(&text));
}

void job_metrics_html(const struct job_nodes *nodes, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (!job_metrics_stand_in(nodes))
        return;
    const struct job_metric *whole = whole_of(nodes);
    strbuf_addf(out, "<section><h2>Its %llu node%s</h2>\n",
                (unsigned long long)whole->nodes, whole->nodes == 1 ? "" : "s");
    strbuf_adds(&text, "Over all nodes and the whole time, ");
    whole_print(whole, &text);
    strbuf_addc(&text, '.');
    html_element(out, "p", "note", strbuf_span(&text));
    strbuf_adds(out, "<div class='wide'><table><thead><tr><th>Metric</th>"
                     "<th class='num'>Mean</th><th class='num'>Least</th>"
                     "<th class='num'>Most</th><th class='num'>All nodes</th>"
                     "<th class='num'>Observed</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < nodes->stored_count; i++) {
        const struct job_metric *m = &nodes->stored[i];
        if (m->metric.size == 0)
            continue;
        strbuf_adds(out, "<tr>");
        html_element(out, "th", NULL, m->metric);
        number_cell(m->mean, m, out);
        number_cell(m->min, m, out);
        number_cell(m->max, m, out);
        number_cell(m->sum, m, out);
        strbuf_clear(&text);
        share_print(m->covered, &text);
        html_element(out, "td", "num", strbuf_span(&text));
        strbuf_adds(out, "</tr>\n");
    }
    strbuf_adds(out, "</tbody></table></div>\n</section>\n");
}

/* ---- for programs ---- */

static void metric_number_json(struct json_writer *w, const char *key, double value)
{
    json_key(w, key);
    json_double(w, value);
}

static void metric_json(const struct job_metric *m, struct json_writer *w)
{
    json_object(w);
    json_key(w, "name");
    json_span(w, m->metric);
    json_key(w, "unit");
    json_span(w, m->unit);
    json_key(w, "observed");
    json_u64(w, m->observed);
    metric_number_json(w, "covered", m->covered);
    metric_number_json(w, "mean", m->mean);
    metric_number_json(w, "min", m->min);
    metric_number_json(w, "max", m->max);
    metric_number_json(w, "sum", m->sum);
    json_object_end(w);
}

void job_metrics_json(const struct job_nodes *nodes, struct json_writer *w)
{
    const struct job_metric *whole = whole_of(nodes);
    json_key(w, "footprint");
    if (!whole) {
        json_null(w);
        return;
    }
    json_object(w);
    json_key(w, "nodes");
    json_u64(w, whole->nodes);
    json_key(w, "observed");
    json_u64(w, whole->observed);
    metric_number_json(w, "covered", whole->covered);
    json_key(w, "metrics");
    json_array(w);
    for (size_t i = 0; i < nodes->stored_count; i++)
        if (nodes->stored[i].metric.size > 0)
            metric_json(&nodes->stored[i], w);
    json_array_end(w);
    json_object_end(w);
}
