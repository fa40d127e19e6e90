/* SPDX-License-Identifier: Apache-2.0 */
/* site_text - findings and application of a job by rules of the site. */
#include "report/job/site_text.h"

#include "base/span.h"
#include "model/model.h"
#include "report/job/finding_json.h"
#include "report/job/html_text.h"
#include "report/unusual/unusual.h"

/* "its executable" */
static const char *const evidence_words[APPLICATION_EVIDENCE_COUNT] = {
    [APPLICATION_EXECUTABLE] = "its executable", [APPLICATION_COMMAND] = "its command",
    [APPLICATION_SCRIPT] = "its script",         [APPLICATION_LIBRARY] = "its use of",
    [APPLICATION_JOB_NAME] = "the job's name",
};

static void application_words(const struct application_match *m, struct strbuf *out)
{
    const char *between = ", by ";
    strbuf_adds(out, m->name);
    for (int e = 0; e < APPLICATION_EVIDENCE_COUNT; e++) {
        if (!m->by[e].value)
            continue;
        strbuf_addf(out, "%s%s ", between, evidence_words[e]);
        entry_id_print(out, span_of(m->by[e].value));
        between = " and ";
    }
}

void site_application_print(const struct site_report *report, struct strbuf *out)
{
    if (!report || !report->application.name)
        return;
    strbuf_adds(out, "Application: ");
    application_words(&report->application, out);
    strbuf_adds(out, ".\n");
}

/* The next one that is shown, from *at on; NULL: none is left. */
static const struct site_result *shown_next(const struct site_report *report,
                                            size_t *at)
{
    while (report && *at < report->count) {
        const struct site_result *r = &report->results[(*at)++];
        if (site_result_is_shown(r))
            return r;
    }
    return NULL;
}

bool site_first_print(const struct site_report *report, struct strbuf *out)
{
    size_t at = 0;
    const struct site_result *r = shown_next(report, &at);
    if (r)
        strbuf_addf(out, "%s: %s", r->rule->name, r->sentence);
    return r != NULL;
}

/* How often a site's finding is false is for the site to know: a trial counts how often
 * it is made. */
static void tried_print(const struct site_rule *rule, struct strbuf *out)
{
    finding_rate_print(NULL, out);
    if (rule->tried_jobs > 0)
        strbuf_addf(out, "; on trial %llu of %llu past jobs had it",
                    (unsigned long long)rule->tried_made,
                    (unsigned long long)rule->tried_jobs);
}

void site_findings_print(const struct site_report *report, struct strbuf *out)
{
    const struct site_result *r;
    for (size_t at = 0; (r = shown_next(report, &at));) {
        strbuf_addf(out, "%-17s %s (%s of the site)\n", r->rule->name, r->sentence,
                    site_severity_name(r->rule->severity));
        if (r->rule->advice)
            strbuf_addf(out, "%-17s %s\n", "", r->rule->advice);
        if (r->rule->link)
            strbuf_addf(out, "%-17s %s\n", "", r->rule->link);
        strbuf_addf(out, "%-17s ", "");
        tried_print(r->rule, out);
        strbuf_addc(out, '\n');
    }
}

void site_names_print(const struct site_report *report, struct strbuf *out)
{
    const struct site_result *r;
    const char *between = "; ";
    for (size_t at = 0; (r = shown_next(report, &at)); between = ", ")
        strbuf_addf(out, "%s%s", between, r->rule->name);
}

/* ---- JSON ---- */

static void application_json(const struct application_match *m, struct json_writer *w)
{
    json_key(w, "application");
    if (!m || !m->name) {
        json_null(w);
        return;
    }
    json_object(w);
    json_key(w, "name");
    json_text(w, m->name);
    json_key(w, "by");
    json_object(w);
    for (int e = 0; e < APPLICATION_EVIDENCE_COUNT; e++) {
        if (!m->by[e].value)
            continue;
        json_key(w, application_evidence_name((enum application_evidence)e));
        json_object(w);
        job_text_json(w, "value", m->by[e].value);
        job_text_json(w, "pattern", m->by[e].pattern);
        json_object_end(w);
    }
    json_object_end(w);
    json_object_end(w);
}

static void tried_json(const struct site_rule *rule, struct json_writer *w)
{
    json_key(w, "tried");
    if (rule->tried_jobs == 0) {
        json_null(w);
        return;
    }
    json_object(w);
    json_key(w, "made");
    json_u64(w, rule->tried_made);
    json_key(w, "jobs");
    json_u64(w, rule->tried_jobs);
    json_object_end(w);
}

void site_json(const struct site_report *report, struct json_writer *w)
{
    const struct site_result *r;
    application_json(report ? &report->application : NULL, w);
    json_key(w, "site_findings");
    json_array(w);
    for (size_t at = 0; (r = shown_next(report, &at));) {
        const struct site_rule *rule = r->rule;
        const struct {
            const char *key, *text;
        } texts[] = { { "name", rule->name },
                      { "severity", site_severity_name(rule->severity) },
                      { "sentence", r->sentence },
                      { "advice", rule->advice },
                      { "link", rule->link },
                      { "condition", rule->condition_text } };
        json_object(w);
        for (size_t i = 0; i < COUNT_OF(texts); i++) {
            json_key(w, texts[i].key);
            json_text(w, texts[i].text);
        }
        finding_rate_json(NULL, w);
        tried_json(rule, w);
        json_object_end(w);
    }
    json_array_end(w);
}

/* ---- HTML ---- */

static void link_html(const char *link, struct strbuf *out)
{
    strbuf_adds(out, "<p><a rel='noreferrer noopener' href='");
    html_add_escaped(out, span_of(link));
    strbuf_adds(out, "'>");
    html_add_escaped(out, span_of(link));
    strbuf_adds(out, "</a></p>");
}

void site_html(const struct site_report *report, struct strbuf *out)
{
    const struct site_result *r;
    if (!report || report->active_count == 0)
        return;
    strbuf_adds(out, "<section><h2>Findings of the site</h2>\n");
    for (size_t at = 0; (r = shown_next(report, &at));) {
        bool is_info = r->rule->severity == SITE_INFO;
        strbuf_adds(out, is_info ? "<article class='after'>" : "<article>");
        html_element(out, "span", "tag", span_of(r->rule->name));
        html_element(out, "h3", NULL, span_of(r->sentence));
        if (r->rule->advice)
            html_element(out, "p", NULL, span_of(r->rule->advice));
        if (r->rule->link)
            link_html(r->rule->link, out);
        AUTO(strbuf_done) struct strbuf tried = STRBUF_INIT;
        tried_print(r->rule, &tried);
        html_element(out, "p", "soft", strbuf_span(&tried));
        strbuf_adds(out, "</article>\n");
    }
    strbuf_adds(out, "</section>\n");
}
