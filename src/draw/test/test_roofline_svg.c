/* SPDX-License-Identifier: Apache-2.0 */
/* test_roofline_svg - points under a roof, in powers of ten. */
#include "base/test/testing.h"
#include "draw/roofline_svg.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const struct roofline_dot dots[] = {
    { 1, 1e11, "1", false },
    { 10, 1e12, "job", true },
    { 0, 1e12, "no bytes", false },
    { NAN, NAN, "none", false },
};

static void points_lie_in_powers_of_ten(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct roofline_picture picture = { "a <roof>", 0, 0, dots, COUNT_OF(dots) };
    assert_int_equal(roofline_svg(&picture, &out), 0);
    const char *text = strbuf_text(&out);
    assert_non_null(
        strstr(text, "<circle cx='128.0' cy='268.0' r='4.0' class='dot'/>"));
    assert_non_null(strstr(text, "class='star'"));
    assert_non_null(strstr(text, ">100 GF/s</text>"));
    assert_non_null(strstr(text, ">1.00 TF/s</text>"));
    assert_non_null(strstr(text, "<title>a &lt;roof&gt;</title>"));
    assert_null(strstr(text, "class='roof'"));
    assert_null(strstr(text, "none</text>"));
}

static void the_roof_bends_at_its_ridge(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct roofline_picture picture = { "", 1e12, 1e11, dots, 2 };
    assert_int_equal(roofline_svg(&picture, &out), 0);
    /* Intensities 1 to 100, rates 1e11 to 1e13; the ridge is at 10 and 1e12. */
    assert_non_null(strstr(strbuf_text(&out),
                           "<path class='roof' d='M128.0 268.0L420.0 138.0H712.0'/>"));
}

static void absurd_numbers_are_no_harm(void **state)
{
    (void)state;
    static const double absurd[] = { 5e-324, 1e308, INFINITY, -1, 1e-200 };
    for (size_t i = 0; i < COUNT_OF(absurd); i++)
        for (size_t k = 0; k < COUNT_OF(absurd); k++) {
            AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
            const struct roofline_dot some[] = { { absurd[i], absurd[k], "1", false },
                                                 { 1, 1e9, "job", true } };
            const struct roofline_picture picture = { "", absurd[k], absurd[i], some,
                                                      2 };
            assert_int_equal(roofline_svg(&picture, &out), 0);
            assert_true(out.size < 20000);
            assert_null(strstr(strbuf_text(&out), "nan"));
            assert_null(strstr(strbuf_text(&out), "inf"));
        }
}

static void labels_of_points_in_one_place_are_below_each_other(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct roofline_dot same[ROOFLINE_POINTS_MAX];
    for (size_t i = 0; i < COUNT_OF(same); i++)
        same[i] = (struct roofline_dot){ 3, 3e11, "x", false };
    const struct roofline_picture picture = { "", 0, 0, same, COUNT_OF(same) };
    assert_int_equal(roofline_svg(&picture, &out), 0);
    const char *first = strstr(strbuf_text(&out), ">x</text>");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, ">x</text>"));
}

static void without_a_point_there_is_no_picture(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct roofline_picture picture = { "", 1e12, 1e11, dots + 2, 2 };
    assert_int_equal(roofline_svg(&picture, &out), -ENODATA);
    assert_int_equal(out.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_lie_in_powers_of_ten),
        cmocka_unit_test(the_roof_bends_at_its_ridge),
        cmocka_unit_test(absurd_numbers_are_no_harm),
        cmocka_unit_test(labels_of_points_in_one_place_are_below_each_other),
        cmocka_unit_test(without_a_point_there_is_no_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
