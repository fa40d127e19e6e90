/* SPDX-License-Identifier: Apache-2.0 */
/* test_counters - the agent's counters as text, and the file that has them. */
#include "agent/counters.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"

#include <errno.h>

static void each_counter_is_a_type_and_a_value(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct agent_counters counters = {
        .rounds = { .rounds = 7,
                    .hanging = 2,
                    .reading = { .reads = 9,
                                 .bad_lines = 18,
                                 .read_ns = 2 * (uint64_t)NS_PER_S } },
        .observe = { .rows = 11 },
        .generations = 12,
        .spool = { .records = 13, .lost_entries = UINT64_MAX },
        .sender = { .delivery = { .batches = 14 }, .attempts_failed = 15 },
        .totals = { .readings = 16, .ring = { .sent_bytes = 17 } },
    };
    static const char *const lines[] = {
        "# TYPE baro_agent_rounds_total counter\nbaro_agent_rounds_total 7\n",
        "# TYPE baro_agent_reads_hanging gauge\nbaro_agent_reads_hanging 2\n",
        "\nbaro_agent_reads_total 9\n",
        "\nbaro_agent_bad_lines_total 18\n",
        "\nbaro_agent_read_milliseconds_total 2000\n",
        "\nbaro_observe_rows_total 11\n",
        "# TYPE baro_observe_generations gauge\nbaro_observe_generations 12\n",
        "\nbaro_spool_records 13\n",
        "\nbaro_spool_lost_entries_total 18446744073709551615\n",
        "\nbaro_agent_sent_batches_total 14\n",
        "\nbaro_agent_send_failures_total 15\n",
        "\nbaro_agent_totals_readings_total 16\n",
        "\nbaro_agent_totals_sent_bytes_total 17\n",
    };
    (void)state;
    agent_counters_print(&counters, &text);
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        if (!strstr(strbuf_text(&text), lines[i]))
            fail_msg("%s is not in\n%s", lines[i], strbuf_text(&text));
    assert_null(strstr(strbuf_text(&text), "token_expires"));
}

/* A list of what is printed would say the same twice: each name stands once instead. */
static void no_name_is_printed_twice(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct agent_counters counters = { .token_expires_s = 1 };
    (void)state;
    agent_counters_print(&counters, &text);
    struct span rest = strbuf_span(&text), line;
    size_t count = 0;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        char type[128];
        (void)snprintf(type, sizeof type, SPAN_FMT "\n", SPAN_ARG(line));
        assert_true(span_starts(line, count % 2 ? "baro_" : "# TYPE baro_"));
        const char *first = strstr(strbuf_text(&text), type);
        assert_non_null(first);
        assert_null(strstr(first + 1, type));
        count++;
    }
    assert_true(count > 80);
}

static void the_end_of_a_token_is_seconds_from_now_and_never_negative(void **state)
{
    static const struct {
        int64_t left_s;
        const char *line;
        const char *line_a_second_later;
    } cases[] = {
        { -5, "\nbaro_agent_token_expires_seconds 0\n",
          "\nbaro_agent_token_expires_seconds 0\n" },
        { 5000, "\nbaro_agent_token_expires_seconds 5000\n",
          "\nbaro_agent_token_expires_seconds 4999\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        const struct agent_counters counters = {
            .token_expires_s = clock_now_ns() / NS_PER_S + cases[i].left_s
        };
        agent_counters_print(&counters, &text);
        if (!strstr(strbuf_text(&text), cases[i].line) &&
            !strstr(strbuf_text(&text), cases[i].line_a_second_later))
            fail_msg("%s", strbuf_text(&text));
    }
}

static void the_file_is_replaced_or_left_as_it_was(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf read = STRBUF_INIT;
    const struct strbuf broken = { .error = -ENOMEM };
    const char *path = scratch_path("agent.prom");
    (void)state;
    strbuf_adds(&text, "baro_x 1\n");
    agent_counters_write(path, &text);
    assert_int_equal(file_read(path, 1000, &read, NULL), 0);
    assert_string_equal(strbuf_text(&read), "baro_x 1\n");
    agent_counters_write(path, &broken);
    strbuf_clear(&read);
    assert_int_equal(file_read(path, 1000, &read, NULL), 0);
    assert_string_equal(strbuf_text(&read), "baro_x 1\n");
    assert_int_not_equal(access(scratch_path("agent.prom.new"), F_OK), 0);
    agent_counters_write("/nonexistent/agent.prom", &text); /* changes nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_counter_is_a_type_and_a_value),
        cmocka_unit_test(no_name_is_printed_twice),
        cmocka_unit_test(the_end_of_a_token_is_seconds_from_now_and_never_negative),
        cmocka_unit_test(the_file_is_replaced_or_left_as_it_was),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
