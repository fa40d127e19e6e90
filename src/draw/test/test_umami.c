/* SPDX-License-Identifier: Apache-2.0 */
/* test_umami - a typed UMAMI diagram becomes text and a picture. */
#include "base/test/testing.h"
#include "draw/umami_svg.h"
#include "draw/umami_text.h"

#include <math.h>
#include <string.h>

static const int64_t times[] = { 1000, 2000, 3000, 4000, 5000 };
static const double history[] = { 1, 2, 3, 4, 8.5 };
static const double absent[] = { NAN, NAN, NAN, NAN, NAN };
static struct umami_row rows[] = {
    { .name = "load",
      .label = "Load <of> servers",
      .value = 8.5,
      .history = history,
      .other_count = 4,
      .others = history,
      .q05 = 1.15,
      .q25 = 1.75,
      .q50 = 2.5,
      .q75 = 3.25,
      .q95 = 3.85,
      .quarter = UMAMI_WORST },
    { .name = "absent",
      .label = "Absent",
      .value = NAN,
      .history = absent,
      .others = absent,
      .q05 = NAN,
      .q25 = NAN,
      .q50 = NAN,
      .q75 = NAN,
      .q95 = NAN,
      .quarter = UMAMI_UNKNOWN },
};
static const struct umami umami = { .set = "ior & co",
                                    .id = "run<7>",
                                    .t_ns = 5000,
                                    .times = times,
                                    .count = 5,
                                    .rows = rows,
                                    .row_count = 2 };

static void has(const struct strbuf *out, const char *text)
{
    if (!strstr(out->data, text))
        fail_msg("there is no '%s' in:\n%s", text, out->data);
}

static void text_says_the_quarter_in_words(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    umami_print_text(&umami, 100, &out);
    has(&out, "worst quarter");
    has(&out, "★");
    has(&out, "Absent");
    assert_null(strstr(out.data, "nan"));
}

static void a_picture_has_words_and_escaped_names(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    umami_print_svg(&umami, &out);
    has(&out, "worst quarter");
    has(&out, "Load &lt;of&gt; servers");
    has(&out, "ior &amp; co");
    has(&out, "#DA0017"); /* the colour of the worst */
    assert_null(strstr(out.data, "nan"));
    assert_null(strstr(out.data, "run<7>"));
}

static void any_width_is_drawn(void **state)
{
    (void)state;
    for (unsigned width = 0; width < 250; width += 7) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        umami_print_text(&umami, width, &out);
        assert_int_equal(strbuf_error(&out), 0);
        has(&out, "worst");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_says_the_quarter_in_words),
        cmocka_unit_test(a_picture_has_words_and_escaped_names),
        cmocka_unit_test(any_width_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
