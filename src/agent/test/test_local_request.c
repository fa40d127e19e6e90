/* SPDX-License-Identifier: Apache-2.0 */
/* test_local_request - lines of programs: what is one, and what is refused. */
#include "agent/local/local_request.h"
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static void a_metric_is_a_name_and_a_finite_number(void **state)
{
    static const struct {
        const char *line;
        int rc;
        double value;
    } lines[] = {
        { "metric steps_per_s 4.1", 0, 4.1 },
        { "metric s 0", 0, 0 },
        { "metric loss -1e-9", 0, -1e-9 },
        { "metric abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv 1", 0, 1 },
        { "metric abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvw 1", -EINVAL, 0 },
        { "metric Steps 1", -EINVAL, 0 },
        { "metric 1s 1", -EINVAL, 0 },
        { "metric _s 1", -EINVAL, 0 },
        { "metric s,type=node 1", -EINVAL, 0 },
        { "metric s", -EINVAL, 0 },
        { "metric  1", -EINVAL, 0 },
        { "metric s  1", -EINVAL, 0 },
        { "metric s 1 2", -EINVAL, 0 },
        { "metric s nan", -EINVAL, 0 },
        { "metric s inf", -EINVAL, 0 },
        { "metric s 1e999", -EINVAL, 0 },
        { "metrics s 1", -EINVAL, 0 },
        { "metric", -EINVAL, 0 },
        { "", -EINVAL, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct local_request got;
        const char *why = NULL;
        int rc = local_request_parse(span_of(lines[i].line), &got, &why);
        if (rc != lines[i].rc)
            fail_msg("%s: %d", lines[i].line, rc);
        assert_true((rc == 0) == !why);
        if (rc == 0 && (got.kind != LOCAL_METRIC || got.value != lines[i].value))
            fail_msg("%s: %g", lines[i].line, got.value);
    }
}

static void an_event_is_a_name_and_the_rest(void **state)
{
    char line[LOCAL_PAYLOAD_BYTES_MAX + 32];
    struct local_request got;
    const char *why = NULL;
    (void)state;
    assert_int_equal(local_request_parse(SPAN("event a.b c  d "), &got, &why), 0);
    assert_int_equal(got.kind, LOCAL_EVENT);
    assert_true(span_is(got.name, "a.b") && span_is(got.payload, "c  d "));
    assert_int_equal(local_request_parse(SPAN("event a"), &got, &why), 0);
    assert_int_equal(got.payload.size, 0);
    assert_int_equal(local_request_parse(SPAN("event "), &got, &why), -EINVAL);
    memset(line, 'x', sizeof line);
    memcpy(line, "event a ", 8);
    struct span most = { line, 8 + LOCAL_PAYLOAD_BYTES_MAX };
    assert_int_equal(local_request_parse(most, &got, &why), 0);
    most.size++;
    assert_int_equal(local_request_parse(most, &got, &why), -EINVAL);
    assert_non_null(strstr(why, "4,096"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_is_a_name_and_a_finite_number),
        cmocka_unit_test(an_event_is_a_name_and_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
