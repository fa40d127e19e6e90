/* SPDX-License-Identifier: Apache-2.0 */
/* test_hostset - sets of host names. */
#include "base/span.h"
#include "base/test/testing.h"
#include "model/hostset.h"

static void sets_unfold_and_fold_again(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        const char *first, *last;
        const char *printed;
    } cases[] = {
        { "mds1", 1, "mds1", "mds1", "mds1" },
        { "oss[01-08]", 8, "oss01", "oss08", "oss[01-08]" },
        { "oss[8-11]", 4, "oss8", "oss11", "oss[8-9],oss[10-11]" },
        { "oss[01-03,07],mds1", 5, "oss01", "mds1", "oss[01-03,07],mds1" },
        { "r[1-2]n[01-02]", 4, "r1n01", "r2n02", "r1n[01-02],r2n[01-02]" },
        { "oss[1-2].storage", 2, "oss1.storage", "oss2.storage", "oss[1-2].storage" },
        { "a, b", 2, "a", "b", "a,b" },
        { "oss[098-101]", 4, "oss098", "oss101", "oss[098-101]" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(hostset_free) struct hostset *set = NULL;
        AUTO(strbuf_done) struct strbuf printed = STRBUF_INIT;
        struct err err = { 0 };
        if (hostset_parse(span_of(cases[i].text), &set, &err) < 0)
            fail_msg("'%s': %s", cases[i].text, err.text);
        hostset_print(set, &printed);
        if (hostset_count(set) != cases[i].count ||
            strcmp(hostset_at(set, 0), cases[i].first) != 0 ||
            strcmp(hostset_at(set, cases[i].count - 1), cases[i].last) != 0 ||
            strcmp(strbuf_text(&printed), cases[i].printed) != 0)
            fail_msg("'%s': %zu hosts, printed '%s'", cases[i].text, hostset_count(set),
                     strbuf_text(&printed));
        assert_true(hostset_has(set, span_of(cases[i].last)));
        assert_false(hostset_has(set, SPAN("nobody")));
    }
}

static void what_is_no_set_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
    } cases[] = {
        { "", -EINVAL },           { "a,", -EINVAL },
        { "a,,b", -EINVAL },       { "oss[1-2", -EINVAL },
        { "oss[2-1]", -EINVAL },   { "oss[a-b]", -EINVAL },
        { "oss[]", -EINVAL },      { "oss]", -EINVAL },
        { "oss;reboot", -EINVAL }, { "-[1-2][1][1][1][1]", -EINVAL },
        { "n[0-100000]", -E2BIG }, { "n[0-999][0-999]", -E2BIG },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct hostset *set = NULL;
        struct err err = { 0 };
        int rc = hostset_parse(span_of(cases[i].text), &set, &err);
        if (rc != cases[i].rc || set || !err.text[0])
            fail_msg("'%s': got %d, '%s'", cases[i].text, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_unfold_and_fold_again),
        cmocka_unit_test(what_is_no_set_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
