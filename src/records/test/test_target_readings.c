/* SPDX-License-Identifier: Apache-2.0 */
/* test_target_readings - readings of targets in the database, the same for both
 * engines. */
#include "base/number.h"
#include "base/span.h"
#include "records/target_readings.h"
#include "records/test/fixture.h"

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

#define T(s) ((T0_MS / MS_PER_S - 100000 + (s)) * NS_PER_S)
#define DAY_S INT64_C(86400)

static struct target_reading space_of(const char *target, int64_t t_ns, int64_t used)
{
    return (struct target_reading){ .cluster = SPAN("alex"),
                                    .target = span_of(target),
                                    .t_ns = t_ns,
                                    .mount = SPAN("/scratch"),
                                    .has_space = true,
                                    .total_kib = 1000,
                                    .used_kib = used,
                                    .available_kib = 1000 - used };
}

static struct target_reading server_of(const char *target, int64_t t_ns,
                                       const char *server)
{
    return (struct target_reading){ .cluster = SPAN("alex"),
                                    .target = span_of(target),
                                    .t_ns = t_ns,
                                    .server = span_of(server) };
}

static int print_reading(void *arg, const struct target_reading *r)
{
    strbuf_addf(arg, SPAN_FMT " %lld", SPAN_ARG(r->target),
                (long long)((r->t_ns - T(0)) / NS_PER_S));
    if (r->has_space)
        strbuf_addf(arg, " %lld/%lld at " SPAN_FMT, (long long)r->used_kib,
                    (long long)r->total_kib, SPAN_ARG(r->mount));
    strbuf_addf(arg, "%s" SPAN_FMT "%s\n", r->server.size > 0 ? " of " : "",
                SPAN_ARG(r->server), r->is_inactive ? " inactive" : "");
    return 0;
}

static void check_readings(struct fixture *f, const char *fs, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct target_reading_filter filter = { { fs, fs ? strlen(fs) : 0 },
                                                  T(0),
                                                  T(100) };
    struct err err = { 0 };
    if (records_find_target_readings(f->reader, &filter, print_reading, &text, &err) <
        0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
}

static struct records_submission put(struct fixture *f,
                                     const struct target_reading *readings,
                                     size_t count)
{
    struct records_submission submission = { 0 };
    struct err err = { 0 };
    if (records_put_target_readings(f->records, readings, count, T0_MS, &submission,
                                    &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    return submission;
}

static void what_is_submitted_again_changes_nothing(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct target_reading readings[] = {
            space_of("scratch-OST0001", T(20), 500),
            space_of("scratch-OST0001", T(10), 400),
            space_of("scratch-OST0000", T(10), 100),
            space_of("home-OST0000", T(10), 7),
            space_of("scratch-OST0000", T(200), 100),
        };
        assert_int_equal(put(&f, readings, COUNT_OF(readings)).accepted, 5);
        assert_int_equal(put(&f, readings, COUNT_OF(readings)).duplicate, 5);
        /* The first one stays. */
        const struct target_reading other = space_of("scratch-OST0001", T(20), 999);
        assert_int_equal(put(&f, &other, 1).duplicate, 1);
        fixture_reopen(&f);
        check_readings(&f, "scratch",
                       "scratch-OST0000 10 100/1000 at /scratch\n"
                       "scratch-OST0001 10 400/1000 at /scratch\n"
                       "scratch-OST0001 20 500/1000 at /scratch\n");
        check_readings(&f, "home", "home-OST0000 10 7/1000 at /scratch\n");
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM target_health WHERE "
                                            "start_time IS NOT NULL"),
                         5);
    }
}

static void a_server_is_added_to_the_space_of_its_time(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct target_reading space = space_of("s-OST0001", T(20), 500);
        struct target_reading server = server_of("s-OST0001", T(20), "10.0.0.1@tcp");
        struct target_reading inactive = server_of("s-OST0002", T(21), "");
        inactive.is_inactive = true;
        assert_int_equal(put(&f, &space, 1).accepted, 1);
        assert_int_equal(put(&f, &server, 1).changed, 1);
        assert_int_equal(put(&f, &inactive, 1).accepted, 1);
        fixture_reopen(&f);
        check_readings(&f, NULL,
                       "s-OST0001 20 500/1000 at /scratch of 10.0.0.1@tcp\n"
                       "s-OST0002 21 inactive\n");
    }
}

static void bad_old_and_future_ones_are_refused_one_by_one(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct target_reading readings[] = {
            space_of("nothing", T(1), 1),
            space_of("s-OST0001", T(-1000 * DAY_S), 1),
            space_of("s-OST0001", T(100 * DAY_S), 1),
            space_of("s-OST0001", T(1), 1),
        };
        struct records_submission put_of = put(&f, readings, COUNT_OF(readings));
        assert_int_equal(put_of.accepted, 1);
        assert_int_equal(put_of.refused, 3);
        assert_non_null(strstr(put_of.refusals[1].reason, "older than retention"));
        assert_non_null(strstr(put_of.refusals[2].reason, "to come"));
    }
}

static void old_ones_are_dropped_with_the_rows_of_their_time(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const int64_t later_ms = T0_MS + 399 * DAY_S * MS_PER_S;
        struct records_submission submission = { 0 };
        struct err err = { 0 };
        const struct target_reading old = space_of("s-OST0001", T(10), 1);
        const struct target_reading young =
            space_of("s-OST0001", later_ms * NS_PER_MS, 1);
        assert_int_equal(put(&f, &old, 1).accepted, 1);
        assert_int_equal(records_put_target_readings(f.records, &young, 1, later_ms,
                                                     &submission, &err),
                         0);
        assert_int_equal(
            records_maintain(f.records, later_ms + 3 * DAY_S * MS_PER_S, &err), 0);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM target_readings"), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_submitted_again_changes_nothing),
        cmocka_unit_test(a_server_is_added_to_the_space_of_its_time),
        cmocka_unit_test(bad_old_and_future_ones_are_refused_one_by_one),
        cmocka_unit_test(old_ones_are_dropped_with_the_rows_of_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
