/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_stored - a context of what is stored, without a log: what readers see is
 * added, and what they do not is named.
 */
#include "analysis/job/job.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <string.h>

/* Evidence of one job, as a test wants it. */
struct fake {
    bool is_running;
    bool has_nodes;     /* the batch system named them */
    bool has_summary;   /* with a window and neighbours */
    int servers, nodes; /* -errno of the readers */
    int series, jobs;   /* likewise */
    int series_calls;
    struct job_request servers_request, nodes_request;
    struct job_list list;
};

static int fake_stored(void *arg, const char *id, struct job_context *ret,
                       struct err *err)
{
    const struct fake *fake = arg;
    if (strcmp(id, "4711") != 0)
        return err_set(err, ENOENT, "nothing is known of a job %s", id);
    ret->identity.id = job_context_text(ret, id);
    ret->identity.cluster = job_context_text(ret, "big");
    ret->identity.start_ns = 1500000000 * NS_PER_S;
    if (!fake->is_running)
        ret->identity.end_ns = 1500000060 * NS_PER_S;
    if (fake->has_nodes)
        ret->identity.nodes = job_context_text(ret, "n[1-2]");
    if (fake->has_summary) {
        ret->facts.start_s = 1500000010;
        ret->facts.end_s = 1500000050;
        ret->neighbours.jobs = 17;
        ret->weather.oss_cpu.average = 12.5;
    }
    return 0;
}

static int fake_servers(void *arg, const struct job_request *job,
                        struct job_servers *ret, struct err *err)
{
    struct fake *fake = arg;
    fake->servers_request = *job;
    if (fake->servers < 0)
        return err_set(err, -fake->servers, "no rows of this job");
    ret->own.written_bytes = 4096;
    return 0;
}

static int fake_nodes(void *arg, const struct job_request *job, struct arena *arena,
                      struct node_samples *ret, struct err *err)
{
    static const double values[] = { 2, 1 };
    static const struct node_samples_row rows[] = {
        { .host = 0,
          .device = "",
          .samples = 1,
          .min = 2,
          .max = 2,
          .values = &values[0] },
        { .host = 1,
          .device = "",
          .samples = 1,
          .min = 1,
          .max = 1,
          .values = &values[1] },
    };
    static const struct node_samples_metric metrics[] = {
        { .name = "cpu_load", .unit = "", .rows = rows, .row_count = 2 },
    };
    static const char *const hosts[] = { "n1", "n2" };
    struct fake *fake = arg;
    (void)arena;
    fake->nodes_request = *job;
    if (fake->nodes < 0)
        return err_set(err, -fake->nodes, "the store is away");
    *ret = (struct node_samples){ .cluster = "big",
                                  .from_ns = job->start_s * NS_PER_S,
                                  .to_ns = job->end_s * NS_PER_S,
                                  .window_ns = 60 * NS_PER_S,
                                  .window_count = 1,
                                  .hosts = hosts,
                                  .host_count = 2,
                                  .metrics = metrics,
                                  .metric_count = 1 };
    return 0;
}

static int fake_series(void *arg, const struct job_window *window,
                       struct job_input_series *ret, struct err *err)
{
    struct fake *fake = arg;
    (void)window, (void)ret;
    fake->series_calls++;
    return fake->series < 0 ? err_set(err, -fake->series, "no rows then") : 0;
}

static int fake_jobs(void *arg, const struct job_target_request *request,
                     const struct job_list **ret, struct err *err)
{
    struct fake *fake = arg;
    (void)request, (void)err;
    *ret = &fake->list;
    return fake->jobs;
}

static int build(struct fake *fake, const char *id, struct job_context *c,
                 struct err *err)
{
    const struct job_inputs inputs = { .arg = fake,
                                       .stored = fake_stored,
                                       .servers = fake_servers,
                                       .nodes = fake_nodes,
                                       .series = fake_series,
                                       .jobs = fake_jobs };
    job_list_init(&fake->list);
    job_context_init(c);
    int rc = job_build_stored(&inputs, id, c, err);
    job_list_done(&fake->list);
    return rc;
}

static void a_job_that_is_not_stored_is_none(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake = { 0 };
    struct err err = { 0 };
    assert_int_equal(build(&fake, "4712", &c, &err), -ENOENT);
    assert_string_equal(err.text, "nothing is known of a job 4712");
}

static void without_a_reader_of_stored_jobs_there_is_none(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    const struct job_inputs inputs = { 0 };
    struct err err = { 0 };
    job_context_init(&c);
    assert_int_equal(job_build_stored(&inputs, "4711", &c, &err), -ENOENT);
}

static void each_reader_adds_its_part(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake = { .has_nodes = true };
    struct err err = { 0 };
    assert_int_equal(build(&fake, "4711", &c, &err), 0);
    assert_true(c.has_servers);
    assert_int_equal(c.servers.own.written_bytes, 4096);
    assert_int_equal(c.nodes.footprint.metric_count, 1);
    assert_true(c.nodes.footprint.metrics[0].median == 1.5);
    assert_true(job_context_has(&c, JOB_PART_NODES, NULL));
    assert_true(job_context_has(&c, JOB_PART_SERVERS, NULL));
    assert_string_equal(fake.servers_request.id, "4711");
    assert_null(fake.servers_request.run);
    assert_int_equal(fake.servers_request.start_s, 1500000000);
    assert_int_equal(fake.servers_request.end_s, 1500000060);
    assert_string_equal(fake.nodes_request.hosts, "n[1-2]");
    assert_string_equal(fake.nodes_request.cluster, "big");
    assert_int_equal(fake.series_calls, 1);
}

static void the_log_knows_the_window_better_than_the_batch_system(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake = { .has_summary = true };
    struct err err = { 0 };
    assert_int_equal(build(&fake, "4711", &c, &err), 0);
    assert_int_equal(fake.servers_request.start_s, 1500000010);
    assert_int_equal(fake.servers_request.end_s, 1500000050);
}

static void what_the_summary_has_stays(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake = { .has_summary = true, .series = -EIO };
    struct err err = { 0 };
    assert_int_equal(build(&fake, "4711", &c, &err), 0);
    assert_int_equal(fake.series_calls, 0);
    assert_int_equal(c.neighbours.jobs, 17);
    assert_true(c.weather.oss_cpu.average == 12.5);
}

static void what_is_not_there_has_its_reason(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake = { .servers = -ENOENT, .nodes = -ENODATA, .series = -ENOENT };
    struct err err = { 0 };
    const char *reason = NULL;
    fake.has_nodes = true;
    assert_int_equal(build(&fake, "4711", &c, &err), 0);
    assert_false(job_context_has(&c, JOB_PART_SERVERS, &reason));
    assert_string_equal(reason, "no rows of this job");
    assert_false(job_context_has(&c, JOB_PART_NODES, &reason));
    assert_string_equal(reason, "the store is away");
    assert_false(job_context_has(&c, JOB_PART_WEATHER, &reason));
    assert_string_equal(reason, "no rows then");
    assert_false(job_context_has(&c, JOB_PART_SITE, &reason));
    assert_null(reason);
}

static void nodes_that_are_not_known_are_the_reason(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake = { 0 };
    struct err err = { 0 };
    assert_int_equal(build(&fake, "4711", &c, &err), 0);
    assert_null(fake.nodes_request.id); /* the reader was not called */
    assert_string_equal(c.nodes.refused, "on which nodes it ran is not known");
}

static void a_reader_that_fails_ends_it(void **state)
{
    (void)state;
    static const struct fake fakes[] = {
        { .servers = -EIO },
        { .has_nodes = true, .nodes = -EIO },
        { .series = -EIO },
        { .jobs = -EIO },
    };
    for (size_t i = 0; i < COUNT_OF(fakes); i++) {
        AUTO(job_context_done) struct job_context c;
        struct fake fake = fakes[i];
        struct err err = { 0 };
        assert_int_equal(build(&fake, "4711", &c, &err), -EIO);
    }
}

static void of_a_job_that_runs_only_what_is_stored_is_known(void **state)
{
    (void)state;
    AUTO(job_context_done) struct job_context c;
    struct fake fake = { .is_running = true, .has_nodes = true, .servers = -EIO };
    struct err err = { 0 };
    const char *reason = NULL;
    assert_int_equal(build(&fake, "4711", &c, &err), 0);
    assert_string_equal(c.identity.nodes, "n[1-2]");
    assert_false(job_context_has(&c, JOB_PART_SERVERS, &reason));
    assert_string_equal(reason, "when it ran is not known, or it has not ended");
    assert_int_equal(fake.series_calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_that_is_not_stored_is_none),
        cmocka_unit_test(without_a_reader_of_stored_jobs_there_is_none),
        cmocka_unit_test(each_reader_adds_its_part),
        cmocka_unit_test(the_log_knows_the_window_better_than_the_batch_system),
        cmocka_unit_test(what_the_summary_has_stays),
        cmocka_unit_test(what_is_not_there_has_its_reason),
        cmocka_unit_test(nodes_that_are_not_known_are_the_reason),
        cmocka_unit_test(a_reader_that_fails_ends_it),
        cmocka_unit_test(of_a_job_that_runs_only_what_is_stored_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
