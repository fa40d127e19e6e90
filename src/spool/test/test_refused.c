/* SPDX-License-Identifier: Apache-2.0 */
/* test_refused - which file of refused/ is written next. */
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "spool/spool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned next_of(const char *dir)
{
    AUTO(refused_free) struct refused *refused = NULL;
    assert_int_equal(refused_open(dir, &refused), 0);
    return refused_next(refused);
}

static void the_newest_file_is_gone_on_behind(void **state)
{
    (void)state;
    static const struct {
        unsigned number;
        time_t written_s;
        unsigned want; /* from then on */
    } cases[] = {
        { 0, 100, 1 },  { 1, 200, 2 }, { 2, 200, 3 }, /* in the same instant */
        { 99, 300, 0 }, { 0, 400, 1 },                /* around the ring */
        { 50, 150, 1 },
    };
    char dir[] = "/tmp/baro-refused-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    unsigned empty = next_of(dir), got[COUNT_OF(cases)];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct timespec times[2] = { { .tv_sec = cases[i].written_s },
                                           { .tv_sec = cases[i].written_s } };
        (void)snprintf(path, sizeof path, "%s/%02u.json.zst", dir, cases[i].number);
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        assert_int_equal(futimens(fd, times), 0);
        assert_int_equal(close(fd), 0);
        got[i] = next_of(dir);
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        (void)snprintf(path, sizeof path, "%s/%02u.json.zst", dir, cases[i].number);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(empty, 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(got[i], cases[i].want);
    assert_int_equal(next_of("/nowhere/at/all"), 0);
}

static void what_is_stored_goes_around_the_ring(void **state)
{
    (void)state;
    char dir[] = "/tmp/baro-refused-XXXXXX", made[64];
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(refused_free) struct refused *refused = NULL;
    struct err err = { 0 };
    assert_non_null(mkdtemp(dir));
    (void)snprintf(made, sizeof made, "%s/refused", dir);
    assert_int_equal(refused_open(made, &refused), 0);
    for (unsigned i = 0; i <= REFUSED_FILES_MAX; i++) {
        char payload[16], want[80];
        int size = snprintf(payload, sizeof payload, "batch %u", i);
        (void)snprintf(want, sizeof want, "%s/%02u.json.zst", made,
                       i % REFUSED_FILES_MAX);
        assert_int_equal(
            refused_store(refused, (struct span){ payload, (size_t)size }, &path, &err),
            0);
        assert_string_equal(strbuf_text(&path), want);
        strbuf_clear(&text);
        assert_int_equal(file_read(want, 100, &text, &err), 0);
        assert_string_equal(strbuf_text(&text), payload);
    }
    for (unsigned i = 0; i < REFUSED_FILES_MAX; i++) {
        (void)snprintf(made, sizeof made, "%s/refused/%02u.json.zst", dir, i);
        assert_int_equal(unlink(made), 0);
    }
    (void)snprintf(made, sizeof made, "%s/refused", dir);
    assert_int_equal(rmdir(made), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void what_cannot_be_stored_keeps_its_number(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(refused_free) struct refused *refused = NULL;
    struct err err = { 0 };
    assert_int_equal(refused_open("/dev/null/refused", &refused), 0);
    assert_true(refused_store(refused, SPAN("x"), &path, &err) < 0);
    assert_true(err.text[0]);
    assert_int_equal(refused_next(refused), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_file_is_gone_on_behind),
        cmocka_unit_test(what_is_stored_goes_around_the_ring),
        cmocka_unit_test(what_cannot_be_stored_keeps_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
