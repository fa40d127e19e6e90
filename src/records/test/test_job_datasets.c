/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_datasets - datasets of jobs in the database, the same for both engines. */
#include "base/number.h"
#include "base/span.h"
#include "records/job/job_datasets.h"
#include "records/records_private.h"
#include "records/test/fixture.h"

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

#define T(s) ((T0_MS / MS_PER_S - 1000 + (s)) * NS_PER_S)
#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct job_dataset mounted_at(const char *path, const char *host, int64_t t_ns)
{
    return (struct job_dataset){
        .cluster = SPAN("alex"),
        .job = SPAN("7"),
        .host = span_of(host),
        .uid = 1000,
        .t_ns = t_ns,
        .digest = SPAN(DIGEST),
        .name = SPAN("python:3.11"),
        .path = span_of(path),
        .options = SPAN("ro"),
        .command = SPAN("srun --dataset"),
    };
}

static void put(struct fixture *f, const struct job_dataset *datasets, size_t count,
                struct records_submission *ret)
{
    struct err err = { 0 };
    *ret = (struct records_submission){ 0 };
    if (records_put_job_datasets(f->records, datasets, count, T0_MS, ret, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
}

static int mounted_print(void *arg, const struct job_dataset_mounted *m)
{
    strbuf_addf(arg, "%lld-%lld " SPAN_FMT " " SPAN_FMT "%s\n",
                (long long)((m->dataset.t_ns - T(0)) / NS_PER_S),
                (long long)((m->last_ns - T(0)) / NS_PER_S), SPAN_ARG(m->dataset.host),
                SPAN_ARG(m->dataset.path), m->dataset.is_private ? " private" : "");
    return 0;
}

static void check(struct fixture *f, const char *uid, int64_t from_ns, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    const struct job_dataset_filter filter = { SPAN("alex"), SPAN("7"), span_of(uid),
                                               from_ns, T(500) };
    fixture_reopen(f);
    if (records_find_job_datasets(f->reader, &filter, mounted_print, &text, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
}

static void what_comes_twice_changes_nothing(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct job_dataset datasets[] = { mounted_at("/a b", "n1", T(10)),
                                          mounted_at("/a b", "n2", T(10)),
                                          mounted_at("/a b", "n1", T(10)) };
        struct records_submission got;
        put(&f, datasets, 3, &got);
        assert_int_equal(got.accepted, 2);
        assert_int_equal(got.duplicate, 1);
        put(&f, datasets, 3, &got);
        assert_int_equal(got.duplicate, 3);
        datasets[0].t_ns = T(20);
        put(&f, datasets, 1, &got);
        assert_int_equal(got.changed, 1);
        datasets[0].t_ns = T(15); /* it was on its way for long */
        put(&f, datasets, 1, &got);
        assert_int_equal(got.duplicate, 1);
        check(&f, "1000", T(0), "10-20 n1 /a b\n10-10 n2 /a b\n");
        check(&f, "1000", T(15), "10-20 n1 /a b\n");
        check(&f, "1001", T(0), "");
    }
}

/* Who could not see its name then does not see it later. */
static void what_was_private_stays_so(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct job_dataset dataset = mounted_at("/a", "n1", T(10));
        struct records_submission got;
        put(&f, &dataset, 1, &got);
        dataset.is_private = true;
        put(&f, &dataset, 1, &got);
        assert_int_equal(got.changed, 1);
        dataset.is_private = false;
        dataset.t_ns = T(30);
        put(&f, &dataset, 1, &got);
        check(&f, "1000", T(0), "10-30 n1 /a private\n");
    }
}

static void a_job_has_so_many_on_a_node_at_most(void **state)
{
    enum { COUNT = RECORDS_DATASETS_OF_NODE_MAX + 1 };
    static struct job_dataset datasets[COUNT];
    static char paths[COUNT][24];
    (void)state;
    EACH_ENGINE(f)
    {
        struct records_submission got;
        for (size_t i = 0; i < COUNT; i++) {
            (void)snprintf(paths[i], sizeof paths[i], "/p%zu", i);
            datasets[i] = mounted_at(paths[i], "n1", T(10));
        }
        put(&f, datasets, COUNT, &got);
        assert_int_equal(got.accepted, COUNT - 1);
        assert_int_equal(got.refused, 1);
        put(&f, datasets + COUNT - 1, 1, &got);
        assert_int_equal(got.refused, 1);
        datasets[0].t_ns = T(11);
        put(&f, datasets, 1, &got);
        assert_int_equal(got.changed, 1);
        datasets[COUNT - 1].host = SPAN("n2");
        put(&f, datasets + COUNT - 1, 1, &got);
        assert_int_equal(got.accepted, 1);
    }
}

#define OF_NODE RECORDS_DATASETS_OF_NODE_MAX
#define LINES ((size_t)10000)

static struct job_dataset lines[LINES];
static char texts[LINES][24];

/* Of two jobs by turns, each with so many paths. */
static void lines_alternate(size_t count, size_t paths)
{
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "/p%zu", i / 2 % paths);
        lines[i] = mounted_at(texts[i], "n1", T(10));
        lines[i].job = i % 2 ? SPAN("8") : SPAN("7");
    }
}

/* Who has the token of one node must not have the memory of barod, and not more rows
 * than by one job after the other. */
static void jobs_by_turns_are_counted_once(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct records_submission got;
        lines_alternate(2 * (OF_NODE + 100), OF_NODE + 100);
        put(&f, lines, 2 * (OF_NODE + 100), &got);
        assert_int_equal(got.accepted, 2 * OF_NODE);
        assert_int_equal(got.refused, 200);
        assert_int_equal(got.refusals[0].index, 2 * OF_NODE);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM job_datasets"),
                         2 * OF_NODE);
        lines_alternate(LINES, OF_NODE);
        put(&f, lines, LINES, &got);
        assert_int_equal(got.duplicate, LINES);
        assert_in_range(f.records->arena.used_bytes, 1, LINES * 4096);
    }
}

static void a_put_is_of_so_many_jobs_at_most(void **state)
{
    enum { COUNT = RECORDS_DATASETS_OF_PUT_MAX + 2 };
    (void)state;
    EACH_ENGINE(f)
    {
        struct records_submission got;
        for (size_t i = 0; i < COUNT; i++) {
            (void)snprintf(texts[i], sizeof texts[i], "%zu", i);
            lines[i] = mounted_at("/a", "n1", T(10));
            lines[i].job = span_of(texts[i]);
        }
        lines[COUNT - 1].job = SPAN("0"); /* one that was there */
        lines[COUNT - 1].path = SPAN("/b");
        put(&f, lines, COUNT, &got);
        assert_int_equal(got.accepted, COUNT - 1);
        assert_int_equal(got.refused, 1);
        assert_int_equal(got.refusals[0].index, COUNT - 2);
        put(&f, lines + COUNT - 2, 1, &got);
        assert_int_equal(got.accepted, 1);
    }
}

static void what_is_none_is_refused(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct job_dataset datasets[] = { mounted_at("/a", "n1", T(10)),
                                          mounted_at("a", "n1", T(10)),
                                          mounted_at("/b", "n1", T(100000)) };
        struct records_submission got;
        put(&f, datasets, 3, &got);
        assert_int_equal(got.accepted, 1);
        assert_int_equal(got.refused, 2);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM job_datasets"), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_twice_changes_nothing),
        cmocka_unit_test(what_was_private_stays_so),
        cmocka_unit_test(a_job_has_so_many_on_a_node_at_most),
        cmocka_unit_test(jobs_by_turns_are_counted_once),
        cmocka_unit_test(a_put_is_of_so_many_jobs_at_most),
        cmocka_unit_test(what_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
