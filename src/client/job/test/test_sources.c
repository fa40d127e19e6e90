/* SPDX-License-Identifier: Apache-2.0 */
/* test_sources - what options name, opened once, as the inputs of a job's context. */
#include "base/number.h"
#include "base/test/scratch.h"
#include "client/job/job.h"
#include "client/job/test/barod.h"
#include "client/job/test/input_files.h"

#include <errno.h>
#include <string.h>

#define DAY_S INT64_C(86400)

static void sources_open(const struct job_sources_opts *opts, struct job_sources *ret)
{
    struct err err = { 0 };
    if (job_sources_open(opts, ret, &err) < 0)
        fail_msg("%s", err.text);
}

/* ---- each alone ---- */

static void without_options_nothing_is_known(void **state)
{
    (void)state;
    static const struct job_sources_opts none = { 0 };
    AUTO(job_sources_done) struct job_sources s = { 0 };
    const struct job_window window = { "/scratch", START_S, START_S + 10 };
    struct job_input_series series = { .count = 7 };
    struct job_input_site site = { 0 };
    const struct span *texts = NULL;
    const struct job_list *jobs = NULL;
    const struct node_map *nodes = NULL;
    size_t count = 7;
    sources_open(&none, &s);
    const struct job_inputs *in = &s.inputs;
    assert_null(in->clocks);
    assert_null(in->cluster);
    assert_null(in->climate);
    assert_int_equal(in->series(in->arg, &window, &series, NULL), 0);
    assert_int_equal(series.count, 0);
    assert_string_equal(series.names, "");
    assert_int_equal(in->health(in->arg, START_S * NS_PER_S, &texts, &count, NULL), 0);
    assert_int_equal(count, 0);
    assert_int_equal(
        in->jobs(in->arg, &(struct job_target_request){ NULL, 0, 1 }, &jobs, NULL), 0);
    assert_null(jobs);
    assert_int_equal(in->topology(in->arg, &nodes, NULL), 0);
    assert_null(nodes);
    in->site(in->arg, "/scratch", &site);
    assert_null(site.name);
}

static void what_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    static const char *none[] = { "/no/such" };
    static const char *clock[] = { "series=soon" };
    static const char *two[] = { "barod", "/no/such" };
    static const char *bad_jobs[1];
    static const struct {
        struct job_sources_opts opts;
        int rc;
        const char *reason;
    } cases[] = {
        { { .site = "/no/such" }, -ENOENT, "/no/such" },
        { { .series = OPTION_OF(none) }, -ENOENT, "/no/such" },
        { { .health = OPTION_OF(none) }, -ENOENT, "/no/such" },
        { { .jobs = OPTION_OF(none) }, -ENOENT, "/no/such" },
        { { .jobs = OPTION_OF(bad_jobs) }, -EINVAL, "none.txt" },
        { { .jobs = OPTION_OF(two) },
          -EINVAL,
          "--jobs: 'barod' stands alone, without files" },
        { { .topology = OPTION_OF(none) }, -ENOENT, "/no/such" },
        { { .clocks = OPTION_OF(clock) }, -EINVAL, "series=soon" },
        { { .access.zone = "Nowhere" }, -EINVAL, "--zone" },
    };
    bad_jobs[0] = text_write(0, "none.txt", "what is this\n");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_sources_done) struct job_sources s = { 0 };
        struct err err = { 0 };
        int rc = job_sources_open(&cases[i].opts, &s, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].reason))
            fail_msg("%zu: %d: %s", i, rc, err.text);
    }
}

static void a_zone_of_the_site_that_is_none_is_an_error(void **state)
{
    (void)state;
    AUTO(job_sources_done) struct job_sources s = { 0 };
    const struct job_sources_opts opts = {
        .site = text_write(0, "zone.conf", "[site]\nzone = Nowhere\n")
    };
    struct err err = { 0 };
    assert_int_equal(job_sources_open(&opts, &s, &err), -EINVAL);
    assert_non_null(strstr(err.text, "[site] zone"));
}

static void a_mount_is_what_the_site_calls_it(void **state)
{
    (void)state;
    AUTO(job_sources_done) struct job_sources s = { 0 };
    struct job_input_site site = { 0 };
    const struct job_sources_opts opts = {
        .site = text_write(0, "site.conf",
                           "[filesystem cscratch]\npath = /global/cscratch1\n"
                           "fsname = snx\npeak = 700GB\nservers = 4\ntargets = 8\n"
                           "fabric = ib\n"
                           "[filesystem home]\npath = /home\n"),
    };
    sources_open(&opts, &s);
    s.inputs.site(s.inputs.arg, "/elsewhere", &site);
    assert_null(site.name);
    s.inputs.site(s.inputs.arg, NULL, &site);
    assert_null(site.name);
    s.inputs.site(s.inputs.arg, "/global/cscratch1/ann", &site);
    assert_string_equal(site.name, "cscratch");
    assert_string_equal(site.fsname, "snx");
    assert_true(site.peak_bytes_per_s > 0);
    assert_int_equal(site.servers, 4);
    assert_int_equal(site.targets, 8);
    assert_true(site.has_fabric);
    s.inputs.site(s.inputs.arg, "/home", &site);
    assert_string_equal(site.name, "home");
    assert_false(site.has_fabric);
    assert_true(site.peak_bytes_per_s == 0);
}

static void series_are_those_of_the_window_and_the_file_system(void **state)
{
    (void)state;
    AUTO(job_sources_done) struct job_sources s = { 0 };
    const char *series[] = { mmpmon_write(0, "a_scratch", 5),
                             mmpmon_write(1, "a_home", 5) };
    const struct job_sources_opts opts = {
        .series = OPTION_OF(series),
        .site = text_write(2, "own.conf",
                           "[filesystem scratch]\npath = /scratch\nseries = *_scratch\n"
                           "fabric = ib\n"
                           "[filesystem home]\npath = /home\nseries = *_home\n"
                           "fabric = ib\n"),
    };
    static const struct {
        const char *mount;
        int64_t from_s;
        size_t count;
        const char *name;
    } cases[] = {
        { "/scratch", START_S, 1, "a_scratch" }, { "/home/ann", START_S, 1, "a_home" },
        { "/elsewhere/x", START_S, 0, "" },      { NULL, START_S, 0, "" },
        { "/scratch", START_S + DAY_S, 0, "" },
    };
    sources_open(&opts, &s);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct job_window window = { cases[i].mount, cases[i].from_s,
                                           cases[i].from_s + 10 };
        struct job_input_series got = { 0 };
        int rc = s.inputs.series(s.inputs.arg, &window, &got, NULL);
        if (rc != 0 || got.count != cases[i].count ||
            !strstr(got.names, cases[i].name) || !strstr(got.reference, cases[i].name))
            fail_msg("%zu: %d: %zu, %s, %s", i, rc, got.count, got.names,
                     got.reference);
    }
}

static void a_series_that_went_away_is_an_error(void **state)
{
    (void)state;
    AUTO(job_sources_done) struct job_sources s = { 0 };
    const char *series[] = { mmpmon_write(0, "gone", 5) };
    const struct job_sources_opts opts = { .series = OPTION_OF(series) };
    const struct job_window window = { "/a", START_S, START_S + 10 };
    struct job_input_series got = { 0 };
    struct err err = { 0 };
    sources_open(&opts, &s);
    assert_int_equal(unlink(series[0]), 0);
    assert_int_equal(s.inputs.series(s.inputs.arg, &window, &got, &err), -ENOENT);
    assert_non_null(strstr(err.text, "gone"));
}

/* ---- health ---- */

static void sample_add(const char *dir, enum health_kind kind, int64_t t_s,
                       const char *text)
{
    AUTO(health_state_done) struct health_state state = { .fd = -1 };
    uint64_t torn_bytes;
    assert_int_equal(health_state_open(dir, kind, &state, NULL), 0);
    assert_int_equal(health_state_append(dir, kind, &state, t_s * NS_PER_S,
                                         span_of(text), &torn_bytes, NULL),
                     0);
}

/* A directory with two days of df and one of dl, and a file. */
static void health_make(const char *health[2])
{
    static int made;
    char name[32];
    (void)snprintf(name, sizeof name, "health%d", made++);
    (void)snprintf(paths[6], sizeof paths[6], "%s", scratch_path(name));
    assert_int_equal(mkdir(paths[6], 0700), 0);
    sample_add(paths[6], HEALTH_KIND_SPACE, START_S, "one\n");
    sample_add(paths[6], HEALTH_KIND_SPACE, START_S + DAY_S, "two\n");
    sample_add(paths[6], HEALTH_KIND_SERVERS, START_S, "dl\n");
    health[0] = paths[6];
    health[1] = text_write(7, "df.txt", "of a file\n");
}

static void spans_print(const struct span *spans, size_t count, struct strbuf *out)
{
    for (size_t i = 0; i < count; i++)
        strbuf_addf(out, "(" SPAN_FMT ")", SPAN_ARG(spans[i]));
}

static void health_is_of_the_day_of_a_time(void **state)
{
    (void)state;
    AUTO(job_sources_done) struct job_sources s = { 0 };
    const char *health[2];
    health_make(health);
    const struct job_sources_opts opts = { .health = OPTION_OF(health) };
    static const struct {
        int64_t t_s;
        const char *want;
    } cases[] = {
        { START_S + 60,
          "(BEGIN 1500000000\none\n)(BEGIN 1500000000\ndl\n)(of a file\n)" },
        { START_S + DAY_S + 60,
          "(BEGIN 1500086400\ntwo\n)(BEGIN 1500000000\ndl\n)(of a file\n)" },
        { START_S - DAY_S, "()()(of a file\n)" },
    };
    sources_open(&opts, &s);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
        const struct span *texts = NULL;
        size_t count = 0;
        assert_int_equal(s.inputs.health(s.inputs.arg, cases[i].t_s * NS_PER_S, &texts,
                                         &count, NULL),
                         0);
        spans_print(texts, count, &got);
        assert_string_equal(strbuf_text(&got), cases[i].want);
    }
}

static void health_of_a_window_has_each_day_once(void **state)
{
    (void)state;
    AUTO(job_sources_done) struct job_sources s = { 0 };
    const char *health[2];
    health_make(health);
    const struct job_sources_opts opts = { .health = OPTION_OF(health) };
#define ONE "\nBEGIN -\nBEGIN 1500000000\none\n"
#define TWO "\nBEGIN -\nBEGIN 1500086400\ntwo\n"
#define DL "\nBEGIN -\nBEGIN 1500000000\ndl\n"
    static const struct {
        int64_t from_s, to_s;
        const char *want;
    } cases[] = {
        { START_S + 60, START_S + 120, "(" ONE ")(" DL ")(of a file\n)()" },
        { START_S + 60, START_S + 5 * DAY_S, "(" ONE TWO ")(" DL ")(of a file\n)()" },
        { START_S - 3 * DAY_S, START_S + DAY_S,
          "(" ONE TWO ")(" DL ")(of a file\n)()" },
        { START_S - 3 * DAY_S, START_S - 2 * DAY_S, "()()(of a file\n)()" },
        { START_S + DAY_S, START_S, "(" ONE ")(" DL ")(of a file\n)()" },
    };
#undef ONE
#undef TWO
#undef DL
    sources_open(&opts, &s);
    assert_int_equal(job_sources_health_max(&s), 4);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
        struct strbuf room[4] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
        struct span spans[4] = { 0 };
        assert_int_equal(job_sources_health(&s, cases[i].from_s * NS_PER_S,
                                            cases[i].to_s * NS_PER_S, room, spans,
                                            NULL),
                         0);
        spans_print(spans, 4, &got);
        for (size_t k = 0; k < 4; k++)
            strbuf_done(&room[k]);
        if (strcmp(strbuf_text(&got), cases[i].want) != 0)
            fail_msg("%zu: got %s", i, strbuf_text(&got));
    }
}

static void health_that_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    AUTO(job_sources_done) struct job_sources s = { 0 };
    const char *health[2];
    const struct span *texts;
    size_t count;
    struct err err = { 0 };
    struct strbuf room[4] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
    struct span spans[4];
    char path[256];
    health_make(health);
    const struct job_sources_opts opts = { .health = OPTION_OF(health) };
    sources_open(&opts, &s);
    (void)snprintf(path, sizeof path, "%s/df-2017-07-14.txt", health[0]);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_true(
        s.inputs.health(s.inputs.arg, START_S * NS_PER_S, &texts, &count, &err) < 0);
    assert_true(job_sources_health(&s, START_S * NS_PER_S, START_S * NS_PER_S, room,
                                   spans, &err) < 0);
    assert_non_null(strstr(err.text, "df-2017-07-14.txt"));
    for (size_t k = 0; k < 4; k++)
        strbuf_done(&room[k]);
}

/* ---- jobs and topology ---- */

#define SACCT "JobID|User|Submit|Start|End|NNodes|NodeList\n"

static void jobs_are_moved_by_their_clock(void **state)
{
    (void)state;
    AUTO(job_sources_done) struct job_sources s = { 0 };
    const char *jobs[] = { text_write(0, "a.txt",
                                      SACCT "1|ann|90|100|200|1|n1\n"
                                            "2|bob|95|Unknown|Unknown|1|n2\n"),
                           text_write(1, "b.txt",
                                      SACCT "3|eve|x|100|200|1|n3\n"
                                            "4|ann|Unknown|300|400|1|n1\n") };
    static const char *clocks[] = { "jobs=30s" };
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    const struct job_sources_opts opts = { .jobs = OPTION_OF(jobs),
                                           .clocks = OPTION_OF(clocks),
                                           .access = { .log = on_log,
                                                       .log_arg = &log } };
    const struct job_list *list = NULL;
    sources_open(&opts, &s);
    assert_string_equal(s.inputs.clocks, "jobs=30s");
    assert_int_equal(s.inputs.jobs(s.inputs.arg,
                                   &(struct job_target_request){ NULL, 0, 1 }, &list,
                                   NULL),
                     0);
    assert_int_equal(list->count, 3);
    assert_int_equal(list->jobs[0].submit_ns, 120 * NS_PER_S);
    assert_int_equal(list->jobs[0].start_ns, 130 * NS_PER_S);
    assert_int_equal(list->jobs[0].end_ns, 230 * NS_PER_S);
    assert_int_equal(list->jobs[1].submit_ns, 125 * NS_PER_S);
    assert_true(list->jobs[1].start_ns == JOB_TIME_NONE);
    assert_true(list->jobs[1].end_ns == JOB_TIME_NONE);
    assert_true(list->jobs[2].submit_ns == JOB_TIME_NONE);
    assert_non_null(strstr(strbuf_text(&log), "b.txt:2: "));
}

static void jobs_of_a_barod_are_those_of_the_window(void **state)
{
    (void)state;
    static const struct barod_response some = {
        "from=2017-07-14T02:39:30Z to=2017-07-14T02:40:30Z", 200,
        "{\"id\":\"1\",\"start\":1500000000}\n", false
    };
    static const struct barod_response others = { NULL, 200, "", false };
    AUTO(job_sources_done) struct job_sources s = { 0 };
    const char *jobs[] = { barod.url };
    static const char *clocks[] = { "jobs=30s" };
    const struct job_sources_opts opts = { .jobs = OPTION_OF(jobs),
                                           .clocks = OPTION_OF(clocks),
                                           .cluster = "alex",
                                           .access = { .token_file = "" } };
    const int64_t from_ns = START_S * NS_PER_S, to_ns = from_ns + 60 * NS_PER_S;
    const struct job_target_request request = { "scratch", from_ns, to_ns };
    const struct job_list *list = NULL;
    struct err err = { 0 };
    barod_script(&barod, &some, 1);
    sources_open(&opts, &s);
    assert_string_equal(strbuf_text(&barod.requests), ""); /* for each job alone */
    if (s.inputs.jobs(s.inputs.arg, &request, &list, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(list->count, 1);
    assert_int_equal(list->jobs[0].start_ns, from_ns + 30 * NS_PER_S);
    assert_non_null(strstr(strbuf_text(&barod.requests), " cluster=alex "));
    assert_non_null(strstr(strbuf_text(&barod.requests), "fs=scratch"));
    barod_script(&barod, &others, 1);
    assert_int_equal(job_sources_jobs(&s, &request, &list, NULL), 0);
    assert_int_equal(list->count, 0); /* those of the first window are gone */
    barod_script(&barod, NULL, 0);
    assert_int_equal(job_sources_jobs(&s, &request, &list, &err), -ENOENT);
}

static void a_topology_is_read_but_its_bad_lines(void **state)
{
    (void)state;
    AUTO(job_sources_done) struct job_sources s = { 0 };
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
    const char *topology[] = { text_write(0, "nodes", "n1 1 2 3\nn2 1\nn2 via g1\n") };
    const struct job_sources_opts opts = {
        .topology = OPTION_OF(topology), .access = { .log = on_log, .log_arg = &log }
    };
    const struct node_map *nodes = NULL;
    const struct job_list *jobs = NULL;
    sources_open(&opts, &s);
    strbuf_addf(&want,
                "%s: line 2: it is neither 'NODES X Y Z' nor 'NODES via GATEWAYS'\n",
                topology[0]);
    assert_string_equal(strbuf_text(&log), strbuf_text(&want));
    assert_int_equal(s.inputs.topology(s.inputs.arg, &nodes, NULL), 0);
    assert_non_null(node_map_find(nodes, SPAN("n1")));
    assert_int_equal(node_map_find(nodes, SPAN("n2"))->gateway_count, 1);
    assert_int_equal(s.inputs.jobs(s.inputs.arg,
                                   &(struct job_target_request){ NULL, 0, 1 }, &jobs,
                                   NULL),
                     0);
    assert_int_equal(jobs->count, 0); /* known, and none */
}

static int begin(void **state)
{
    return scratch_make(state) < 0 ? -1 : barod_begin(state);
}

static int end(void **state)
{
    return barod_end(state) < 0 ? -1 : scratch_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_options_nothing_is_known),
        cmocka_unit_test(what_cannot_be_opened_is_an_error),
        cmocka_unit_test(a_zone_of_the_site_that_is_none_is_an_error),
        cmocka_unit_test(a_mount_is_what_the_site_calls_it),
        cmocka_unit_test(series_are_those_of_the_window_and_the_file_system),
        cmocka_unit_test(a_series_that_went_away_is_an_error),
        cmocka_unit_test(health_is_of_the_day_of_a_time),
        cmocka_unit_test(health_of_a_window_has_each_day_once),
        cmocka_unit_test(health_that_cannot_be_read_is_an_error),
        cmocka_unit_test(jobs_are_moved_by_their_clock),
        cmocka_unit_test(jobs_of_a_barod_are_those_of_the_window),
        cmocka_unit_test(a_topology_is_read_but_its_bad_lines),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
