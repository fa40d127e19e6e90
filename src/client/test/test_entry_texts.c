/* SPDX-License-Identifier: Apache-2.0 */
/* test_entry_texts - files with texts of job_stats, entry by entry in one form. */
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "client/client.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/baro-texts.XXXXXX";
static char path[96];

struct heard {
    struct strbuf out, warnings;
    size_t writes;
    int write_rc;
};

static int text_hear(void *arg, struct span text)
{
    struct heard *h = arg;
    strbuf_add_span(&h->out, text);
    h->writes++;
    return h->write_rc;
}

static void warning_hear(void *arg, const char *line)
{
    struct heard *h = arg;
    strbuf_addf(&h->warnings, "%s\n", line);
}

static void heard_done(struct heard *h)
{
    strbuf_done(&h->out);
    strbuf_done(&h->warnings);
}
DEFINE_AUTO_DONE(struct heard, heard_done);

static int setup(void **state)
{
    char folder[64];
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(path, sizeof path, "%s/obdfilter", dir);
    (void)mkdir(path, 0700);
    (void)snprintf(folder, sizeof folder, "%s/obdfilter/fs-OST0002", dir);
    (void)mkdir(folder, 0700);
    (void)snprintf(path, sizeof path, "%s/job_stats", folder);
    return 0;
}

static int teardown(void **state)
{
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 ? 0 : -1;
}

static int read_text(const char *text, const struct entry_texts_opts *base,
                     struct heard *heard, struct err *err)
{
    AUTO(entry_texts_free) struct entry_texts *texts = NULL;
    struct entry_texts_opts opts = *base;
    opts.write = text_hear;
    opts.warn = warning_hear;
    opts.arg = heard;
    assert_int_equal(file_replace(path, text, strlen(text), 0600, err), 0);
    int rc = entry_texts_new(&opts, &texts, err);
    if (rc == 0)
        rc = entry_texts_read(texts, path, err);
    return rc < 0 ? rc : entry_texts_end(texts, err);
}

#define ENTRY                                                                        \
    "- job_id: 7:1000:n1\n  snapshot_time: 1669010520\n  open: { samples: 1, unit: " \
    "reqs }\n"

static void each_form_is_written(void **state)
{
    static const struct {
        enum entry_texts_form form;
        const char *text, *want;
    } cases[] = {
        { ENTRY_TEXTS_JSON, "job_stats:\n" ENTRY,
          "{\"target\":\"fs-OST0002\",\"entry_id\":\"7:1000:n1\",\"job_id\":\"7\"" },
        { ENTRY_TEXTS_CSV, "job_stats:\n" ENTRY, "target,entry_id,job_id,user_id," },
        { ENTRY_TEXTS_TABLE, "job_stats:\n" ENTRY, "fs-OST0002  7:1000:n1" },
        { ENTRY_TEXTS_NONE, "job_stats:\n" ENTRY ENTRY, "entries 2\ndropped 0\n" },
        { ENTRY_TEXTS_SEED, "job_stats:\n" ENTRY ENTRY,
          "\"timestamp\": \"2022-11-21T06:02:00.000+00:00\"" },
        { ENTRY_TEXTS_SEED, "job_stats:\n", "[]\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(heard_done) struct heard heard = { 0 };
        const struct entry_texts_opts opts = { .form = cases[i].form, .t_ms = T_NONE };
        struct err err = { 0 };
        if (read_text(cases[i].text, &opts, &heard, &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        if (!strstr(strbuf_text(&heard.out), cases[i].want))
            fail_msg("%zu: %s", i, strbuf_text(&heard.out));
    }
}

static void the_target_is_the_callers_or_the_paths(void **state)
{
    AUTO(heard_done) struct heard heard = { 0 };
    const struct entry_texts_opts opts = { .target = "a-MDT0000", .t_ms = T_NONE };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(read_text("job_stats:\n" ENTRY, &opts, &heard, &err), 0);
    assert_non_null(strstr(strbuf_text(&heard.out), "\"target\":\"a-MDT0000\""));
}

/* A long output comes in pieces; its header once. */
static void a_long_table_has_one_header(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(heard_done) struct heard heard = { 0 };
    const struct entry_texts_opts opts = { .form = ENTRY_TEXTS_CSV, .t_ms = T_NONE };
    struct err err = { 0 };
    size_t lines = 0, headers = 0;
    (void)state;
    strbuf_adds(&text, "job_stats:\n");
    for (int i = 0; i < 4500; i++)
        strbuf_adds(&text, ENTRY);
    assert_int_equal(read_text(strbuf_text(&text), &opts, &heard, &err), 0);
    struct span rest = strbuf_span(&heard.out), line;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        headers += span_starts(line, "target,");
        lines++;
    }
    assert_int_equal(lines, 4501);
    assert_int_equal(headers, 1);
    assert_true(heard.writes >= 3);
}

static void losses_are_named_and_not_without_end(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(heard_done) struct heard few = { 0 }, all = { 0 };
    struct entry_texts_opts opts = { .form = ENTRY_TEXTS_NONE, .t_ms = T_NONE };
    struct err err = { 0 };
    size_t count = 0;
    (void)state;
    strbuf_adds(&text, "job_stats:\n");
    for (int i = 0; i < 15; i++)
        strbuf_adds(&text, ENTRY "  open: { samples: x }\n");
    assert_int_equal(read_text(strbuf_text(&text), &opts, &few, &err), 0);
    assert_non_null(strstr(strbuf_text(&few.warnings), "job_stats:5: "));
    assert_non_null(strstr(strbuf_text(&few.warnings), "and more; --faults shows all"));
    for (const char *c = strbuf_text(&few.warnings); *c; c++)
        count += *c == '\n';
    assert_int_equal(count, 11);
    opts.all_faults = true;
    assert_int_equal(read_text(strbuf_text(&text), &opts, &all, &err), 0);
    assert_null(strstr(strbuf_text(&all.warnings), "and more"));
    assert_true(all.warnings.size > few.warnings.size);
}

static void silence_is_not_an_idle_server(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = { { "", "job_stats: empty\n" },
                  { "\n\n", "job_stats: no entry of job_stats is in it\n" } };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(heard_done) struct heard heard = { 0 };
        const struct entry_texts_opts opts = { .t_ms = T_NONE };
        AUTO(entry_texts_free) struct entry_texts *texts = NULL;
        struct entry_texts_opts own = opts;
        struct err err = { 0 };
        char other[96];
        (void)snprintf(other, sizeof other, "%s/x.job_stats", dir);
        own.write = text_hear;
        own.warn = warning_hear;
        own.arg = &heard;
        assert_int_equal(
            file_replace(other, cases[i].text, strlen(cases[i].text), 0600, &err), 0);
        assert_int_equal(entry_texts_new(&own, &texts, &err), 0);
        assert_int_equal(entry_texts_read(texts, other, &err), 0);
        if (!strstr(strbuf_text(&heard.warnings), cases[i].want))
            fail_msg("%zu: '%s'", i, strbuf_text(&heard.warnings));
    }
}

static void a_file_of_something_else_is_an_error(void **state)
{
    static const struct {
        const char *text;
        int want;
    } cases[] = {
        { "these are words\n", -EBADMSG },
        { "{\"hello\": [\"world\"]}\n", -EBADMSG },
        { "job_stats:\n", 0 }, /* an idle target, whose name the path has */
        { "obdfilter.a-OST0000.job_stats=\njob_stats:\nnonsense\n", 0 },
        { "job_stats:\nnonsense\n" ENTRY, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(heard_done) struct heard heard = { 0 };
        struct entry_texts_opts opts = { .t_ms = T_NONE };
        struct err err = { 0 };
        int rc = read_text(cases[i].text, &opts, &heard, &err);
        if (rc != cases[i].want)
            fail_msg("%zu: %d %s", i, rc, err.text);
        if (rc < 0)
            assert_non_null(strstr(err.text, "no line of it can be used"));
    }
}

static void what_write_says_ends_the_reading(void **state)
{
    AUTO(heard_done) struct heard heard = { .write_rc = -EPIPE };
    const struct entry_texts_opts opts = { .t_ms = T_NONE };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(read_text("job_stats:\n" ENTRY, &opts, &heard, &err), -EPIPE);
    assert_string_equal(err.text, "output: Broken pipe");
}

static void what_cannot_be_is_refused(void **state)
{
    const char *formats[17], *bad[] = { "%j:%q" };
    enum entry_texts_form form = ENTRY_TEXTS_CSV;
    struct entry_texts *texts = NULL;
    struct err err = { 0 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        formats[i] = "%j";
    const struct entry_texts_opts many = { .formats = formats, .format_count = 17 };
    const struct entry_texts_opts wrong = { .formats = bad, .format_count = 1 };
    assert_int_equal(entry_texts_new(&many, &texts, &err), -EINVAL);
    assert_string_equal(err.text, "over 16 formats");
    assert_int_equal(entry_texts_new(&wrong, &texts, &err), -EINVAL);
    assert_null(texts);
    assert_int_equal(entry_texts_form_parse("xml", &form, &err), -EINVAL);
    assert_string_equal(err.text,
                        "invalid value 'xml' (choose json, csv, table, none, seed)");
    assert_int_equal(form, ENTRY_TEXTS_CSV);
    assert_int_equal(entry_texts_form_parse("seed", &form, &err), 0);
    assert_int_equal(form, ENTRY_TEXTS_SEED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_is_written),
        cmocka_unit_test(the_target_is_the_callers_or_the_paths),
        cmocka_unit_test(a_long_table_has_one_header),
        cmocka_unit_test(losses_are_named_and_not_without_end),
        cmocka_unit_test(silence_is_not_an_idle_server),
        cmocka_unit_test(a_file_of_something_else_is_an_error),
        cmocka_unit_test(what_write_says_ends_the_reading),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
