/* SPDX-License-Identifier: Apache-2.0 */
/* test_study_page - a study as an HTML page with its pictures, in a directory. */
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "report/study_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAY_NS (86400 * NS_PER_S)
#define BEGIN_NS (INT64_C(1500000000) * NS_PER_S)
#define RUNS 12

static char scratch[64];

static int scratch_make(void **state)
{
    (void)state;
    (void)snprintf(scratch, sizeof scratch, "/tmp/baro-study.XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int scratch_remove(void **state)
{
    static const char *const names[] = { "index.html", "quantiles.svg",
                                         "correlations.svg", "contributors.svg",
                                         "timeline-1.svg" };
    char path[256];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)snprintf(path, sizeof path, "%s/deep/page/%s", scratch, names[i]);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "%s/file", scratch);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/deep/page", scratch);
    (void)rmdir(path);
    (void)snprintf(path, sizeof path, "%s/deep", scratch);
    (void)rmdir(path);
    return rmdir(scratch);
}

static void file_load(const char *name, struct strbuf *ret)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/deep/page/%s", scratch, name);
    strbuf_clear(ret);
    assert_int_equal(file_read(path, 1 << 20, ret, NULL), 0);
}

static void has(struct strbuf *page, const char *part)
{
    if (!strstr(strbuf_text(page), part))
        fail_msg("there is no '%s' in:\n%s", part, strbuf_text(page));
}

static void has_not(struct strbuf *page, const char *part)
{
    if (strstr(strbuf_text(page), part))
        fail_msg("there is '%s' in:\n%s", part, strbuf_text(page));
}

static const char *remarks[] = { "bestest: of another figure",
                                 "best:  the <second> one is meant" };
static const struct mapping mapping = {
    .title = "A year of <IOR> & \x01 more",
    .short_ns = 10 * DAY_NS,
    .long_ns = 49 * DAY_NS,
    .p_region = 0.05,
    .p_contributor = 0.1,
    .remarks = { .items = remarks, .count = COUNT_OF(remarks) },
};

static struct run run[RUNS];
static struct run_set run_sets[] = {
    { .name = "ior", .group = "ior", .best = 1, .count = RUNS }
};
static struct study_set sets[] = { { &run_sets[0], 0.1, 0.2, 0.3, 0.4, 0.5, 2 } };
static struct study_count summary[] = { { "rows", 14 }, { "no time", 2 } };
static struct study_correlation correlations[] = { { "all", "load", { 9, 0.5, 0.01 } },
                                                   { "ior", "load", { 9, NAN, NAN } } };
static struct study_region regions[] = {
    { "ior", BEGIN_NS, BEGIN_NS + 9 * DAY_NS, 7, "load", { 7, -0.98765, 0.00123 } }
};

static void study_fill(struct study *study, struct runs *runs)
{
    for (size_t i = 0; i < RUNS; i++)
        run[i] = (struct run){ .t_ns = BEGIN_NS + (int64_t)i * 5 * DAY_NS,
                               .clock_ns = BEGIN_NS + (int64_t)i * 5 * DAY_NS,
                               .raw = i < 6 ? 0.9 : 0.2,
                               .fraction = i < 6 ? 0.9 : 0.2,
                               .best = 1,
                               .id = "" };
    *runs = (struct runs){ .runs = run,
                           .count = RUNS,
                           .sets = run_sets,
                           .set_count = 1,
                           .rows = 14,
                           .bad_rows = 2,
                           .fault_count = 1 };
    (void)snprintf(runs->faults[0], sizeof runs->faults[0], "a.csv:2: no <time>\xff");
    *study = (struct study){ .mapping = &mapping,
                             .runs = runs,
                             .summary = summary,
                             .summary_count = COUNT_OF(summary),
                             .sets = sets,
                             .correlations = correlations,
                             .correlation_count = COUNT_OF(correlations),
                             .regions = regions,
                             .region_count = COUNT_OF(regions),
                             .contributors = { { "a", "load", 10, 5, 0.5, 0.001 } },
                             .contributor_count = 1 };
}

static void page_write(const struct study *study, struct strbuf *ret)
{
    char dir[128];
    (void)snprintf(dir, sizeof dir, "%s/deep/page", scratch);
    assert_int_equal(study_page_write(study, dir, NULL), 0);
    file_load("index.html", ret);
}

static void a_page_has_words_tables_and_its_pictures(void **state)
{
    static const char *const pictures[] = { "quantiles.svg", "timeline-1.svg",
                                            "correlations.svg", "contributors.svg" };
    static struct study study;
    static struct runs runs;
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf picture = STRBUF_INIT;
    (void)state;
    study_fill(&study, &runs);
    page_write(&study, &page);
    has(&page, "<title>A year of &lt;IOR> &amp;   more</title>");
    has(&page, "<h1>A year of &lt;IOR> &amp;   more</h1>");
    has(&page, "<p>12 observations in 1 sets of comparable runs, out of 14 rows. ");
    has(&page, "<thead><tr><th scope='col'>what</th><th scope='col' class='n'>count"
               "</th></tr></thead>\n"
               "<tr><td>rows</td><td class='n'>14</td></tr>\n"
               "<tr><td>no time</td><td class='n'>2</td></tr>\n</table>");
    has(&page, "<ul class='faults'>\n<li>a.csv:2: no &lt;time>");
    has(&page, "(p &lt; 0.05): 1.</p>");
    has(&page, "<tr><td>ior</td><td class='n'>2017-07-14</td>"
               "<td class='n'>2017-07-23</td><td class='n'>7</td><td>load</td>"
               "<td class='n'>7</td><td class='n'>-0.988</td>"
               "<td class='n'>0.00123</td></tr>");
    /* In the page as in its own file. */
    const char *at = strbuf_text(&page);
    for (size_t i = 0; i < COUNT_OF(pictures); i++) {
        file_load(pictures[i], &picture);
        const char *found = strstr(at, strbuf_text(&picture));
        if (!found) {
            fail_msg("%s is not in its place", pictures[i]);
            return;
        }
        at = found;
    }
    has_not(&page, "What was published");
    has_not(&page, "groups the");
    assert_string_equal(page.data + page.size - 16, "</body>\n</html>\n");
}

static void published_figures_stand_beside_ours(void **state)
{
    static struct study study;
    static struct runs runs;
    struct study_expected expected[] = {
        { span_of("runs"), "12", "12", true },
        { span_of("best"), "3.5", "3.4", false },
        { span_of("worst"), "1", "2", false },
    };
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    (void)state;
    study_fill(&study, &runs);
    study.expected = expected;
    study.expected_count = COUNT_OF(expected);
    study.expected_unlike = 2;
    study.contributor_count = study.region_count = 0;
    page_write(&study, &page);
    has(&page, "<p>1 of 3 published figures follow from these data");
    has(&page, "<tr><td>runs</td><td class='n'>12</td><td class='n'>12</td><td></td>"
               "</tr>\n"
               "<tr class='unlike'><td>best</td><td class='n'>3.5</td>"
               "<td class='n'>3.4</td><td>does not follow. the &lt;second> one is meant"
               "</td></tr>\n"
               "<tr class='unlike'><td>worst</td><td class='n'>1</td>"
               "<td class='n'>2</td><td>does not follow. </td></tr>\n");
    has(&page, "(p &lt; 0.05): 0.</p>");
    has_not(&page, "-0.988");
    has_not(&page, "What was worst");
}

static void a_study_without_a_run_has_nothing_to_draw(void **state)
{
    static struct runs runs = { .rows = 3 };
    static struct study study;
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    (void)state;
    study = (struct study){ .mapping = &mapping, .runs = &runs };
    page_write(&study, &page);
    has(&page, "<p>No row is a run: there is nothing to draw.</p>");
    has_not(&page, "<svg");
    has_not(&page, "<h2>What is normal");
}

static void what_cannot_be_written_is_an_error(void **state)
{
    static struct study study;
    static struct runs runs;
    char path[128];
    struct err err = { 0 };
    (void)state;
    study_fill(&study, &runs);
    (void)snprintf(path, sizeof path, "%s/file", scratch);
    assert_int_equal(file_replace(path, "x", 1, 0600, NULL), 0);
    assert_int_equal(study_page_write(&study, path, &err), -ENOTDIR);
    assert_non_null(strstr(err.text, path));
    (void)snprintf(path, sizeof path, "%s/file/below", scratch);
    assert_int_equal(study_page_write(&study, path, &err), -ENOTDIR);
    /* A picture cannot be replaced: no page says that it is there. */
    (void)snprintf(path, sizeof path, "%s/deep/page/quantiles.svg", scratch);
    (void)unlink(path);
    assert_int_equal(file_make_dirs(path, 0755, NULL), 0);
    (void)snprintf(path, sizeof path, "%s/deep/page", scratch);
    err.text[0] = '\0';
    assert_int_equal(study_page_write(&study, path, &err), -EISDIR);
    assert_non_null(strstr(err.text, "quantiles.svg"));
    (void)snprintf(path, sizeof path, "%s/deep/page/quantiles.svg", scratch);
    assert_int_equal(rmdir(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_words_tables_and_its_pictures),
        cmocka_unit_test(published_figures_stand_beside_ours),
        cmocka_unit_test(a_study_without_a_run_has_nothing_to_draw),
        cmocka_unit_test(what_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
