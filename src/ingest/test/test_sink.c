/* SPDX-License-Identifier: Apache-2.0 */
/* test_sink - why samples were refused, counted and in words. */
#include "ingest/sink.h"

#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static void every_reason_has_a_counter_of_its_own(void **state)
{
    static const struct {
        int rc;
        const char *key; /* NULL: no refusal */
    } cases[] = {
        { -ENOSPC, "store_full" },
        { -EDQUOT, "share" },
        { -EPERM, "name" },
        { -EAGAIN, "rate" },
        { -ENOENT, NULL },
        { -EINVAL, NULL },
        { 0, NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sink_refusals refused = { 0 };
        struct sink_refusal refusal;
        bool is_refusal = sink_count_refusal(&refused, cases[i].rc);
        assert_int_equal(is_refusal, cases[i].key != NULL);
        assert_int_equal(sink_refused(&refused), is_refusal);
        for (size_t k = 0; sink_refusal_at(&refused, k, &refusal); k++) {
            bool is_this = cases[i].key && strcmp(refusal.key, cases[i].key) == 0;
            if (refusal.count != is_this)
                fail_msg("%d: %s has %llu", cases[i].rc, refusal.key,
                         (unsigned long long)refusal.count);
        }
    }
}

static void the_text_has_those_that_there_are(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct sink_refusals refused = { .share = 5, .rate = 2 };
    assert_int_equal(sink_refused(&refused), 7);
    sink_refusals_print(&refused, &out);
    assert_non_null(strstr(strbuf_text(&out), "5 samples of new series or metrics"));
    assert_non_null(strstr(strbuf_text(&out), ", 2 samples of new metrics beyond"));
    assert_null(strstr(strbuf_text(&out), "allow and deny"));
    strbuf_clear(&out);
    refused = (struct sink_refusals){ 0 };
    sink_refusals_print(&refused, &out);
    assert_string_equal(strbuf_text(&out), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_has_a_counter_of_its_own),
        cmocka_unit_test(the_text_has_those_that_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
