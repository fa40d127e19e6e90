/* SPDX-License-Identifier: Apache-2.0 */
/* test_id_names - names of users and groups in the database, the same for both engines.
 */
#include "base/number.h"
#include "base/span.h"
#include "records/names/id_names.h"
#include "records/test/fixture.h"

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

#define T(s) ((T0_MS / MS_PER_S - 100000 + (s)) * NS_PER_S)

static int print_name(void *arg, const struct id_name *name)
{
    strbuf_addf(arg, "%s " SPAN_FMT ":" SPAN_FMT "=" SPAN_FMT " %lld-%lld\n",
                id_kind_name(name->kind), SPAN_ARG(name->cluster),
                SPAN_ARG(name->number), SPAN_ARG(name->name),
                (long long)((name->first_ns - T(0)) / NS_PER_S),
                (long long)((name->last_ns - T(0)) / NS_PER_S));
    return 0;
}

static void check_names(struct fixture *f, const struct id_name_filter *filter,
                        const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    if (records_find_id_names(f->reader, filter, print_name, &text, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
}

static struct records_submission put(struct fixture *f, const struct id_name *names,
                                     size_t count)
{
    struct records_submission submission = { 0 };
    struct err err = { 0 };
    if (records_put_id_names(f->records, names, count, T0_MS, &submission, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    return submission;
}

static const struct id_name_filter all_users = { .kind = ID_USER };

static void sightings_of_a_name_unite_in_any_order(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct id_name names[] = {
            { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("alice"), T(30), T(40) },
            { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("alice"), T(10), T(20) },
            { ID_USER, SPAN("fritz"), SPAN("1001"), SPAN("alice"), T(5), T(6) },
        };
        struct records_submission one = put(&f, names, 3);
        assert_int_equal(one.accepted + one.changed, 3);
        check_names(&f, &all_users,
                    "user fritz:1001=alice 5-6\nuser alex:1001=alice 10-40\n");
        struct records_submission again = put(&f, names, 3);
        assert_int_equal(again.duplicate, 3);
        const struct id_name later = { ID_USER,       SPAN("alex"), SPAN("1001"),
                                       SPAN("alice"), T(50),        T(50) };
        assert_int_equal(put(&f, &later, 1).changed, 1);
        fixture_reopen(&f);
        check_names(&f, &all_users,
                    "user fritz:1001=alice 5-6\nuser alex:1001=alice 10-50\n");
        assert_int_equal(
            fixture_number(&f, "SELECT count(*) FROM user_names WHERE name = 'alice' "
                               "AND start_time IS NOT NULL"),
            2);
    }
}

static void names_are_found_by_numbers_and_numbers_by_name(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct id_name names[] = {
            { ID_USER, SPAN("a"), SPAN("1001"), SPAN("alice"), T(1), T(2) },
            { ID_USER, SPAN("a"), SPAN("1001"), SPAN("bob"), T(3), T(4) },
            { ID_USER, SPAN("a"), SPAN("1002"), SPAN("o'hara \\@1"), T(1), T(2) },
            { ID_GROUP, SPAN("a"), SPAN("1001"), SPAN("alice"), T(1), T(2) },
        };
        const struct span numbers[] = { SPAN("1002"), SPAN("1');--"), SPAN("1001") };
        const struct span wrong[] = { SPAN("x") };
        assert_int_equal(put(&f, names, 4).accepted, 4);
        check_names(&f,
                    &(struct id_name_filter){
                        .kind = ID_USER, .numbers = numbers, .number_count = 3 },
                    "user a:1001=alice 1-2\nuser a:1001=bob 3-4\n"
                    "user a:1002=o'hara \\@1 1-2\n");
        check_names(&f,
                    &(struct id_name_filter){
                        .kind = ID_USER, .numbers = wrong, .number_count = 1 },
                    "");
        check_names(
            &f,
            &(struct id_name_filter){ .kind = ID_USER, .name = SPAN("o'hara \\@1") },
            "user a:1002=o'hara \\@1 1-2\n");
        check_names(&f,
                    &(struct id_name_filter){ .kind = ID_GROUP, .name = SPAN("alice") },
                    "group a:1001=alice 1-2\n");
        check_names(
            &f, &(struct id_name_filter){ .kind = ID_USER, .name = SPAN("carol") }, "");
    }
}

static void what_cannot_be_stored_is_refused_alone(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct id_name names[] = {
            { ID_USER, SPAN("a"), SPAN("root"), SPAN("root"), T(1), T(2) },
            { ID_USER, SPAN("a"), SPAN("0"), SPAN("root"), T(1), T(2) },
            { ID_USER, SPAN("a"), SPAN("1"), SPAN("bin"), T(1), T(900000000) },
        };
        struct records_submission submission = put(&f, names, 3);
        assert_int_equal(submission.accepted, 1);
        assert_int_equal(submission.refused, 2);
        assert_int_equal(submission.refusals[0].index, 0);
        assert_int_equal(submission.refusals[1].index, 2);
        assert_non_null(strstr(submission.refusals[1].reason, "still to come"));
        check_names(&f, &all_users, "user a:0=root 1-2\n");
    }
}

static void jobs_bring_the_names_of_their_users_and_groups(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct records_submission submission;
        const struct job jobs[] = {
            { .cluster = SPAN("alex"),
              .id = SPAN("1"),
              .user = SPAN("alice"),
              .uid = SPAN("1001"),
              .group = SPAN("phys"),
              .gid = SPAN("100"),
              .submit_ns = T(10),
              .start_ns = T(20),
              .end_ns = T(30) },
            { .cluster = SPAN("alex"),
              .id = SPAN("2"),
              .user = SPAN("alice"),
              .uid = SPAN("1001"),
              .submit_ns = T(40),
              .start_ns = T(50),
              .end_ns = JOB_TIME_NONE },
            { .cluster = SPAN("alex"), /* no number: nothing is learned */
              .id = SPAN("3"),
              .user = SPAN("bob"),
              .submit_ns = JOB_TIME_NONE,
              .start_ns = T(50),
              .end_ns = T(60) },
            { .cluster = SPAN("alex"), /* the batch system knew no name either */
              .id = SPAN("4"),
              .user = SPAN("1004"),
              .uid = SPAN("1004"),
              .submit_ns = JOB_TIME_NONE,
              .start_ns = T(50),
              .end_ns = T(60) },
        };
        assert_int_equal(
            records_put_jobs(f.records, jobs, COUNT_OF(jobs), T0_MS, &submission, NULL),
            0);
        assert_int_equal(submission.accepted, COUNT_OF(jobs));
        check_names(&f, &all_users, "user alex:1001=alice 10-100000\n");
        check_names(&f, &(struct id_name_filter){ .kind = ID_GROUP },
                    "group alex:100=phys 10-30\n");
        assert_int_equal(
            fixture_number(&f, "SELECT count(*) FROM jobs WHERE \"uid\" = '1001' AND "
                               "\"gid\" = '100' AND \"group\" = 'phys'"),
            1);
    }
}

static void names_stay_as_long_as_the_longest_retention(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        f.opts.retention_ns = 10 * DAY_NS;
        f.opts.retention_jobs_ns = 20 * DAY_NS;
        f.opts.rollups_retention_ns = 50 * DAY_NS;
        fixture_reopen(&f);
        const struct id_name old = { ID_USER,       SPAN("a"), SPAN("1"),
                                     SPAN("alice"), T(1),      T(2) };
        const struct id_name young = { ID_USER,     SPAN("a"), SPAN("2"),
                                       SPAN("bob"), T(1),      T(2) + 60 * DAY_NS };
        (void)put(&f, &old, 1);
        struct records_submission submission;
        const int64_t later_ms = T0_MS + 61 * MS_PER_DAY;
        assert_int_equal(
            records_put_id_names(f.records, &young, 1, later_ms, &submission, NULL), 0);
        assert_int_equal(records_maintain(f.records, T0_MS + 40 * MS_PER_DAY, NULL), 0);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM id_names"), 2);
        assert_int_equal(records_maintain(f.records, later_ms, NULL), 0);
        check_names(&f, &all_users, "user a:2=bob 1-5184002\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sightings_of_a_name_unite_in_any_order),
        cmocka_unit_test(names_are_found_by_numbers_and_numbers_by_name),
        cmocka_unit_test(what_cannot_be_stored_is_refused_alone),
        cmocka_unit_test(jobs_bring_the_names_of_their_users_and_groups),
        cmocka_unit_test(names_stay_as_long_as_the_longest_retention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
