/* SPDX-License-Identifier: Apache-2.0 */
/* job_servers_html - what the servers counted of a job, as a section of an HTML page.
 */
#include "report/job/job_servers_html.h"

#include "base/figure.h"
#include "base/span.h"
#include "model/model.h"
#include "report/job/html_text.h"
#include "report/job/job_servers_page.h"
#include "report/job/job_steps_html.h"

#include <math.h>

static void text_cell(const char *class_name, const struct strbuf *text,
                      struct strbuf *out)
{
    html_element(out, "td", class_name, strbuf_span(text));
}

/* Nothing is an empty cell. */
static void bytes_cell(uint64_t bytes, struct strbuf *out)
{
    char text[FIGURE_SIZE] = "";
    if (bytes > 0)
        figure_print_bytes(text, sizeof text, (double)bytes);
    html_element(out, "td", "num", span_of(text));
}

static void count_cell(uint64_t count, struct strbuf *out)
{
    char text[FIGURE_SIZE] = "";
    if (count > 0)
        figure_print_count(text, sizeof text, (double)count);
    html_element(out, "td", "num", span_of(text));
}

static void target_row(const struct server_target *t, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf others = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf times = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf most = STRBUF_INIT;
    entry_id_print(&name, span_of(t->name));
    job_server_flow_print(&t->others, t->measure, &others);
    if (isinf(t->contention))
        strbuf_adds(&times, "(nothing)");
    else if (!isnan(t->contention))
        strbuf_addf(&times, "%.1f x", t->contention);
    job_server_most_print(t, &most);
    strbuf_adds(out, "<tr>");
    html_element(out, "th", NULL, strbuf_span(&name));
    bytes_cell(t->own.read_bytes, out);
    bytes_cell(t->own.written_bytes, out);
    count_cell(t->own.requests, out);
    count_cell(t->own.metadata, out);
    text_cell("num", &others, out);
    text_cell("num", &times, out);
    text_cell(NULL, &most, out);
    strbuf_adds(out, "</tr>\n");
}

static void targets_table(const struct job_servers *s, struct strbuf *out)
{
    if (s->target_count == 0)
        return;
    strbuf_adds(out,
                "<h3>By target</h3>\n<div class='wide'><table><thead><tr><th>Target"
                "</th><th class='num'>Read</th><th class='num'>Written</th>"
                "<th class='num'>I/O requests</th><th class='num'>Metadata</th>"
                "<th class='num'>Others did</th><th class='num'>Of the median</th>"
                "<th>Most of it by</th></tr></thead><tbody>\n");
    size_t shown = s->target_count < JOB_SERVERS_HTML_ROWS ? s->target_count
                                                           : JOB_SERVERS_HTML_ROWS;
    for (size_t i = 0; i < shown; i++)
        target_row(&s->targets[i], out);
    strbuf_adds(out, "</tbody></table></div>\n<p class='note'>Of the median: what "
                     "others did there, against what they did on the median target.");
    if (shown > JOB_SERVER_ROWS_QUERIED)
        strbuf_addf(out, " Whose it was is known of the %d most contended.",
                    JOB_SERVER_ROWS_QUERIED);
    strbuf_adds(out, "</p>\n");
    if (shown < s->target_count)
        strbuf_addf(out,
                    "<p class='note'>The %zu most contended of the %zu that it used."
                    "</p>\n",
                    shown, s->target_count);
}

void job_servers_html(const struct job_servers *servers, const struct profile *run,
                      struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    job_servers_print_summary(servers, run, &text);
    strbuf_adds(out, "<section><h2>What the servers counted</h2>\n");
    html_lines(out, strbuf_span(&text));
    targets_table(servers, out);
    job_steps_html(&servers->steps, out);
    strbuf_adds(out, "</section>\n");
}
