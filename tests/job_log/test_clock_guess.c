/* SPDX-License-Identifier: Apache-2.0 */
/* test_clock_guess - a log and series whose clock differs: by how much, and whose bytes
 * they are.
 */
#include "base/span.h"
#include "base/test/directory.h"
#include "client/series/series.h"
#include "job_log_fixture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define START_S INT64_C(1500000000) /* of the log, which wrote 10 s later */

static char dir[DIRECTORY_PATH_MAX];
static struct strbuf log_bytes;

static int files_make(void **state)
{
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    (void)state;
    directory_make(dir);
    log_fill(&m);
    log_make(&m, &log_bytes);
    return 0;
}

static int files_remove(void **state)
{
    (void)state;
    directory_remove(dir);
    strbuf_done(&log_bytes);
    return 0;
}

/* What is read and written in a step; written: -1: only each second step has it. */
static const char *series_write(const char *name, int64_t step_s, int64_t at_s,
                                int64_t written)
{
    static char names[2][3 * DIRECTORY_PATH_MAX];
    static unsigned next;
    static const char map[] = "[table]\ntime = t\ncomponent = ost\n"
                              "[measure datatargets/readbytes]\n"
                              "column = r\nkind = count\n"
                              "[measure datatargets/writebytes]\n"
                              "column = w\nkind = count\n";
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char *to = names[next++ % 2];
    directory_write(dir, "table.conf", map, sizeof map - 1);
    strbuf_adds(&text, "t,r,w\n");
    for (int64_t t_s = START_S - 720; t_s < START_S + 840; t_s += step_s) {
        strbuf_addf(&text, "%" PRId64 ",%d,", t_s, t_s == at_s ? 100 : 0);
        if (written >= 0)
            strbuf_add_i64(&text, t_s == at_s ? written : 0);
        else if ((t_s - START_S) % (2 * step_s) == 0)
            strbuf_adds(&text, "0");
        strbuf_addc(&text, '\n');
    }
    directory_write(dir, name, text.data, text.size);
    (void)snprintf(to, sizeof names[0], "map:%s/table.conf:%s/%s", dir, dir, name);
    return to;
}

static void set_open(struct series_set *set, const char **paths, size_t count)
{
    struct err err = { 0 };
    if (series_set_open(set, paths, count, NULL, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static int guess_add(struct clock_estimate *estimate, struct series_set *set,
                     struct err *err)
{
    static const struct series_request all = { .from_s = 0 };
    AUTO(job_log_close) struct job_log *log = NULL;
    assert_int_equal(job_log_open_memory(log_bytes.data, log_bytes.size, &log, err), 0);
    return clock_guess_add(estimate, set, &all, log, err);
}

static void the_step_is_the_longest_in_the_scope(void **state)
{
    (void)state;
    static const struct series_request all = { .from_s = 0 };
    static const struct site_filesystem other = { .name = "other" };
    static const struct series_request none = { .scope = SERIES_SCOPE_ONLY,
                                                .owner = &other };
    AUTO(series_set_done) struct series_set set = { 0 };
    AUTO(series_set_done) struct series_set empty = { 0 };
    const char *paths[] = { series_write("a.csv", 20, 0, 0),
                            series_write("b.csv", 5, 0, 0) };
    set_open(&set, paths, 2);
    set_open(&empty, NULL, 0);
    assert_int_equal(clock_guess_step(&set, &all), 20);
    assert_int_equal(clock_guess_step(&set, &none), 0);
    assert_int_equal(clock_guess_step(&empty, &all), 0);
}

static void the_offset_is_where_the_servers_saw_the_bytes(void **state)
{
    (void)state;
    static const int64_t offsets_s[] = { 0, 60, -60, 600, -600 };
    for (size_t i = 0; i < COUNT_OF(offsets_s); i++) {
        AUTO(clock_estimate_done) struct clock_estimate estimate = { 0 };
        AUTO(series_set_done) struct series_set set = { 0 };
        struct clock_answer found;
        struct err err = { 0 };
        const char *paths[] = { series_write("a.csv", 5, START_S + 10 + offsets_s[i],
                                             1000) };
        set_open(&set, paths, 1);
        assert_int_equal(clock_estimate_init(&estimate, 5, CLOCK_GUESS_REACH_S), 0);
        if (guess_add(&estimate, &set, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(estimate.jobs, 1);
        assert_int_equal(clock_estimate_get(&estimate, &found), 0);
        if (found.offset_s != offsets_s[i] || !found.is_clear)
            fail_msg("%lld s: got %lld s, r %g", (long long)offsets_s[i],
                     (long long)found.offset_s, found.r);
    }
}

static void without_series_of_its_time_there_is_no_estimate(void **state)
{
    (void)state;
    AUTO(clock_estimate_done) struct clock_estimate estimate = { 0 };
    AUTO(series_set_done) struct series_set set = { 0 };
    struct err err = { 0 };
    set_open(&set, NULL, 0);
    assert_int_equal(clock_estimate_init(&estimate, 5, CLOCK_GUESS_REACH_S), 0);
    assert_int_equal(guess_add(&estimate, &set, &err), -ENODATA);
    assert_string_equal(err.text, "no series has enough of its time");
    assert_int_equal(estimate.jobs, 0);
}

static void steps_that_differ_are_an_error(void **state)
{
    (void)state;
    AUTO(clock_estimate_done) struct clock_estimate estimate = { 0 };
    AUTO(series_set_done) struct series_set set = { 0 };
    struct err err = { 0 };
    const char *paths[] = { series_write("a.csv", 5, START_S, -1) };
    set_open(&set, paths, 1);
    assert_int_equal(clock_estimate_init(&estimate, 5, CLOCK_GUESS_REACH_S), 0);
    assert_int_equal(guess_add(&estimate, &set, &err), -EINVAL);
    assert_string_equal(err.text, "what was read and what was written have not the "
                                  "same steps");
    assert_int_equal(estimate.jobs, 0);
}

static void a_log_without_bytes_has_no_part_in_it(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(clock_estimate_done) struct clock_estimate estimate = { 0 };
    AUTO(series_set_done) struct series_set set = { 0 };
    AUTO(job_log_close) struct job_log *log = NULL;
    static const struct series_request all = { .from_s = 0 };
    const char *paths[] = { series_write("a.csv", 5, START_S, 1000) };
    log_job(&m, "lib_ver=3.5.0\n", "./app\next4\t/\n");
    log_make(&m, &bytes);
    set_open(&set, paths, 1);
    assert_int_equal(job_log_open_memory(bytes.data, bytes.size, &log, NULL), 0);
    assert_int_equal(clock_estimate_init(&estimate, 5, CLOCK_GUESS_REACH_S), 0);
    assert_int_equal(clock_guess_add(&estimate, &set, &all, log, NULL), -ENODATA);
    assert_int_equal(estimate.jobs, 0);
}

static void a_part_is_of_what_was_read_and_written(void **state)
{
    (void)state;
    static const struct {
        int64_t from_s, to_s; /* after START_S */
        double bytes, want;
    } cases[] = {
        { 0, 60, 550, 0.5 },
        { 0, 60, 2200, 2 },
        { 20, 60, 550, NAN }, /* nothing was moved then */
        { 86400, 86460, 550, NAN },
    };
    AUTO(series_set_done) struct series_set set = { 0 };
    AUTO(series_set_done) struct series_set uneven = { 0 };
    const char *paths[] = { series_write("a.csv", 5, START_S + 10, 1000) };
    set_open(&set, paths, 1);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct series_request window = { .from_s = START_S + cases[i].from_s,
                                               .to_s = START_S + cases[i].to_s };
        double part = clock_guess_part(&set, &window, cases[i].bytes);
        if (part != cases[i].want && !(isnan(part) && isnan(cases[i].want)))
            fail_msg("%zu: %g", i, part);
    }
    const struct series_request window = { .from_s = START_S, .to_s = START_S + 60 };
    paths[0] = series_write("b.csv", 5, START_S + 10, -1);
    set_open(&uneven, paths, 1);
    assert_true(isnan(clock_guess_part(&uneven, &window, 550)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_is_the_longest_in_the_scope),
        cmocka_unit_test(the_offset_is_where_the_servers_saw_the_bytes),
        cmocka_unit_test(without_series_of_its_time_there_is_no_estimate),
        cmocka_unit_test(steps_that_differ_are_an_error),
        cmocka_unit_test(a_log_without_bytes_has_no_part_in_it),
        cmocka_unit_test(a_part_is_of_what_was_read_and_written),
    };
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
