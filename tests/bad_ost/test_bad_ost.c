/* SPDX-License-Identifier: Apache-2.0 */
/* test_bad_ost - a slow target is found, and files without a speed do not count. */
#include "analysis/weather/weather.h"
#include "base/file.h"
#include "base/test/testing.h"
#include "source/darshan/test/log_maker.h"

#include <math.h>

#define FILES 40
#define OSTS 4
#define SLOW 2

static void posix_put(struct log_maker *m, uint64_t id, uint64_t bytes, double seconds)
{
    const struct darshan_module *module = darshan_module(DARSHAN_POSIX);
    struct strbuf *to = &m->slots[DARSHAN_POSIX];
    log_u64(m, to, id);
    log_u64(m, to, id % 8); /* the rank */
    for (size_t i = 0; i < module->counter_count; i++)
        log_u64(m, to,
                strcmp(module->counter_names[i], "POSIX_BYTES_WRITTEN") ? 0 : bytes);
    for (size_t i = 0; i < module->f_counter_count; i++)
        log_double(m, to,
                   strcmp(module->f_counter_names[i], "POSIX_F_WRITE_TIME") ? 0
                                                                            : seconds);
}

static void layout_put(struct log_maker *m, uint64_t id, uint64_t ost)
{
    const uint64_t words[] = { id, id % 8, OSTS, 1, 0, 1 << 20, 1, ost };
    unsigned slot = log_slot(m, DARSHAN_LUSTRE);
    m->versions[slot] = 1;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        log_u64(m, &m->slots[slot], words[i]);
}

/* File by file on one target after the other; those of SLOW take twice as long. */
static void log_write(const char *path, bool has_layouts)
{
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    log_job(&m, "lib_ver=3.5.0\n", "./app\nlustre\t/scratch\n");
    m.versions[DARSHAN_POSIX] = 4;
    for (uint64_t i = 0; i < FILES; i++) {
        uint64_t ost = i % OSTS;
        posix_put(&m, 100 + i, 1 << 20,
                  (ost == SLOW ? 2 : 1) + 0.001 * (double)(i % 3));
        if (has_layouts)
            layout_put(&m, 100 + i, ost);
    }
    posix_put(&m, 90, 1 << 20, 0); /* no time */
    posix_put(&m, 91, 0, 1);       /* no bytes */
    if (has_layouts) {
        layout_put(&m, 90, SLOW);
        layout_put(&m, 91, SLOW);
    }
    log_make(&m, &out);
    assert_int_equal(file_replace(path, out.data, out.size, 0600, NULL), 0);
}

static void the_slow_target_comes_first(void **state)
{
    (void)state;
    AUTO(bad_ost_done) struct bad_ost found = { 0 };
    AUTO(strbuf_done) struct strbuf faults = STRBUF_INIT;
    struct err err = { 0 };
    char path[] = "/tmp/baro-ost.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    log_write(path, true);
    if (bad_ost_find(path, &found, &faults, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&faults), "");
    assert_int_equal(found.files, FILES);
    assert_int_equal(found.no_speed, 2); /* defect 12 of doc/tokio-defects.md */
    assert_int_equal(found.target_count, OSTS);
    assert_int_equal(found.targets[0].ost, SLOW);
    assert_int_equal(found.targets[0].files, FILES / OSTS);
    assert_true(found.targets[0].r < -0.99 && found.targets[0].p < 1e-30);
    for (size_t i = 0; i < found.target_count; i++)
        assert_true(isfinite(found.targets[i].r) &&
                    found.targets[i].p_many >= found.targets[i].p);
    assert_true(found.targets[1].r > 0);
    (void)unlink(path);
}

static void without_layouts_there_is_no_answer(void **state)
{
    (void)state;
    struct bad_ost found = { 0 };
    struct err err = { 0 };
    char path[] = "/tmp/baro-ost.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    log_write(path, false);
    assert_int_equal(bad_ost_find(path, &found, NULL, &err), -ENODATA);
    assert_non_null(strstr(err.text, "layout"));
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slow_target_comes_first),
        cmocka_unit_test(without_layouts_there_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
