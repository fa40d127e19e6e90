/* SPDX-License-Identifier: Apache-2.0 */
/* test_past_health - the health that hosts had: of a database with a short history. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"
#include "query/health/health.h"

#define NOW_MS INT64_C(1700000000000)
#define T(s) ((NOW_MS / MS_PER_S - 1000 + (s)) * NS_PER_S)

static struct resource_statement stated(const char *component, const char *source,
                                        enum resource_health health, const char *reason,
                                        int64_t t_ns)
{
    return (struct resource_statement){ .component = span_of(component),
                                        .source = span_of(source),
                                        .reason = span_of(reason),
                                        .health = health,
                                        .t_ns = t_ns };
}

static int print_host(void *arg, const struct past_health *h)
{
    struct strbuf *out = arg;
    strbuf_addf(out, "%zu %s ", h->time, h->host);
    if (h->is_known)
        strbuf_addf(out, "%s " SPAN_FMT, resource_health_name(h->health),
                    SPAN_ARG(h->reason));
    else
        strbuf_addc(out, '-');
    strbuf_addc(out, '\n');
    return 0;
}

static void fill(struct records *records)
{
    const struct resource_statement statements[] = {
        stated("alex/a1", "system:ping", RESOURCE_UP, "", T(0)),
        stated("alex/a2", "system:ping", RESOURCE_UP, "", T(0)),
        stated("alex/a10", "system:ping", RESOURCE_DOWN, "another host", T(0)),
        stated("alex/a2/dimm:0", "system:edac", RESOURCE_DEGRADED, "14 errors", T(50)),
        stated("alex/a1", "system:ping", RESOURCE_DOWN, "no response", T(150)),
        stated("alex/a1", "system:ping", RESOURCE_UP, "", T(300)),
    };
    for (size_t i = 0; i < COUNT_OF(statements); i++) {
        struct records_submission submission;
        struct err err = { 0 };
        if (records_put_resources(records, &statements[i], 1, NOW_MS, &submission,
                                  &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(submission.accepted + submission.changed, 1);
    }
}

static void what_was_stated_until_then_counts(void **state)
{
    AUTO(records_close) struct records *records = NULL;
    AUTO(records_reader_close) struct records_reader *reader = NULL;
    AUTO(hostset_free) struct hostset *hosts = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(config_free) struct config *config = NULL;
    const struct config_section sections[] = { records_config_section,
                                               site_config_section };
    struct site *site = NULL;
    struct records_opts opts;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(config_parse("test", (struct span){ NULL, 0 }, sections,
                                  COUNT_OF(sections), &config, &err),
                     0);
    assert_int_equal(site_new(config, &site, &err), 0);
    assert_int_equal(config_fill(config, "records", NULL, &opts, &err), 0);
    opts.path = scratch_path("records.db");
    if (records_open(&opts, site, &records, &err) < 0)
        fail_msg("%s", err.text);
    fill(records);
    assert_int_equal(records_reader_open(records, &reader, &err), 0);
    assert_int_equal(hostset_parse(SPAN("a[1-3]"), &hosts, &err), 0);
    const struct past_health_query query = { .cluster = SPAN("alex"),
                                             .hosts = hosts,
                                             .times_ns = { T(10), T(200) },
                                             .time_count = 2 };
    if (past_health_read(reader, &query, print_host, &text, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&text), "0 a1 up \n"
                                            "0 a2 up \n"
                                            "0 a3 -\n"
                                            "1 a1 down no response\n"
                                            "1 a2 degraded 14 errors\n"
                                            "1 a3 -\n");
    site_free(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_stated_until_then_counts),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
