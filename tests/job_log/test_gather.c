/* SPDX-License-Identifier: Apache-2.0 */
/* test_gather - a job, or a pair, with what is named of its time and of its class. */
#include "base/span.h"
#include "base/test/directory.h"
#include "client/job/job.h"
#include "client/job/test/barod.h"
#include "job_log_fixture.h"

#include <inttypes.h>
#include <string.h>

#define START_S INT64_C(1500000000) /* of the log */
#define OPTION_OF(list)      \
    {                        \
        list, COUNT_OF(list) \
    }

static char dir[DIRECTORY_PATH_MAX];

static const char *path_of(const char *name)
{
    static char paths[8][DIRECTORY_PATH_MAX + 32];
    static unsigned next;
    char *path = paths[next++ % COUNT_OF(paths)];
    (void)snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

static const char *text_write(const char *name, const char *text)
{
    directory_write(dir, name, text, strlen(text));
    return path_of(name);
}

static int files_make(void **state)
{
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    directory_make(dir);
    log_fill(&m);
    log_make(&m, &bytes);
    directory_write(dir, "a.darshan", bytes.data, bytes.size);
    directory_write(dir, "b.darshan", bytes.data, bytes.size);
    (void)text_write("map.conf", "[study]\ntime = _datetime_start\n"
                                 "performance = darshan_nprocs\nclass = darshan_app\n");
    (void)text_write("runs.csv", "darshan_app,_datetime_start,darshan_nprocs\n"
                                 "./app,1490000000,8\n./app,1490000060,2\n");
    return barod_begin(state);
}

static int files_remove(void **state)
{
    directory_remove(dir);
    return barod_end(state);
}

/* A table in which so many bytes are written in the step of at_s, and none before or
 * behind it; its name as a series. */
static const char *series_write(int64_t at_s, uint64_t bytes)
{
    static char name[3 * DIRECTORY_PATH_MAX];
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const char *map = text_write("table.conf", "[table]\ntime = t\ncomponent = ost\n"
                                               "[measure datatargets/readbytes]\n"
                                               "column = r\nkind = count\n"
                                               "[measure datatargets/writebytes]\n"
                                               "column = w\nkind = count\n");
    strbuf_adds(&text, "t,r,w\n");
    for (int64_t t_s = START_S - 700; t_s < START_S + 800; t_s += 5)
        strbuf_addf(&text, "%" PRId64 ",0,%" PRIu64 "\n", t_s, t_s == at_s ? bytes : 0);
    (void)snprintf(name, sizeof name, "map:%s:%s", map,
                   text_write("table.csv", strbuf_text(&text)));
    return name;
}

static void log_open(const char *name, struct job_operand *ret)
{
    static const struct client_endpoint none = { .server = "unix:/no/sock" };
    struct err err = { 0 };
    if (job_operand_find(&none, NULL, path_of(name), ret, &err) < 0 ||
        job_operand_read(ret, &err) < 0)
        fail_msg("%s", err.text);
}

/* As a barod has it, whose log is not here. */
static void stored_open(struct job_operand *ret)
{
    static const struct barod_response one = {
        NULL, 200,
        "{\"_jobid\":\"4711\",\"_log\":\"/no/a.darshan\",\"darshan_app\":\"./app\","
        "\"_datetime_start\":1500000000,\"darshan_nprocs\":4}\n",
        false
    };
    const struct client_endpoint there = { .server = barod.url, .token_file = "" };
    struct err err = { 0 };
    barod_script(&barod, &one, 1);
    if (job_operand_find(&there, NULL, "4711", ret, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(ret->is_stored && !ret->is_readable);
}

/* What was gathered of one job; ended with after each case. */
struct gathered {
    struct job_gather gather;
    struct job_comparison got;
    struct err err;
};

static void gathered_done(struct gathered *g)
{
    job_comparison_done(&g->got);
    job_gather_done(&g->gather);
}
DEFINE_AUTO_DONE(struct gathered, gathered_done);

static int gather(const struct job_gather_args *args, const struct job_operand *jobs,
                  size_t count, struct gathered *g)
{
    return job_gather(args, jobs, count, &g->gather, &g->got, &g->err);
}

static void where_nothing_is_named_nothing_is_gathered(void **state)
{
    (void)state;
    static const struct job_gather_args none = { 0 };
    AUTO(job_operand_done) struct job_operand job = { 0 };
    AUTO(gathered_done) struct gathered g = { 0 };
    log_open("a.darshan", &job);
    assert_int_equal(gather(&none, &job, 1, &g), 0);
    assert_int_equal(g.got.count, 0);
    assert_false(g.gather.is_open);
}

static void climate_and_map_go_together(void **state)
{
    (void)state;
    const char *file[] = { "runs.csv" }, *mixed[] = { "barod", "runs.csv" };
    const struct {
        struct job_gather_args args;
        bool is_stored;
    } cases[] = {
        { { .climate = OPTION_OF(file) }, false },
        { { .climate = OPTION_OF(file), .map_default = path_of("map.conf") }, false },
        { { .climate = OPTION_OF(mixed), .map_default = path_of("map.conf") }, true },
        { { .map = "map.conf" }, false },
        { { .climate = OPTION_OF(file), .map_default = "/no/map" }, true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct job_operand job = { .is_stored = cases[i].is_stored };
        AUTO(gathered_done) struct gathered g = { 0 };
        int rc = gather(&cases[i].args, &job, 1, &g);
        if (rc != -EINVAL || strcmp(g.err.text, "--climate and --map go together") != 0)
            fail_msg("%zu: %d: %s", i, rc, g.err.text);
        assert_int_equal(g.got.count, 0);
    }
}

static void a_log_is_read_with_what_was_around_it(void **state)
{
    (void)state;
    AUTO(job_operand_done) struct job_operand job = { 0 };
    AUTO(gathered_done) struct gathered g = { 0 };
    const char *series[] = { series_write(START_S + 10, 10 * MIB) };
    const char *jobs[] = { text_write("jobs.txt",
                                      "JobID|Cluster|User|Start|End|NNodes|NodeList\n"
                                      "4711|alex|ann|1500000000|1500000060|2|n[1-2]\n"
                                      "4712|alex|bob|1500000030|1500000060|1|n3\n") };
    static const char *clocks[] = { "health=2s" };
    const struct job_gather_args args = {
        .sources = { .series = OPTION_OF(series),
                     .jobs = OPTION_OF(jobs),
                     .clocks = OPTION_OF(clocks),
                     .cluster = "alex",
                     .site =
                         text_write("site.conf", "[filesystem fast]\npath = /scratch\n"
                                                 "peak = 1GB\nservers = 3\n") },
    };
    log_open("a.darshan", &job);
    if (gather(&args, &job, 1, &g) < 0)
        fail_msg("%s", g.err.text);
    const struct job_context *c = &g.got.jobs[0];
    assert_int_equal(g.got.count, 1);
    assert_string_equal(g.got.clocks, "health=2s");
    assert_string_equal(c->identity.id, "4711");
    assert_string_equal(c->identity.cluster, "alex");
    assert_string_equal(c->identity.user, "ann");
    assert_string_equal(c->identity.file_system, "fast");
    assert_int_equal(c->site.servers, 3);
    assert_int_equal(c->identity.from_s, START_S);
    assert_int_equal(c->weather.step_s, 5);
    assert_true(c->weather.flows[LMT_WRITE_BYTES].total == 10 * MIB);
    assert_false(g.got.has_climate);
    assert_false(g.got.has_clock);
}

static void a_stored_summary_is_used_where_nothing_else_is_named(void **state)
{
    (void)state;
    static const struct job_gather_args none = { .map_default = "/no/map" };
    AUTO(job_operand_done) struct job_operand job = { 0 };
    AUTO(gathered_done) struct gathered g = { 0 };
    stored_open(&job);
    if (gather(&none, &job, 1, &g) < 0)
        fail_msg("%s", g.err.text);
    assert_int_equal(g.got.count, 1);
    assert_string_equal(g.got.jobs[0].identity.log, "/no/a.darshan");
    assert_int_equal(g.got.jobs[0].facts.nprocs, 4);
    assert_false(g.got.has_climate);
}

static void a_context_wants_a_log_that_is_here(void **state)
{
    (void)state;
    const char *series[] = { series_write(START_S, 1) };
    const struct {
        struct job_gather_args args;
        bool has_log;
        const char *reason;
    } cases[] = {
        { { .sources.series = OPTION_OF(series) },
          true,
          "the log /no/a.darshan cannot be read here" },
        { { .sources.series = OPTION_OF(series) },
          false,
          "the log of it cannot be read here" },
        { { .sources.site = "/no/site.conf" }, true, "/no/site.conf" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_operand_done) struct job_operand job = { 0 };
        AUTO(gathered_done) struct gathered g = { 0 };
        stored_open(&job);
        job.log = cases[i].has_log ? job.log : NULL;
        int rc = gather(&cases[i].args, &job, 1, &g);
        if (rc != -ENOENT || !strstr(g.err.text, cases[i].reason))
            fail_msg("%zu: %d: %s", i, rc, g.err.text);
    }
}

/* ---- the runs of its class ---- */

static void a_log_is_compared_with_the_runs_of_a_table(void **state)
{
    (void)state;
    AUTO(job_operand_done) struct job_operand job = { 0 };
    AUTO(gathered_done) struct gathered g = { 0 };
    const char *tables[] = { path_of("runs.csv") };
    const struct job_gather_args args = { .climate = OPTION_OF(tables),
                                          .map = path_of("map.conf") };
    log_open("a.darshan", &job);
    barod_script(&barod, NULL, 0);
    if (gather(&args, &job, 1, &g) < 0)
        fail_msg("%s", g.err.text);
    assert_true(g.got.has_climate);
    assert_string_equal(g.got.climate.set, "./app");
    assert_int_equal(g.got.climate.others, 2);
    assert_true(job_climate_find(&g.got.climate, JOB_CLIMATE_SPEED)->value == 0.5);
    assert_string_equal(strbuf_text(&barod.requests), "");
}

/* Each job is one, and its set has the same two others. */
static void two_logs_are_a_pair(void **state)
{
    (void)state;
    struct job_operand jobs[2] = { 0 };
    AUTO(gathered_done) struct gathered g = { 0 };
    const char *tables[] = { path_of("runs.csv") };
    const struct job_gather_args args = { .climate = OPTION_OF(tables),
                                          .map = path_of("map.conf") };
    log_open("a.darshan", &jobs[0]);
    log_open("b.darshan", &jobs[1]);
    if (gather(&args, jobs, 2, &g) < 0)
        fail_msg("%s", g.err.text);
    assert_int_equal(g.got.count, 2);
    assert_true(g.got.has_climate);
    assert_null(g.got.climate.other);
    assert_true(job_climate_find(&g.got.climate, JOB_CLIMATE_SPEED)->before == 0.5);
    job_operand_done(&jobs[0]);
    job_operand_done(&jobs[1]);
}

/* A stored one with those of its barod, by the map that is installed. */
static void a_stored_job_is_compared_with_the_runs_of_its_barod(void **state)
{
    (void)state;
    static const struct barod_response runs = {
        "format=csv", 200,
        "darshan_app,_datetime_start,darshan_nprocs\n./app,1490000000,8\n", false
    };
    const char *named[] = { "barod" };
    const struct {
        struct job_gather_args args;
    } cases[] = {
        { { .map_default = path_of("map.conf") } },
        { { .map = path_of("map.conf") } },
        { { .climate = OPTION_OF(named), .map_default = path_of("map.conf") } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_operand_done) struct job_operand job = { 0 };
        AUTO(gathered_done) struct gathered g = { 0 };
        struct job_gather_args args = cases[i].args;
        args.sources.access =
            (struct series_opts){ .server = barod.url, .token_file = "" };
        stored_open(&job);
        barod_script(&barod, &runs, 1);
        if (gather(&args, &job, 1, &g) < 0)
            fail_msg("%zu: %s", i, g.err.text);
        assert_true(g.got.has_climate);
        assert_int_equal(g.got.climate.others, 1);
        assert_true(
            span_starts(strbuf_span(&barod.requests), "GET /v1/summaries format=csv"));
    }
}

static void runs_that_cannot_be_read_are_an_error(void **state)
{
    (void)state;
    const char *away[] = { "/no/runs.csv" }, *here[] = { path_of("runs.csv") };
    const char *served[] = { barod.url };
    const struct job_gather_args cases[] = {
        { .climate = OPTION_OF(away), .map = path_of("map.conf") },
        { .climate = OPTION_OF(here), .map = "/no/map" },
        { .climate = OPTION_OF(served),
          .map = path_of("map.conf"),
          .sources.access.token_file = "" },
    };
    AUTO(job_operand_done) struct job_operand job = { 0 };
    log_open("a.darshan", &job);
    barod_script(&barod, NULL, 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(gathered_done) struct gathered g = { 0 };
        int rc = gather(&cases[i], &job, 1, &g);
        if (rc != -ENOENT || !g.err.text[0] || g.got.has_climate)
            fail_msg("%zu: %d: %s", i, rc, g.err.text);
    }
}

/* ---- clocks ---- */

/* The log wrote 4 MiB from 10 to 12 s after its start, and read 1 MiB at some time. */
static void a_clock_is_reported_where_most_of_the_bytes_may_be_the_jobs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t later_s;
        uint64_t bytes;
        bool has_clock;
        int64_t offset_s;
    } cases[] = {
        { "no offset", 0, 5 * MIB, false, 0 },
        { "a step is none", 5, 5 * MIB, false, 0 },
        { "two minutes later", 120, 5 * MIB, true, 120 },
        { "two minutes earlier", -120, 5 * MIB, true, -120 },
        { "a quarter is the job's at most", 120, 20 * MIB, false, 0 },
        { "the job moved more than they saw", 120, 1 * MIB, false, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_operand_done) struct job_operand job = { 0 };
        AUTO(gathered_done) struct gathered g = { 0 };
        const char *series[] = { series_write(START_S + 10 + cases[i].later_s,
                                              cases[i].bytes) };
        const struct job_gather_args args = { .sources.series = OPTION_OF(series) };
        log_open("a.darshan", &job);
        if (gather(&args, &job, 1, &g) < 0)
            fail_msg("%s: %s", cases[i].name, g.err.text);
        assert_int_equal(g.got.clock_step_s, 5);
        if (g.got.has_clock != cases[i].has_clock ||
            (cases[i].has_clock && g.got.clock.offset_s != cases[i].offset_s))
            fail_msg("%s: %d, %lld s, r %g", cases[i].name, g.got.has_clock,
                     (long long)g.got.clock.offset_s, g.got.clock.r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_nothing_is_named_nothing_is_gathered),
        cmocka_unit_test(climate_and_map_go_together),
        cmocka_unit_test(a_log_is_read_with_what_was_around_it),
        cmocka_unit_test(a_stored_summary_is_used_where_nothing_else_is_named),
        cmocka_unit_test(a_context_wants_a_log_that_is_here),
        cmocka_unit_test(a_log_is_compared_with_the_runs_of_a_table),
        cmocka_unit_test(two_logs_are_a_pair),
        cmocka_unit_test(a_stored_job_is_compared_with_the_runs_of_its_barod),
        cmocka_unit_test(runs_that_cannot_be_read_are_an_error),
        cmocka_unit_test(a_clock_is_reported_where_most_of_the_bytes_may_be_the_jobs),
    };
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
