/* SPDX-License-Identifier: Apache-2.0 */
/* test_finding_rate_text - how often a finding is false, in words and as JSON. */
#include "base/test/testing.h"
#include "report/unusual/unusual.h"

static const struct {
    struct finding_rate rate;
    const char *text, *json;
} cases[] = {
    { { "idle-node", FINDING_RATE_HEALTHY, 1000, 0.4 },
      "False alarms: 0.4 % of 1000 healthy jobs (simulated)",
      "{\"false_alarms\":{\"percent\":0.4,\"jobs\":1000,\"basis\":\"healthy-jobs\"}}" },
    { { "idle-node", FINDING_RATE_HEALTHY, 1000, 0 },
      "False alarms: 0 % of 1000 healthy jobs (simulated)",
      "{\"false_alarms\":{\"percent\":0,\"jobs\":1000,\"basis\":\"healthy-jobs\"}}" },
    { { "contention", FINDING_RATE_CLIMATE, 3003, 1.66 },
      "False alarms: 1.66 % of 3003 SC18 runs with other weather",
      "{\"false_alarms\":{\"percent\":1.66,\"jobs\":3003,"
      "\"basis\":\"other-weather-climate\"}}" },
    { { NULL, FINDING_RATE_HEALTHY, 0, 0 },
      "False alarms: not measured",
      "{\"false_alarms\":null}" },
};

static void a_rate_has_its_jobs_and_what_they_were(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
        const struct finding_rate *rate = cases[i].rate.name ? &cases[i].rate : NULL;
        struct json_writer w;
        finding_rate_print(rate, &text);
        assert_string_equal(strbuf_text(&text), cases[i].text);
        json_writer_init(&w, &json);
        json_object(&w);
        finding_rate_json(rate, &w);
        json_object_end(&w);
        assert_string_equal(strbuf_text(&json), cases[i].json);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_has_its_jobs_and_what_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
