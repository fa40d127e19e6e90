/* SPDX-License-Identifier: Apache-2.0 */
/* test_health_dir - samples by days: whole ones are there, torn ones are not. */
#include "source/health/health_dir.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"

#include <errno.h>
#include <string.h>

#define DAY_S INT64_C(86400)
#define T0_S INT64_C(1500000000) /* 2017-07-14T02:40:00Z */

static const char *dir_make(const char *name)
{
    static char path[128]; /* valid until the next one is made */
    (void)snprintf(path, sizeof path, "%s", scratch_path(name));
    assert_int_equal(mkdir(path, 0755), 0);
    return path;
}

static uint64_t sample_add(const char *dir, int64_t t_s, const char *text)
{
    AUTO(health_state_done) struct health_state state = { .fd = -1 };
    uint64_t torn_bytes = 77;
    assert_int_equal(health_state_open(dir, HEALTH_KIND_SPACE, &state, NULL), 0);
    assert_int_equal(health_state_append(dir, HEALTH_KIND_SPACE, &state, t_s * NS_PER_S,
                                         span_of(text), &torn_bytes, NULL),
                     0);
    assert_int_equal(state.t_ns, t_s * NS_PER_S);
    return torn_bytes;
}

/* Its text at a time, or "" */
static const char *text_at(const char *path, enum health_kind kind, int64_t t_s)
{
    static char found[512];
    AUTO(health_dir_close) struct health_dir *dir = NULL;
    struct span text;
    const char *name = NULL;
    assert_int_equal(health_dir_open(path, &dir, NULL), 0);
    int rc = health_dir_at(dir, kind, t_s * NS_PER_S, &text, &name, NULL);
    if (rc < 0) {
        assert_int_equal(rc, -ENOENT);
        return "";
    }
    (void)snprintf(found, sizeof found, "%s: " SPAN_FMT, name, SPAN_ARG(text));
    return found;
}

static void samples_are_found_by_day(void **state)
{
    (void)state;
    const char *dir = dir_make("days");
    assert_string_equal(text_at(dir, HEALTH_KIND_SPACE, T0_S), "");
    assert_int_equal(sample_add(dir, T0_S, "one\n"), 0);
    assert_int_equal(sample_add(dir, T0_S + 60, "two\n"), 0);
    assert_int_equal(sample_add(dir, T0_S + DAY_S, "three\n"), 0);
    assert_string_equal(text_at(dir, HEALTH_KIND_SPACE, T0_S - 1), "");
    static const char first[] = "df-2017-07-14.txt: BEGIN 1500000000\none\n"
                                "BEGIN 1500000060\ntwo\n";
    assert_string_equal(text_at(dir, HEALTH_KIND_SPACE, T0_S + 61), first);
    assert_string_equal(text_at(dir, HEALTH_KIND_SPACE, T0_S + DAY_S - 1), first);
    assert_string_equal(text_at(dir, HEALTH_KIND_SPACE, T0_S + DAY_S),
                        "df-2017-07-15.txt: BEGIN 1500086400\nthree\n");
    assert_string_equal(text_at(dir, HEALTH_KIND_SERVERS, T0_S + DAY_S), "");
}

/* What a process that died left behind the whole samples is not seen, and goes. */
static void a_torn_sample_is_not_there_and_is_cut_off(void **state)
{
    (void)state;
    const char *dir = dir_make("torn");
    assert_int_equal(sample_add(dir, T0_S, "one\n"), 0);
    FILE *file = fopen(scratch_path("torn/df-2017-07-14.txt"), "a");
    assert_non_null(file);
    assert_true(fputs("BEGIN 15000", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text_at(dir, HEALTH_KIND_SPACE, T0_S + 60),
                        "df-2017-07-14.txt: BEGIN 1500000000\none\n");
    assert_int_equal(sample_add(dir, T0_S + 60, "two\n"), strlen("BEGIN 15000"));
    assert_string_equal(text_at(dir, HEALTH_KIND_SPACE, T0_S + 60),
                        "df-2017-07-14.txt: BEGIN 1500000000\none\n"
                        "BEGIN 1500000060\ntwo\n");
}

static void the_state_is_a_lock_of_each_kind(void **state)
{
    (void)state;
    AUTO(health_state_done) struct health_state first = { .fd = -1 };
    struct health_state second = { .fd = -1 };
    AUTO(health_state_done) struct health_state other = { .fd = -1 };
    struct err err = { 0 };
    const char *dir = dir_make("lock");
    assert_int_equal(health_state_open(dir, HEALTH_KIND_SPACE, &first, NULL), 0);
    assert_int_equal(first.t_ns, INT64_MIN); /* there is no sample */
    assert_true(health_state_open(dir, HEALTH_KIND_SPACE, &second, &err) < 0);
    assert_int_equal(second.fd, -1);
    assert_non_null(strstr(err.text, "another sample is being recorded"));
    assert_int_equal(health_state_open(dir, HEALTH_KIND_SERVERS, &other, NULL), 0);
}

static void a_damaged_state_is_as_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n",
        "df-2017-07-14.txt",
        "x y z\n",
        "df-2017-07-14.txt -1 3\n",
        "a-name-that-is-much-too-long-for-a-file-of-a-day "
        "1 3\n"
    };
    const char *dir = dir_make("damaged");
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(health_state_done) struct health_state found = { .fd = -1 };
        FILE *file = fopen(scratch_path("damaged/df.state"), "w");
        assert_non_null(file);
        assert_true(fputs(texts[i], file) >= 0);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(health_state_open(dir, HEALTH_KIND_SPACE, &found, NULL), 0);
        assert_int_equal(found.t_ns, INT64_MIN);
        assert_int_equal(found.size_bytes, 0);
    }
}

static void days_that_are_over_are_pruned(void **state)
{
    (void)state;
    size_t removed = 99;
    const char *dir = dir_make("prune");
    for (int64_t day = 0; day < 3; day++)
        (void)sample_add(dir, T0_S + day * DAY_S, "x\n");
    /* Noon of the third: the first two are over. */
    assert_int_equal(
        health_dir_prune(dir, (T0_S + 2 * DAY_S + 3600) * NS_PER_S, &removed, NULL), 0);
    assert_int_equal(removed, 2);
    assert_string_equal(text_at(dir, HEALTH_KIND_SPACE, T0_S + DAY_S), "");
    assert_string_not_equal(text_at(dir, HEALTH_KIND_SPACE, T0_S + 2 * DAY_S), "");
    assert_int_equal(
        health_dir_prune(dir, (T0_S + 2 * DAY_S) * NS_PER_S, &removed, NULL), 0);
    assert_int_equal(removed, 0);
}

static void a_directory_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct health_dir *dir = NULL;
    struct err err = { 0 };
    assert_int_equal(health_dir_open(scratch_path("nowhere"), &dir, &err), -ENOENT);
    assert_null(dir);
    assert_non_null(strstr(err.text, "nowhere"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_found_by_day),
        cmocka_unit_test(a_torn_sample_is_not_there_and_is_cut_off),
        cmocka_unit_test(the_state_is_a_lock_of_each_kind),
        cmocka_unit_test(a_damaged_state_is_as_none),
        cmocka_unit_test(days_that_are_over_are_pruned),
        cmocka_unit_test(a_directory_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
