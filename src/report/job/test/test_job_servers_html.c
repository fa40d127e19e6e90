/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_servers_html - what servers counted, as a section of a page. */
#include "base/test/testing.h"
#include "report/job/job_servers_html.h"

#include <math.h>
#include <string.h>

#define MIB UINT64_C(1048576)

static void has(const struct strbuf *out, const char *want)
{
    if (!strstr(strbuf_text(out), want))
        fail_msg("'%s' is not in:\n%s", want, strbuf_text(out));
}

static void each_target_is_a_row(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct server_target targets[] = {
        { .name = "scratch-OST<3>",
          .own = { .written_bytes = 100 * MIB, .requests = 107 },
          .others = { .written_bytes = 800 * MIB },
          .measure = SERVER_BYTES,
          .contention = 4,
          .is_contended = true,
          .neighbours = { { "<4712>", "alice", { .written_bytes = 600 * MIB } } },
          .neighbour_count = 1 },
        { .name = "scratch-MDT0000",
          .is_mdt = true,
          .own = { .metadata = 500 },
          .others = { .metadata = 2000000 },
          .measure = SERVER_METADATA,
          .contention = NAN },
    };
    const struct job_servers servers = { .fs = "scratch",
                                         .from_ms = 1500000000000,
                                         .to_ms = 1500000060000,
                                         .targets = targets,
                                         .target_count = 2 };
    job_servers_html(&servers, NULL, &out);
    assert_int_equal(strbuf_error(&out), 0);
    has(&out, "<p>What the servers of scratch counted from 2017-07-14T02:40:00Z to ");
    has(&out, "<tr><th>scratch-OST&lt;3&gt;</th>\n<td class='num'></td>\n<td "
              "class='num'>100 MiB</td>\n<td class='num'>107</td>\n<td "
              "class='num'></td>\n<td class='num'>800 MiB</td>\n<td class='num'>4.0 "
              "x</td>\n<td>&lt;4712&gt; of alice</td>\n</tr>");
    has(&out, "<td class='num'>500</td>\n<td class='num'>2.00 M requests</td>\n<td "
              "class='num'></td>\n<td></td>");
    assert_null(strstr(strbuf_text(&out), "<pre"));
    assert_null(strstr(strbuf_text(&out), "most contended"));
    assert_non_null(strstr(strbuf_text(&out), "</section>"));
}

static void of_many_the_most_contended_are_there(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct server_target targets[JOB_SERVERS_HTML_ROWS + 3];
    for (size_t i = 0; i < COUNT_OF(targets); i++)
        targets[i] = (struct server_target){ .name = "t",
                                             .contention = INFINITY,
                                             .own = { .requests = 1 } };
    const struct job_servers servers = { .targets = targets,
                                         .target_count = COUNT_OF(targets) };
    job_servers_html(&servers, NULL, &out);
    size_t rows = 0;
    for (const char *at = strbuf_text(&out); (at = strstr(at, "<th>t</th>")); at++)
        rows++;
    assert_int_equal(rows, JOB_SERVERS_HTML_ROWS);
    has(&out, "The 24 most contended of the 27 that it used.");
    has(&out, "(nothing)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_target_is_a_row),
        cmocka_unit_test(of_many_the_most_contended_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
