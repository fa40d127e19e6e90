/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_builder - a context out of inputs: of none, of each reader, of one that
 * fails.
 */
#include "analysis/job/job.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

#define START_S INT64_C(1500000000)
#define END_S (START_S + 60)

/* What the test answers, and what it was asked for. */
struct fake {
    struct job_list jobs;
    struct node_map nodes;
    struct span health;
    const char *mount; /* that the site was asked for */
    struct job_window window;
    char jobs_fs[32];
    int64_t health_ns, jobs_from_ns, jobs_to_ns;
    int rc; /* of every reader */
};

static void fake_site(void *arg, const char *mount, struct job_input_site *ret)
{
    struct fake *fake = arg;
    fake->mount = mount;
    *ret = (struct job_input_site){ .name = "scratch3",
                                    .fsname = "snx11168",
                                    .peak_bytes_per_s = 1e9,
                                    .servers = 248,
                                    .has_fabric = true };
}

static int fake_series(void *arg, const struct job_window *window,
                       struct job_input_series *ret, struct err *err)
{
    struct fake *fake = arg;
    fake->window = *window;
    ret->names = "day.hdf5";
    return fake->rc < 0 ? err_set(err, -fake->rc, "the disk is gone") : 0;
}

static int fake_fabric(void *arg, const struct job_window *window, struct fabric *ret,
                       struct err *err)
{
    (void)arg;
    (void)window;
    (void)err;
    *ret = (struct fabric){ .is_known = true,
                            .fabrics = span_dup(SPAN("san")),
                            .names = span_dup(SPAN("fs1")),
                            .days = 5 };
    return 0;
}

static int fake_health(void *arg, int64_t t_ns, const struct span **ret,
                       size_t *ret_count, struct err *err)
{
    struct fake *fake = arg;
    (void)err;
    fake->health_ns = t_ns;
    *ret = &fake->health;
    *ret_count = 1;
    return 0;
}

static int fake_jobs(void *arg, const struct job_target_request *request,
                     const struct job_list **ret, struct err *err)
{
    struct fake *fake = arg;
    (void)err;
    fake->jobs_from_ns = request->from_ns;
    fake->jobs_to_ns = request->to_ns;
    (void)snprintf(fake->jobs_fs, sizeof fake->jobs_fs, "%s",
                   request->fs ? request->fs : "");
    *ret = &fake->jobs;
    return 0;
}

static int fake_topology(void *arg, const struct node_map **ret, struct err *err)
{
    (void)err;
    *ret = &((struct fake *)arg)->nodes;
    return 0;
}

static void fake_init(struct fake *fake)
{
    const struct job job = { .cluster = SPAN("cori"),
                             .id = SPAN("4711"),
                             .raw_id = SPAN("4711"),
                             .user = SPAN("alice"),
                             .nodes = SPAN("nid[0001-0002]"),
                             .node_count = 2,
                             .start_ns = START_S * NS_PER_S,
                             .end_ns = END_S * NS_PER_S };
    *fake = (struct fake){ .health = SPAN("") };
    job_list_init(&fake->jobs);
    node_map_init(&fake->nodes);
    assert_int_equal(job_list_add(&fake->jobs, &job), 0);
    assert_int_equal(
        node_map_add(&fake->nodes, SPAN("nid0001 0 0 0\nnid0002 3 4 0\n"), NULL, NULL),
        0);
}

static void fake_done(struct fake *fake)
{
    job_list_done(&fake->jobs);
    node_map_done(&fake->nodes);
}

/* What a log says, without one. */
static void facts_fill(struct job_context *c)
{
    job_context_init(c);
    c->facts.jobid = "4711";
    c->facts.start_s = START_S;
    c->facts.end_s = END_S;
    c->facts.posix_mib_per_s = 100;
    c->facts.write.fs = "/global/cscratch1";
    c->facts.write.fs_bytes = 5;
}

static void without_readers_there_is_what_the_log_says(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    const struct job_inputs inputs = { 0 };
    struct err err = { 0 };
    facts_fill(&c);
    assert_int_equal(job_build_around(&inputs, &c, &err), 0);
    assert_string_equal(c.identity.id, "4711");
    assert_string_equal(c.identity.file_system, "cscratch1");
    assert_null(c.identity.cluster);
    assert_null(c.identity.user);
    assert_int_equal(c.identity.from_s, START_S);
    assert_true(c.identity.to_s > END_S);
    for (enum job_part part = JOB_PART_WEATHER; part < JOB_PART_COUNT; part++)
        if (job_context_has(&c, part, NULL))
            fail_msg("%s is there", job_part_name(part));
}

static void each_reader_fills_its_part(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake;
    fake_init(&fake);
    const struct job_inputs inputs = { .arg = &fake,
                                       .clocks = "series=-30s",
                                       .site = fake_site,
                                       .series = fake_series,
                                       .fabric = fake_fabric,
                                       .health = fake_health,
                                       .jobs = fake_jobs,
                                       .topology = fake_topology,
                                       .health_offset_s = 10 };
    facts_fill(&c);
    assert_int_equal(job_build_around(&inputs, &c, NULL), 0);
    assert_string_equal(fake.mount, "/global/cscratch1");
    assert_int_equal(fake.window.from_s, START_S);
    assert_int_equal(fake.window.to_s, END_S);
    assert_true(fake.health_ns == (START_S - 10) * NS_PER_S);
    assert_string_equal(fake.jobs_fs, "snx11168");
    assert_true(fake.jobs_from_ns == START_S * NS_PER_S);
    assert_true(fake.jobs_to_ns == (END_S + 1) * NS_PER_S); /* whole seconds */
    assert_string_equal(c.identity.file_system, "scratch3");
    assert_string_equal(c.identity.clocks, "series=-30s");
    assert_string_equal(c.identity.cluster, "cori");
    assert_string_equal(c.identity.user, "alice");
    assert_int_equal(c.site.servers, 248);
    assert_true(c.site.targets == JOB_I64_NONE);
    assert_true(fabs(c.site.fraction_of_peak - 0.1048576) < 1e-9);
    assert_int_equal(c.fabric.days, 5);
    assert_int_equal(c.neighbours.jobs, 1);
    assert_true(c.topology.radius_max == 2.5);
    assert_null(c.weather.source); /* no series: from nowhere */
    assert_non_null(c.health.refused);
    fake_done(&fake);
}

static void inputs_may_name_the_cluster(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake;
    fake_init(&fake);
    const struct job_inputs inputs = {
        .arg = &fake, .cluster = "edison", .jobs = fake_jobs, .topology = fake_topology
    };
    facts_fill(&c);
    assert_int_equal(job_build_around(&inputs, &c, NULL), 0);
    assert_string_equal(c.identity.cluster, "edison");
    assert_null(c.identity.user); /* the job of that id is another cluster's */
    assert_non_null(c.topology.refused);
    fake_done(&fake);
}

static void a_reader_that_fails_is_the_reason(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake;
    struct err err = { 0 };
    fake_init(&fake);
    fake.rc = -EIO;
    const struct job_inputs inputs = { .arg = &fake, .series = fake_series };
    facts_fill(&c);
    assert_int_equal(job_build_around(&inputs, &c, &err), -EIO);
    assert_string_equal(err.text, "the disk is gone");
    fake_done(&fake);
}

static void a_log_that_is_not_there_is_named(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    const struct job_inputs inputs = { 0 };
    struct err err = { 0 };
    job_context_init(&c);
    assert_int_equal(job_build(&inputs, "no-such.darshan", &c, NULL, &err), -ENOENT);
    assert_non_null(strstr(err.text, "no-such.darshan"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_readers_there_is_what_the_log_says),
        cmocka_unit_test(each_reader_fills_its_part),
        cmocka_unit_test(inputs_may_name_the_cluster),
        cmocka_unit_test(a_reader_that_fails_is_the_reason),
        cmocka_unit_test(a_log_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
