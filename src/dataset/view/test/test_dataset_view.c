/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_view - what a view may change, and what becomes of its values. */
#include "base/cleanup.h"
#include "base/span.h"
#include "dataset/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void lines_are_accepted_or_refused(void **state)
{
    static const struct {
        const char *text;
        int want;
    } cases[] = {
        { "set A=b\n", 0 },
        { "set A=\n", 0 },
        { "set A=b=c\n", 0 },
        { "prepend PATH=%m/bin\nset _X=%%\n", 0 },
        { "prepend LD_LIBRARY_PATH=%m/lib\n", 0 },
        { "", -EBADMSG },
        { "set A=b", -EBADMSG },
        { "set A\n", -EBADMSG },
        { "set =b\n", -EBADMSG },
        { "set 1A=b\n", -EBADMSG },
        { "set A B=c\n", -EBADMSG },
        { "set BASH_FUNC_x%%=y\n", -EBADMSG },
        { "unset A=b\n", -EBADMSG },
        { "set A=b\n\n", -EBADMSG },
        { "set A=b\rc\n", -EBADMSG },
        { "set A=%\n", -EBADMSG },
        { "set A=%x\n", -EBADMSG },
        { "prepend A=\n", -EBADMSG },
        { "set LD_PRELOAD=%m/x.so\n", -EPERM },
        { "prepend LD_AUDIT=x\n", -EPERM },
        { "set HOME=/tmp\n", -EPERM },
        { "set SLURM_DATASET=x\n", -EPERM },
        { "set BASH_ENV=x\n", -EPERM },
        { "set PS0=x\n", -EPERM },
        { "set PS1=x\n", -EPERM },
        { "set ZDOTDIR=%m\n", -EPERM },
        { "set OPENSSL_CONF=%m/x\n", -EPERM },
        { "set OPENSSL_MODULES=%m\n", -EPERM },
        { "set OPENSSL_ENGINES=%m\n", -EPERM },
        { "set A=b\nset GLIBC_TUNABLES=x\n", -EPERM },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        int rc = view_check(span_of(cases[i].text), &err);
        if (rc != cases[i].want || (rc < 0 && !err.text[0]))
            fail_msg("%s: got %d, want %d", cases[i].text, rc, cases[i].want);
    }
    assert_int_equal(view_check((struct span){ "set A=b\0c\n", 10 }, NULL), -EBADMSG);
}

static void views_are_bounded(void **state)
{
    char text[VIEW_TEXT_MAX], word[VIEW_LINE_MAX + 8];
    size_t size = 0;
    unsigned count = 0;
    (void)state;
    memset(word, 'A', sizeof word);
    word[1] = '=';
    assert_int_equal(
        view_add(false, (struct span){ word, VIEW_LINE_MAX - 3 }, text, &size, NULL),
        -E2BIG);
    assert_int_equal(
        view_add(false, (struct span){ word, VIEW_LINE_MAX - 4 }, text, &size, NULL),
        0);
    while (view_add(false, SPAN("A=1"), text, &size, NULL) == 0)
        count++;
    assert_true(size <= VIEW_TEXT_MAX && count > VIEW_CHANGES_MAX);
    assert_int_equal(view_check((struct span){ text, size }, NULL), -E2BIG);
    assert_int_equal(view_add(false, SPAN("A=1\nset B=2"), text, &(size_t){ 0 }, NULL),
                     -EBADMSG);
    assert_int_equal(view_name_check(SPAN("none"), NULL), -EINVAL);
    assert_int_equal(view_name_check(SPAN("a=b"), NULL), -EINVAL);
    assert_int_equal(view_name_check(SPAN("gcc-12.2"), NULL), 0);
}

static void values_have_the_mount_and_what_was_there(void **state)
{
    static char out[VIEW_VALUE_SIZE], old[VIEW_VALUE_SIZE];
    struct span text = SPAN("prepend P=%m/bin\nset Q=100%%:%m\n");
    struct view_change change;
    (void)state;
    assert_int_equal(view_next(&text, &change, NULL), 1);
    assert_int_equal(view_value(&change, "/o", "/usr/bin", out, NULL), 0);
    assert_string_equal(out, "/o/bin:/usr/bin");
    assert_int_equal(view_value(&change, "/o", NULL, out, NULL), 0);
    assert_string_equal(out, "/o/bin");
    assert_int_equal(view_value(&change, "/o", "", out, NULL), 0);
    assert_string_equal(out, "/o/bin"); /* no directory "" behind it, which is "." */
    memset(old, 'x', sizeof old - 1);
    assert_int_equal(view_value(&change, "/o", old, out, NULL), -E2BIG);
    assert_int_equal(view_next(&text, &change, NULL), 1);
    assert_int_equal(view_value(&change, "/%m", "old", out, NULL), 0);
    assert_string_equal(out, "100%:/%m");
    assert_int_equal(view_next(&text, &change, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_accepted_or_refused),
        cmocka_unit_test(views_are_bounded),
        cmocka_unit_test(values_have_the_mount_and_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
