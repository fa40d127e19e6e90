/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_servers_page - what servers counted of a job: text and JSON, word by word.
 */
#include "base/test/testing.h"
#include "report/job/job_servers_page.h"

#include <math.h>

#define MIB UINT64_C(1048576)
#define T0_MS INT64_C(1500000000000)

static struct server_target targets[] = {
    { .name = "scratch-OST0003",
      .index = 3,
      .own = { .written_bytes = 100 * MIB, .requests = 100 },
      .others = { .written_bytes = 700 * MIB, .read_bytes = 100 * MIB },
      .measure = SERVER_BYTES,
      .contention = 4,
      .is_contended = true,
      .neighbours = { { "4712", "alice", { .written_bytes = 600 * MIB } },
                      { NULL, NULL, { .written_bytes = 200 * MIB } } },
      .neighbour_count = 2 },
    { .name = "scratch-MDT0000\x1b",
      .is_mdt = true,
      .index = 0,
      .own = { .metadata = 500 },
      .others = { .metadata = 2000000 },
      .measure = SERVER_METADATA,
      .contention = INFINITY,
      .is_contended = true,
      .neighbours = { { NULL, NULL, { .metadata = 2000000 } } },
      .neighbour_count = 1 },
    { .name = "scratch-OST0001",
      .index = 1,
      .own = { .read_bytes = 50 * MIB },
      .others = { .read_bytes = 200 * MIB },
      .measure = SERVER_BYTES,
      .contention = 1,
      .neighbours = { { "4713", NULL, { .read_bytes = 200 * MIB } } },
      .neighbour_count = 1 },
    { .name = "scratch-OST0000",
      .index = 0,
      .own = { .requests = 7 },
      .measure = SERVER_REQUESTS,
      .contention = NAN },
    { .name = "scratch-OST0002",
      .index = 2,
      .measure = SERVER_BYTES,
      .contention = NAN },
};

static struct job_servers servers_make(size_t first, size_t count)
{
    return (struct job_servers){
        .user = "bob",
        .fs = "scratch",
        .from_ms = T0_MS,
        .to_ms = T0_MS + 60999,
        .own = { .written_bytes = 100 * MIB,
                 .read_bytes = 50 * MIB,
                 .requests = 107,
                 .metadata = 500 },
        .all = { .written_bytes = 800 * MIB,
                 .read_bytes = 400 * MIB,
                 .requests = 0,
                 .metadata = 2000500 },
        .median = { { 200.0 * 1048576, 50, 0 }, { 0, 0, 0 } },
        .kind_count = { 4, 1 },
        .targets = targets + first,
        .target_count = count,
    };
}

static struct profile *profile_new(double bytes)
{
    struct profile *run = calloc(1, sizeof *run);
    assert_non_null(run);
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        run->values[i] = NAN;
    run->values[PROFILE_BYTES] = bytes;
    run->values[PROFILE_SLOW_TARGET] = 2.25;
    run->target.ost = 3;
    return run;
}

static void text_is(const struct job_servers *s, const struct profile *run,
                    const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    job_servers_print_text(s, run, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static void all_of_it_is_one_page(void **state)
{
    (void)state;
    struct profile *run = profile_new(300.0 * 1048576);
    const struct job_servers s = servers_make(0, 5);
    text_is(
        &s, run,
        "\nWhat the servers of scratch counted from 2017-07-14T02:40:00Z to "
        "2017-07-14T02:41:00Z\n"
        "They counted 100 MiB written and 50.0 MiB read of the 300 MiB in the log "
        "(50 %).\n"
        "Less than in the log: caches served some, readings are missing, or files lie "
        "elsewhere.\n"
        "Its part of all that the file system did meanwhile: 12.5 % of the bytes, 0.0 "
        "% of the metadata requests.\n"
        "\ntarget           this job        others          of median most by (job of "
        "user)\n"
        "scratch-OST0003  100 MiB         800 MiB         4.0 x     4712 of alice\n"
        "scratch-MDT0000\\x1B 500 requests    2.00 M requests (nothing) entries "
        "without a job\n"
        "scratch-OST0001  50.0 MiB        200 MiB         1.0 x     job 4713\n"
        "scratch-OST0000  7 requests      0 requests      -         \n"
        "(the 4 most contended of the 5 that it used)\n");
    free(run);
}

static void what_was_not_contended_is_stated_with_its_evidence(void **state)
{
    (void)state;
    struct profile *run = profile_new(NAN);
    struct job_servers s = servers_make(2, 2);
    s.fs = NULL;
    s.all = (struct server_flow){ 0 };
    text_is(
        &s, run,
        "\nWhat the servers counted from 2017-07-14T02:40:00Z to 2017-07-14T02:41:00Z\n"
        "No target that it used was contended: others did at most 1.0 x what they did "
        "on the median one.\n"
        "\ntarget           this job        others          of median most by (job of "
        "user)\n"
        "scratch-OST0001  50.0 MiB        200 MiB         1.0 x     job 4713\n"
        "scratch-OST0000  7 requests      0 requests      -         \n");
    double contention = s.targets[0].contention;
    s.targets[0].contention = 13; /* of a target on which the job did little */
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    job_servers_print_text(&s, run, &out);
    assert_non_null(strstr(strbuf_text(&out), "as far as this job would notice"));
    assert_non_null(strstr(strbuf_text(&out), "most, 13.0 x what they did"));
    s.targets[0].contention = contention;
    s = servers_make(3, 1);
    s.all = (struct server_flow){ .metadata = 1000 };
    text_is(
        &s, run,
        "\nWhat the servers of scratch counted from 2017-07-14T02:40:00Z to "
        "2017-07-14T02:41:00Z\n"
        "Its part of all that the file system did meanwhile: 50.0 % of the metadata "
        "requests.\n"
        "No target that it used was contended.\n"
        "\ntarget           this job        others          of median most by (job of "
        "user)\n"
        "scratch-OST0000  7 requests      0 requests      -         \n");
    free(run);
}

static void more_than_the_log_has_is_stated(void **state)
{
    (void)state;
    static const char more[] =
        "More than in the log: the job did more than this program, or in ways that "
        "it does not log.\n";
    static const char less[] = "Less than in the log";
    static const struct {
        double mib;
        bool is_more, is_less;
    } cases[] = { { 150, false, false },
                  { 150 / COVERAGE_MAX * 1.01, false, false },
                  { 150 / COVERAGE_MAX * 0.99, true, false },
                  { 150 * COVERAGE_MAX * 0.99, false, false },
                  { 150 * COVERAGE_MAX * 1.01, false, true } };
    const struct job_servers s = servers_make(3, 1);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct profile *run = profile_new(cases[i].mib * 1048576);
        job_servers_print_text(&s, run, &out);
        if (!!strstr(strbuf_text(&out), more) != cases[i].is_more ||
            !!strstr(strbuf_text(&out), less) != cases[i].is_less)
            fail_msg("%g MiB: %s", cases[i].mib, strbuf_text(&out));
        free(run);
    }
}

static void contention_is_one_of_the_findings(void **state)
{
    (void)state;
    static const char *const want[] = {
        "                  on scratch-OST0003 others did 800 MiB, 4.0 x the 200 "
        "MiB of "
        "the median target; this job did 100 MiB there\n"
        "                  most of it by job 4712 of user alice: 600 MiB, 75 % of "
        "what "
        "others did there\n"
        "                  this is the target on which its own files were slowest: 2.2 "
        "x the time of the median one\n",
        "                  on scratch-MDT0000\\x1B others did 2.00 M requests, and "
        "nothing "
        "on the median target; this job did 500 requests there\n"
        "                  most of it by entries without a job: 2.00 M requests, 100 % "
        "of what others did there\n",
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf both = STRBUF_INIT;
    struct profile *run = profile_new(NAN);
    const struct job_servers s = servers_make(0, 5);
    strbuf_addf(&both, "%s%s", want[0], want[1]);
    job_servers_print_contention(&s, run, &out);
    assert_string_equal(strbuf_text(&out), strbuf_text(&both));
    strbuf_clear(&out);
    const struct job_servers quiet = servers_make(2, 3);
    job_servers_print_contention(&quiet, run, &out);
    assert_string_equal(strbuf_text(&out), "");
    free(run);
}

/* Only the targets at the head of the list are contended; four are shown. */
static void of_many_contended_targets_some_are_counted(void **state)
{
    (void)state;
    struct server_target many[6];
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct profile *run = profile_new(NAN);
    struct job_servers s = servers_make(0, 1);
    run->target.ost = -1;
    for (size_t i = 0; i < COUNT_OF(many); i++) {
        many[i] = targets[0];
        many[i].neighbour_count = 0;
        many[i].index = -1;
    }
    s.targets = many;
    s.target_count = COUNT_OF(many);
    job_servers_print_contention(&s, run, &out);
    const char *text = strbuf_text(&out);
    size_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 5);
    assert_non_null(strstr(text, "and 2 contended targets more\n"));
    assert_null(strstr(text, "slowest"));
    free(run);
}

static void programs_get_all_targets(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct profile *run = profile_new(300.0 * 1048576);
    struct job_servers s = servers_make(0, 1);
    struct json_writer w;
    s.user = NULL;
    json_writer_init(&w, &out);
    json_object(&w);
    job_servers_print_json(&s, run, &w);
    json_object_end(&w);
    assert_string_equal(
        strbuf_text(&out),
        "{\"servers\":{\"fs\":\"scratch\",\"user\":null,"
        "\"from\":\"2017-07-14T02:40:00.000Z\",\"to\":\"2017-07-14T02:41:00.999Z\","
        "\"own\":{\"write_bytes\":104857600,\"read_bytes\":52428800,\"iops\":107,"
        "\"metadata\":500},"
        "\"all\":{\"write_bytes\":838860800,\"read_bytes\":419430400,\"iops\":0,"
        "\"metadata\":2000500},"
        "\"coverage_bytes\":0.5,\"part_bytes\":0.125,\"part_iops\":null,"
        "\"part_metadata\":0.00024993751562109475,"
        "\"targets\":[{\"target\":\"scratch-OST0003\","
        "\"own\":{\"write_bytes\":104857600,\"read_bytes\":0,\"iops\":100,"
        "\"metadata\":0},"
        "\"others\":{\"write_bytes\":734003200,\"read_bytes\":104857600,\"iops\":0,"
        "\"metadata\":0},\"measure\":\"bytes\",\"median_of_others\":209715200,"
        "\"times_median\":4,\"n\":4,\"is_contended\":true,"
        "\"neighbours\":[{\"job\":\"4712\",\"user\":\"alice\","
        "\"did\":{\"write_bytes\":629145600,\"read_bytes\":0,\"iops\":0,"
        "\"metadata\":0}},"
        "{\"job\":null,\"user\":null,"
        "\"did\":{\"write_bytes\":209715200,\"read_bytes\":0,\"iops\":0,"
        "\"metadata\":0}}]}]}}");
    free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_is_one_page),
        cmocka_unit_test(what_was_not_contended_is_stated_with_its_evidence),
        cmocka_unit_test(more_than_the_log_has_is_stated),
        cmocka_unit_test(contention_is_one_of_the_findings),
        cmocka_unit_test(of_many_contended_targets_some_are_counted),
        cmocka_unit_test(programs_get_all_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
