/* SPDX-License-Identifier: Apache-2.0 */
/* job_html - one job as one HTML page that needs nothing else. */
#include "report/job/job_html.h"

#include "report/job/finding_text.h"
#include "report/job/health/node_health_page.h"
#include "report/job/html_text.h"
#include "report/job/job_around_text.h"
#include "report/job/job_known.h"
#include "report/job/job_log_html.h"
#include "report/job/job_nodes_html.h"
#include "report/job/job_nodes_text.h"
#include "report/job/job_page.h"
#include "report/job/job_servers_html.h"
#include "report/job/job_servers_page.h"
#include "report/job/job_stored_page.h"
#include "report/job/provenance/datasets_page.h"
#include "report/job/provenance/ran_with_page.h"
#include "report/job/provenance/sessions_page.h"
#include "report/job/site_text.h"
#include "report/unusual/unusual.h"

#include <math.h>

static const char style[] =
    ":root{color-scheme:light "
    "dark;--fg:#1c2430;--soft:#5b6675;--bg:#fff;--card:#f4f6f9;"
    "--line:#d5dbe3;--heat:#0b4f9e;--warn:#b3420a}\n"
    "@media(prefers-color-scheme:dark){:root{--fg:#e6eaf0;--soft:#9aa6b5;--bg:#12161c;"
    "--card:#1b222b;--line:#343e4b;--heat:#79b8ff;--warn:#ffab70}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:60rem;margin:auto;padding:1rem}"
    "h1{font-size:1.5rem;margin:.5rem 0;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:1.8rem 0 .5rem;border-bottom:1px solid var(--line)}"
    "h3{font-size:1rem;margin:0}\n"
    ".lead{font-size:1.15rem;font-weight:600;margin:.6rem 0}"
    "p,li,pre{overflow-wrap:anywhere}p{margin:.35rem 0}"
    ".note,.soft{color:var(--soft);font-size:.9rem}\n"
    "article{background:var(--card);border:1px solid var(--line);"
    "border-left:4px solid var(--warn);border-radius:4px;padding:.6rem .9rem;"
    "margin:.6rem 0}article.after{border-left-color:var(--line)}\n"
    ".tag{font-family:ui-monospace,monospace;font-size:.85rem;color:var(--warn)}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}"
    "th,td{text-align:left;padding:.25rem .6rem .25rem 0;vertical-align:top;"
    "border-bottom:1px solid var(--line);white-space:nowrap}"
    "thead th{color:var(--soft);font-weight:600}"
    ".num{font-variant-numeric:tabular-nums}"
    "th.num,td.num{text-align:right}th+th,td{padding-left:.3rem}\n"
    "section>h3{margin:1rem 0 .3rem}"
    "svg.bar{width:100%;min-width:4rem;height:.7rem}.bars{width:25%;"
    "vertical-align:middle}.sizes{max-width:44rem;margin-bottom:.8rem}"
    ".files th{white-space:normal;overflow-wrap:anywhere;min-width:min(18rem,38vw)}"
    ".files thead th{min-width:0;overflow-wrap:normal}"
    "@media(max-width:30rem){svg.bar{min-width:1.6rem}.sizes th,.sizes td{"
    "padding-right:.3rem}}"
    ".reads{fill:var(--heat)}.writes{fill:var(--warn)}\n"
    "figure{margin:1rem 0}figcaption{font-size:.9rem}"
    "svg{display:block;width:100%;min-width:34rem}"
    ".heat{fill:none;stroke:var(--heat)}.gap{fill:none;stroke:var(--soft);"
    "stroke-dasharray:2 "
    "3}.row{fill:var(--card);stroke:var(--line);stroke-width:.5}.lab{fill:var(--soft);"
    "font:11px system-ui,sans-serif}\n"
    ".part0{fill:var(--card)}.part1{fill:var(--heat)}.part2{fill:var(--warn);"
    "fill-opacity:.55}.part3{fill:var(--heat);fill-opacity:.45}"
    "rect[class^=part]{stroke:var(--line);stroke-width:.5}"
    "svg.key{display:inline-block;width:.8em;height:.8em;min-width:0;"
    "margin-left:.6em;border:1px solid var(--line)}"
    ".roof{fill:none;stroke:var(--fg);stroke-width:2}.grid{stroke:var(--line);"
    "stroke-width:.5}.dot{fill:var(--heat)}.star{fill:var(--warn);stroke:var(--bg)}"
    "td.fold{white-space:normal;min-width:9rem}\n"
    "pre{white-space:pre;overflow-x:auto;font:.85rem/1.45 ui-monospace,monospace;"
    "background:var(--card);padding:.6rem;border-radius:4px}\n"
    ".yes::marker{content:'\\2713  '}.no::marker{content:'\\2013  '}\n"
    /* Last, so that it counts: paper does not scroll. */
    "@media print{:root{--fg:#000;--soft:#333;--bg:#fff;--card:#fff;--line:#999;"
    "--heat:#444;--warn:#444;color-scheme:light}main{max-width:none;padding:0}"
    "body{font-size:10pt}figure,article,tr{break-inside:avoid}"
    "h2,h3{break-after:avoid}.wide{overflow:visible}table{font-size:7.5pt}"
    "th,td{padding-right:.3rem}thead th{white-space:normal;vertical-align:bottom}"
    ".files th{min-width:0}svg{min-width:0}"
    "svg:not(.bar){print-color-adjust:exact}.part3{fill-opacity:.2}pre{white-space:pre-"
    "wrap;font-size:7pt;"
    "padding:0}}\n";

/* A paragraph a line; class_name of the first, NULL: none. */
static void paragraphs(const struct strbuf *text, const char *class_name,
                       struct strbuf *out)
{
    struct span rest = strbuf_span(text), line;
    while (rest.size > 0) {
        (void)span_cut(&rest, '\n', &line);
        if (line.size == 0)
            continue;
        html_element(out, "p", class_name, line);
        class_name = NULL;
    }
}

static void section_of(const char *title, const struct strbuf *text, struct strbuf *out)
{
    struct span body = strbuf_span(text);
    while (body.size > 0 && body.data[0] == '\n')
        body = (struct span){ body.data + 1, body.size - 1 };
    if (body.size == 0)
        return;
    html_element(out, "h2", NULL, span_of(title));
    html_lines(out, body);
}

/* ---- head ---- */

static const struct job_identity *identity_of(const struct job_assessment *a)
{
    if (a->record)
        return a->record;
    return a->comparison.count > 0 ? &a->comparison.jobs[0].identity : NULL;
}

static void html_title(const struct job_assessment *a, struct strbuf *ret)
{
    const struct job_identity *who = identity_of(a);
    if (who && who->id)
        strbuf_addf(ret, "Job %s", who->id);
    else if (a->has_run)
        strbuf_addf(ret, "Job %lld", (long long)a->run.jobid);
    else
        strbuf_adds(ret, "Job");
    if (who && who->cluster && who->cluster[0])
        strbuf_addf(ret, " on %s", who->cluster);
    if (a->has_run)
        strbuf_addf(ret, ": %s", a->run.program);
}

static void html_head(const struct job_assessment *a, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf title = STRBUF_INIT;
    html_title(a, &title);
    strbuf_adds(
        out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, "
             "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
             "content=\"" JOB_HTML_POLICY "\">\n<meta name=\"referrer\" "
             "content=\"no-referrer\">\n");
    html_element(out, "title", NULL, strbuf_span(&title));
    strbuf_addf(out, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
    html_element(out, "h1", NULL, strbuf_span(&title));
}

static void html_who(const struct job_assessment *a, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct job_identity *who = identity_of(a);
    if (a->has_run)
        job_page_print_who(a, &text);
    if (who && who->start_ns != JOB_TIME_NONE)
        job_record_print(who, &text);
    site_application_print(a->site, &text);
    paragraphs(&text, "soft", out);
}

static void html_result(const struct job_assessment *a, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf sentence = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf io = STRBUF_INIT;
    struct job_headline all[JOB_HEADLINES_MAX];
    bool has_first = job_headline_first(all, job_headlines(a, all)) != NULL;
    if (a->has_run)
        job_page_print_sentence(a, &sentence);
    else
        job_sentence_print(a, &sentence);
    if (a->has_run)
        job_page_print_io(a, &io);
    /* As on the page of text: what explains the sentence comes before it. */
    if (!has_first)
        paragraphs(&io, NULL, out);
    paragraphs(&sentence, "lead", out);
    if (has_first)
        paragraphs(&io, NULL, out);
}

/* ---- findings ---- */

static void cost_paragraph(const struct cost *cost, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (!cost_is_known(cost))
        return;
    strbuf_adds(&text, "It cost ");
    cost_print(cost, &text);
    strbuf_adds(&text, " of the run.");
    html_element(out, "p", NULL, strbuf_span(&text));
}

static void finding_article(const struct finding *f, bool is_little, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf evidence = STRBUF_INIT;
    bool is_after = f->because || finding_is_usual(f);
    strbuf_adds(out, is_after ? "<article class='after'>" : "<article>");
    html_element(out, "span", "tag", span_of(f->name));
    finding_print_text(f, &text);
    html_element(out, "h3", NULL, strbuf_span(&text));
    finding_print_evidence(f, &evidence);
    html_element(out, "p", "soft", strbuf_span(&evidence));
    strbuf_clear(&evidence);
    finding_print_rate(f, &evidence);
    html_element(out, "p", "soft", strbuf_span(&evidence));
    strbuf_clear(&text);
    if (f->because)
        strbuf_addf(&text, "It follows from %s.", f->because);
    if (f->because)
        html_element(out, "p", NULL, strbuf_span(&text));
    else
        cost_paragraph(&f->cost, out);
    if (finding_advice(f) && !is_little)
        html_element(out, "p", NULL, span_of(finding_advice(f)));
    strbuf_adds(out, "</article>\n");
}

static void node_article(const struct footprint_finding *f, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf more = STRBUF_INIT;
    strbuf_adds(out, "<article>");
    html_element(out, "span", "tag", span_of(footprint_kind_name(f->kind)));
    footprint_finding_print(f, &text);
    strbuf_addc(&text, '.');
    html_element(out, "h3", NULL, strbuf_span(&text));
    job_node_more_print(f, &more);
    paragraphs(&more, NULL, out);
    strbuf_adds(out, "</article>\n");
}

static void html_findings(const struct job_assessment *a, struct strbuf *out)
{
    struct job_headline headlines[JOB_HEADLINES_MAX];
    size_t count = job_headlines(a, headlines);
    if (count == 0)
        return;
    strbuf_adds(out, "<section><h2>Findings</h2>\n");
    for (size_t i = 0; i < count; i++)
        if (headlines[i].node)
            node_article(headlines[i].node, out);
        else
            finding_article(headlines[i].finding, headlines[i].is_little, out);
    strbuf_adds(out, "</section>\n");
}

/* ---- the rest ---- */

static void html_work(const struct job_assessment *a, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (!a->has_run || a->run.doubt)
        return;
    job_page_print_work(a, &text);
    strbuf_adds(out, "<section><h2>What it did</h2>\n");
    paragraphs(&text, NULL, out);
    strbuf_adds(out, "</section>\n");
    if (a->work)
        job_log_work_html(a->work, out);
    if (a->heat)
        job_log_heat_html(a->heat, out);
}

static void html_around(const struct job_assessment *a, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (a->comparison.count == 0)
        return;
    job_around_print(&a->comparison,
                     a->servers && (!a->has_run || job_servers_has_share(a->servers)),
                     &text);
    job_class_print(&a->comparison, &text);
    section_of("What was around it", &text, out);
}

/* What the page of text has, and no more: whom it is hidden from sees counts here, too.
 */
static void html_recorded(const struct job_assessment *a, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf health = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf sessions = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf datasets = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf ran_with = STRBUF_INIT;
    if (a->comparison.count == 0)
        return;
    const struct job_context *context = &a->comparison.jobs[0];
    node_health_print(&context->node_health, &health);
    section_of("Health of its nodes", &health, out);
    sessions_list_print(&context->sessions, &sessions);
    section_of("Sessions", &sessions, out);
    datasets_list_print(&context->datasets, &datasets);
    section_of("Datasets", &datasets, out);
    ran_with_print(&context->ran_with, &ran_with);
    section_of("What it ran with", &ran_with, out);
}

static void html_known(const struct job_assessment *a, struct strbuf *out)
{
    struct job_known list[JOB_KNOWN_MAX];
    size_t count = job_known_list(a, list);
    strbuf_adds(out, "<section><h2>Evidence</h2><ul>\n");
    for (size_t i = 0; i < count; i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        strbuf_addf(&text, "%s%s", list[i].text, list[i].is_found ? "" : ": not found");
        if (list[i].reason)
            strbuf_addf(&text, " (%s)", list[i].reason);
        html_element(out, "li", list[i].is_found ? "yes" : "no", strbuf_span(&text));
    }
    strbuf_adds(out, "</ul></section>\n");
}

void job_html_print(const struct job_assessment *a, struct strbuf *out)
{
    html_head(a, out);
    html_who(a, out);
    html_result(a, out);
    html_findings(a, out);
    site_html(a->site, out);
    html_work(a, out);
    job_nodes_html(a->nodes, out);
    if (a->servers)
        job_servers_html(a->servers, a->has_run ? &a->run : NULL, out);
    html_around(a, out);
    html_recorded(a, out);
    html_known(a, out);
    strbuf_adds(out, "</main>\n</body>\n</html>\n");
}
