/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_steps_html - what servers counted over time, as pictures. */
#include "base/test/testing.h"
#include "report/job/job_steps_html.h"

#include <math.h>
#include <string.h>

static void has(const struct strbuf *out, const char *want)
{
    if (!strstr(strbuf_text(out), want))
        fail_msg("'%s' is not in:\n%s", want, strbuf_text(out));
}

static void bytes_and_metadata_are_a_picture_each(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    double first[] = { 2048, 0, NAN, 1024 }, none[4] = { 0 }, opens[] = { 0, 3, 0, 0 };
    struct server_steps_row rows[] = { { "scratch-MDT0000", true, none, opens },
                                       { "scratch-OST<b>", false, first, none } };
    const struct server_steps steps = { .from_ms = 1500000000000,
                                        .to_ms = 1500000040000,
                                        .columns = 4,
                                        .rows = rows,
                                        .count = 2,
                                        .left_out = 3 };
    job_steps_html(&steps, &out);
    assert_int_equal(strbuf_error(&out), 0);
    has(&out, "<figcaption>Bytes by target: faint 0 B/s, strong 2.00 KiB/s");
    has(&out, "<figcaption>Metadata requests by target: faint 0 1/s, strong 3");
    has(&out, "scratch-OST&lt;b&gt;</text>");
    has(&out, "The 2 targets on which it did most, of 5.");
    /* A row each: the other target has nothing of the kind. */
    const char *second = strstr(strbuf_text(&out), "Metadata requests");
    assert_null(strstr(second, "OST"));
    /* Columns are 146 wide: full in the first, half in the last. */
    has(&out, "stroke-opacity='1.00' d='M0 0M128.0 8.0H274.0'");
    has(&out, "stroke-opacity='0.50' d='M0 0M566.0 8.0H712.0'");
    has(&out, "<path class='gap' d='M0 0M420.0 8.0H566.0'");
}

static void without_a_number_there_is_none(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    double none[2] = { 0, NAN };
    struct server_steps_row row = { "scratch-OST0001", false, none, none };
    struct server_steps steps = { .rows = &row, .count = 1, .left_out = 1 };
    job_steps_html(&steps, &out);
    steps.columns = 2;
    steps.to_ms = 2000;
    job_steps_html(&steps, &out);
    assert_int_equal(out.size, 0);
    assert_int_equal(strbuf_error(&out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_metadata_are_a_picture_each),
        cmocka_unit_test(without_a_number_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
