/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_html - one job as one HTML page. */
#include "base/number.h"
#include "base/test/testing.h"
#include "report/job/job_html.h"

#include <math.h>
#include <string.h>

#define HOSTILE "<img src=x onerror='alert(1)'>\"&"

static const double busy[] = { 70, 71, 72, 70 };
static const double idle[] = { 70, 0, 0, NAN };

struct fixture {
    struct job_assessment a;
    struct node_samples_row rows[2];
    struct node_samples_metric metric;
    struct footprint_metric over;
    const char *hosts[2];
};

static struct fixture *fixture_new(void)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    struct job_context *job = &f->a.comparison.jobs[0];
    job_context_init(job);
    f->a.comparison.count = 1;
    f->a.nodes = &job->nodes;
    f->a.record = &job->identity;
    return f;
}

static void fixture_free(struct fixture *f)
{
    job_context_done(&f->a.comparison.jobs[0]);
    free(f);
}

static void record_fill(struct fixture *f, const char *word)
{
    struct job_identity *who = &f->a.comparison.jobs[0].identity;
    who->id = who->cluster = who->user = who->account = word;
    who->partition = who->state = who->nodes = word;
    who->start_ns = INT64_C(1500000000) * NS_PER_S;
    who->end_ns = INT64_C(1500000240) * NS_PER_S;
}

static void nodes_fill(struct fixture *f, const char *word)
{
    struct job_nodes *nodes = &f->a.comparison.jobs[0].nodes;
    f->hosts[0] = word;
    f->hosts[1] = "c02";
    f->rows[0] = (struct node_samples_row){ .host = 0, .device = word, .values = busy };
    f->rows[1] = (struct node_samples_row){ .host = 1, .device = "", .values = idle };
    f->metric = (struct node_samples_metric){
        .name = word, .unit = word, .rows = f->rows, .row_count = 2
    };
    f->over = (struct footprint_metric){ .name = word,
                                         .unit = word,
                                         .rows = 2,
                                         .median = 47,
                                         .low = 35,
                                         .high = 59,
                                         .deviation = 23,
                                         .lowest = "c02",
                                         .highest = word,
                                         .lowest_value = 23.3,
                                         .highest_value = 70.75 };
    nodes->samples = (struct node_samples){ .from_ns = INT64_C(1500000000) * NS_PER_S,
                                            .to_ns = INT64_C(1500000240) * NS_PER_S,
                                            .window_ns = 60 * NS_PER_S,
                                            .window_count = 4,
                                            .hosts = f->hosts,
                                            .host_count = 2,
                                            .metrics = &f->metric,
                                            .metric_count = 1 };
    nodes->footprint = (struct footprint){
        .hosts = 2, .observed = 2, .metrics = &f->over, .metric_count = 1
    };
    nodes->is_observed = true;
}

static size_t count_of(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

static void words_from_outside_cannot_become_elements(void **state)
{
    struct fixture *f = fixture_new();
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    record_fill(f, HOSTILE);
    nodes_fill(f, HOSTILE);
    f->a.nodes = &f->a.comparison.jobs[0].nodes;
    f->a.comparison.jobs[0].weather_refused = HOSTILE;
    job_html_print(&f->a, &out);
    assert_int_equal(strbuf_error(&out), 0);
    assert_int_equal(count_of(strbuf_text(&out), "<img"), 0);
    assert_true(count_of(strbuf_text(&out), "&lt;img") >= 6);
    fixture_free(f);
}

static void nothing_is_loaded_from_elsewhere(void **state)
{
    static const char *const never[] = { "<script", "src=",  "href=",   "url(",
                                         "@import", "<link", "<iframe", "onload" };
    struct fixture *f = fixture_new();
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    record_fill(f, "4711");
    nodes_fill(f, "cpu_load");
    job_html_print(&f->a, &out);
    for (size_t i = 0; i < COUNT_OF(never); i++)
        assert_null(strstr(strbuf_text(&out), never[i]));
    assert_non_null(strstr(strbuf_text(&out), "content=\"default-src 'none'; "));
    fixture_free(f);
}

static void a_page_has_sentence_nodes_and_evidence(void **state)
{
    struct fixture *f = fixture_new();
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    record_fill(f, "4711");
    nodes_fill(f, "cpu_load");
    f->a.comparison.jobs[0].servers_refused = "no rows of it";
    job_html_print(&f->a, &out);
    const char *text = strbuf_text(&out);
    assert_int_equal(strncmp(text, "<!DOCTYPE html>\n", 16), 0);
    assert_non_null(strstr(text, "<title>Job 4711 on 4711</title>"));
    assert_non_null(strstr(text, "<p class='lead'>Nothing stands out in metrics of its "
                                 "nodes.</p>"));
    assert_non_null(strstr(text, "<td class='num'>23.3 cpu_load on c02</td>"));
    assert_non_null(strstr(text, "<svg "));
    assert_non_null(strstr(text, "<li class='yes'>metrics of its nodes</li>"));
    assert_non_null(strstr(
        text, "<li class='no'>rows of jobstats: not found (no rows of it)</li>"));
    assert_int_equal(count_of(text, "<section"), count_of(text, "</section>"));
    fixture_free(f);
}

static void a_record_alone_has_no_sections_of_what_is_not_known(void **state)
{
    struct fixture *f = fixture_new();
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    record_fill(f, "4711");
    job_html_print(&f->a, &out);
    assert_null(strstr(strbuf_text(&out), "<svg"));
    assert_null(strstr(strbuf_text(&out), "<h2>Findings"));
    assert_non_null(strstr(strbuf_text(&out),
                           "Only the batch system&#39;s record is known of it."));
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_from_outside_cannot_become_elements),
        cmocka_unit_test(nothing_is_loaded_from_elsewhere),
        cmocka_unit_test(a_page_has_sentence_nodes_and_evidence),
        cmocka_unit_test(a_record_alone_has_no_sections_of_what_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
