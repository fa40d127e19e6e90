/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_log_html - what a log has in detail, as sections of an HTML page. */
#include "base/test/testing.h"
#include "report/job/job_log_html.h"

#include <string.h>

#define HOSTILE "/scratch/<img src=x onerror='alert(1)'>\"&"

static void has(const struct strbuf *out, const char *want)
{
    if (!strstr(strbuf_text(out), want))
        fail_msg("'%s' is not in:\n%s", want, strbuf_text(out));
}

static struct log_work work_make(struct log_file *files, size_t count)
{
    struct log_work work = { .interface_count = 1,
                             .files = files,
                             .file_count = count };
    work.interfaces[0] = (struct log_interface){
        .name = "POSIX",
        .records = 1,
        .sums = { .bytes_read = 1048576, .reads = 20, .calls = 3, .read_s = 1.5 },
        .has_sizes = true,
        .read_sizes = { 10, 20 },
    };
    return work;
}

static void tables_have_interfaces_sizes_and_files(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct log_file file = { .name = "/scratch/in",
                             .interfaces =
                                 LOG_BIT(DARSHAN_POSIX) | LOG_BIT(DARSHAN_STDIO),
                             .processes = 4,
                             .stripes = 2,
                             .sums = { .bytes_read = 1048576, .read_s = 1.5 } };
    struct log_work work = work_make(&file, 1);
    job_log_work_html(&work, &out);
    assert_int_equal(strbuf_error(&out), 0);
    has(&out, "<th>POSIX</th>\n<td class='num'>1.00 MiB</td>\n<td class='num'></td>\n"
              "<td class='num'>1.50 s</td>");
    has(&out,
        "<th>0 to 100 B</th>\n<td class='bars'><svg class='bar' viewBox='0 0 100 8' "
        "preserveAspectRatio='none' aria-hidden='true'><rect class='reads' "
        "width='50.0' height='8'/></svg></td><td class='num'>10</td>"
        "<td class='bars'></td><td class='num'></td>");
    has(&out, "<th title=\"/scratch/in\">/scratch/in</th>");
    has(&out, "<td class='num'>4</td>\n<td class='num'>2</td>\n<td>POSIX, STDIO</td>");
    assert_null(strstr(strbuf_text(&out), "1 to 10 KiB")); /* no access is as long */
    has(&out, "Of 1 file.");
    assert_null(strstr(strbuf_text(&out), "most bytes")); /* the same file */
}

static void names_of_files_are_text(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    char longer[400];
    (void)snprintf(longer, sizeof longer, "/scratch/%0300d/%s", 7, HOSTILE);
    struct log_file files[] = { { .name = HOSTILE, .sums = { .read_s = 1 } },
                                { .name = longer, .sums = { .bytes_read = 1 } },
                                { .name = NULL, .sums = { .read_s = 2 } },
                                { .name = "a\xFF\nb", .sums = { .read_s = 3 } } };
    struct log_work work = work_make(files, COUNT_OF(files));
    job_log_work_html(&work, &out);
    assert_null(strstr(strbuf_text(&out), "<img"));
    has(&out, "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;");
    has(&out, "(not named)");
    has(&out, "a\\xFF\\x0Ab");
    has(&out, "Files with most bytes");
    has(&out, "\">..//scratch/&lt;img"); /* the end of the long one */
}

static void bytes_over_time_are_pictures(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf none = STRBUF_INIT;
    double values[LOG_HEAT_COLUMNS] = { 0, 2048 };
    struct log_heat_row row = { 0, "<b>", values };
    struct log_heat heat = { .from_s = 1500000000, .to_s = 1500000060 };
    job_log_heat_html(&heat, &none);
    assert_int_equal(none.size, 0);
    heat.maps[LOG_HEAT_NODES] =
        (struct log_heat_map){ .source = "DXT_POSIX", .rows = &row, .count = 1 };
    job_log_heat_html(&heat, &out);
    has(&out, "<figcaption>Bytes by node: faint 0 B/s, strong 2.00 KiB/s</figcaption>");
    has(&out, "&lt;b&gt;</text>");
    has(&out, "by the log's DXT_POSIX.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_interfaces_sizes_and_files),
        cmocka_unit_test(names_of_files_are_text),
        cmocka_unit_test(bytes_over_time_are_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
