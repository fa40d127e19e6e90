/* SPDX-License-Identifier: Apache-2.0 */
/* test_metrics_page - every counter of metrics.list is on GET /metrics, and counts. */
#include "base/file.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "daemon/test/house.h"

#define STORE "[store]\ndirectory = none\n[metric load]\nstep = 10s\n"

static struct house house;

static void has(const char *part)
{
    if (!strstr(strbuf_text(&house.response.body), part))
        fail_msg("'%s' is not in:\n%s", part, strbuf_text(&house.response.body));
}

static void start(const char *name)
{
    struct err err = { 0 };
    house_load(&house, scratch_path(name), STORE);
    int rc = house_start(&house, &err);
    if (rc < 0)
        fail_msg("%s: %d %s", name, rc, err.text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static void every_metric_has_a_type_a_text_and_a_value(void **state)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    struct span rest, line;
    size_t count = 0;
    (void)state;
    assert_int_equal(file_read(METRICS_LIST, 1 << 20, &list, NULL), 0);
    start("list");
    assert_int_equal(house_get(&house, "/metrics"), 200);
    rest = strbuf_span(&list);
    while (span_cut(&rest, '\n', &line) && line.size > 0) {
        char want[160];
        struct span name;
        (void)snprintf(want, sizeof want, "\n# TYPE " SPAN_FMT "\n", SPAN_ARG(line));
        has(want);
        (void)span_cut(&line, ' ', &name);
        (void)snprintf(want, sizeof want, "# HELP " SPAN_FMT " ", SPAN_ARG(name));
        has(want);
        /* Its value, or one of each account. */
        (void)snprintf(want, sizeof want, "\n" SPAN_FMT, SPAN_ARG(name));
        has(want);
        count++;
    }
    /* A new one belongs into the list. */
    assert_int_equal(count_of(strbuf_text(&house.response.body), "# TYPE "), count);
    house_stop(&house);
}

static void what_was_submitted_is_counted_by_its_kind(void **state)
{
    (void)state;
    start("count");
    (void)house_post(&house, "/v1/jobs", "application/x-ndjson",
                     "{\"cluster\":\"c\",\"id\":\"7\",\"user\":\"u\","
                     "\"start\":1767225600,\"nodes\":\"n1\",\"state\":\"RUNNING\"}\n"
                     "{\"cluster\":\"c\"}\n");
    (void)house_post(&house, "/v1/jobs", "application/x-ndjson",
                     "{\"cluster\":\"c\",\"id\":\"7\",\"user\":\"u\","
                     "\"start\":1767225600,\"nodes\":\"n1\",\"state\":\"RUNNING\"}\n");
    assert_int_equal(house_post(&house, "/api/write", "text/plain",
                                "load,cluster=c,hostname=h,type=node value=1\n"
                                "load,cluster=c,type=node value=1\nwhat\n"),
                     200);
    assert_int_equal(house_get(&house, "/metrics"), 200);
    static const char *const lines[] = {
        "\nbaro_ingest_jobs_bodies_total 2\n",
        "\nbaro_ingest_jobs_failed_total 0\n",
        "\nbaro_ingest_jobs_accepted_total 1\n",
        "\nbaro_ingest_jobs_changed_total 0\n",
        "\nbaro_ingest_jobs_duplicate_total 1\n",
        "\nbaro_ingest_jobs_refused_total 1\n",
        "\nbaro_ingest_metric_requests_total 1\n",
        "\nbaro_ingest_metric_requests_failed_total 0\n",
        "\nbaro_ingest_metric_lines_total 3\n",
        "\nbaro_ingest_metric_lines_bad_total 2\n",
        "\nbaro_ingest_metric_lines_unaddressed_total 1\n",
        "\nbaro_ingest_metric_samples_total 1\n",
        "\nbaro_records_connected 1\n",
        "\nbaro_records_healthy 1\n",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        has(lines[i]);
    house_stop(&house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_has_a_type_a_text_and_a_value),
        cmocka_unit_test(what_was_submitted_is_counted_by_its_kind),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
