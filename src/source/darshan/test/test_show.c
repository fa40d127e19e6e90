/* SPDX-License-Identifier: Apache-2.0 */
/* test_show - a whole log as text and as JSON; what is missing, and writes that fail.
 */
#include "base/file.h"
#include "base/json_reader.h"
#include "base/test/testing.h"
#include "source/darshan/test/log_maker.h"

struct sink {
    struct strbuf text;
    size_t faults;
    int rc;
};

static int sink_write(void *arg, struct span text)
{
    struct sink *sink = arg;
    strbuf_add_span(&sink->text, text);
    return sink->rc;
}

static void sink_fault(void *arg, const char *what)
{
    struct sink *sink = arg;
    assert_true(what[0] != '\0');
    sink->faults++;
}

static char path[64];

static void log_write(size_t cut)
{
    AUTO(log_maker_done)
    struct log_maker m = { .number = 341, .compression = DARSHAN_PLAIN };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct darshan_module *module = darshan_module(DARSHAN_POSIX);
    struct strbuf *to = &m.slots[DARSHAN_POSIX];
    log_job(&m, "lib_ver=3.5.0\n", "./app -n 4\nlustre\t/scratch\n");
    log_name(&m, 11, "/scratch/\"out\"");
    m.versions[DARSHAN_POSIX] = 4;
    log_u64(&m, to, 11);
    log_u64(&m, to, 0);
    for (size_t i = 0; i < module->counter_count; i++)
        log_u64(&m, to, i);
    for (size_t i = 0; i < module->f_counter_count; i++)
        log_double(&m, to, 0.5);
    to->size -= cut;
    log_make(&m, &out);
    assert_int_equal(file_replace(path, out.data, out.size, 0600, NULL), 0);
}

static int show(struct sink *sink, const struct darshan_show_form *form, unsigned parts,
                struct err *err)
{
    const struct darshan_show_opts opts = { form, parts, sink, sink_write, sink_fault };
    return darshan_log_show(path, &opts, err);
}

static int on_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    (void)arg;
    (void)event;
    (void)text;
    (void)depth;
    return 0;
}

static int path_make(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/baro-show.%ld", (long)getpid());
    return 0;
}

static int path_remove(void **state)
{
    (void)state;
    (void)unlink(path);
    return 0;
}

static void text_has_each_counter_with_its_file(void **state)
{
    (void)state;
    struct sink sink = { .text = STRBUF_INIT };
    log_write(0);
    assert_int_equal(show(&sink, &darshan_show_text, DARSHAN_SHOW_BASE, NULL), 0);
    assert_non_null(strstr(strbuf_text(&sink.text), "# jobid: 4711"));
    assert_non_null(strstr(strbuf_text(&sink.text), "POSIX_OPENS"));
    assert_non_null(strstr(strbuf_text(&sink.text), "/scratch"));
    assert_int_equal(sink.faults, 0);
    strbuf_done(&sink.text);
}

static void json_is_json_whatever_a_file_is_called(void **state)
{
    (void)state;
    static const unsigned parts[] = { DARSHAN_SHOW_BASE, DARSHAN_SHOW_TOTAL,
                                      DARSHAN_SHOW_PERF | DARSHAN_SHOW_FILE,
                                      DARSHAN_SHOW_BASE | DARSHAN_SHOW_TOTAL };
    log_write(0);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        struct sink sink = { .text = STRBUF_INIT };
        struct err err = { 0 };
        assert_int_equal(show(&sink, &darshan_show_json, parts[i], NULL), 0);
        if (json_read(strbuf_span(&sink.text), on_event, NULL, &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        strbuf_done(&sink.text);
    }
}

static void a_damaged_log_is_written_as_far_as_it_goes(void **state)
{
    (void)state;
    struct sink sink = { .text = STRBUF_INIT };
    struct err err = { 0 };
    log_write(40);
    assert_int_equal(show(&sink, &darshan_show_text, DARSHAN_SHOW_BASE, &err),
                     -EBADMSG);
    assert_string_equal(err.text, "");
    assert_true(sink.faults > 0);
    assert_non_null(strstr(strbuf_text(&sink.text), "# jobid: 4711"));
    strbuf_done(&sink.text);
}

static void a_write_that_fails_is_the_error(void **state)
{
    (void)state;
    struct sink sink = { .text = STRBUF_INIT, .rc = -ENOSPC };
    struct err err = { 0 };
    log_write(0);
    assert_int_equal(show(&sink, &darshan_show_text, DARSHAN_SHOW_BASE, &err), -ENOSPC);
    assert_non_null(strstr(err.text, path));
    strbuf_done(&sink.text);
    (void)unlink(path);
    assert_int_equal(show(&sink, &darshan_show_text, DARSHAN_SHOW_BASE, &err), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_each_counter_with_its_file),
        cmocka_unit_test(json_is_json_whatever_a_file_is_called),
        cmocka_unit_test(a_damaged_log_is_written_as_far_as_it_goes),
        cmocka_unit_test(a_write_that_fails_is_the_error),
    };
    return cmocka_run_group_tests(tests, path_make, path_remove);
}
