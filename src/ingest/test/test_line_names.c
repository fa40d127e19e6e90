/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_names - which metric of which component a line names, in both forms. */
#include "base/span.h"
#include "base/test/testing.h"
#include "ingest/line_names.h"
#include "wire/wire.h"

#include <errno.h>

struct name_case {
    const char *line;
    const char *path, *metric; /* NULL: refused */
    int rc;
    const char *reason;
    bool has_unknown_tag;
};

/* The first field of the line. */
static int names_make(struct line_names *names, const struct line_names_opts *opts,
                      const char *line, const char **ret_reason)
{
    struct line_reader reader;
    struct line_point point;
    line_reader_init(&reader, span_of(line), 0, 1);
    assert_int_equal(line_reader_next(&reader, &point), LINE_POINT);
    assert_true(point.field_count > 0);
    return line_names_make(names, opts, &point, &point.fields[0], ret_reason);
}

static void expect_names(const struct line_names_opts *opts,
                         const struct name_case *cases, size_t count)
{
    AUTO(line_names_done) struct line_names names = { 0 };
    for (size_t i = 0; i < count; i++) {
        const struct name_case *c = &cases[i];
        const char *reason = NULL;
        int rc = names_make(&names, opts, c->line, &reason);
        if (rc != c->rc)
            fail_msg("%s: %d, %s", c->line, rc, reason);
        if (rc < 0 && strcmp(reason, c->reason) != 0)
            fail_msg("%s: %s", c->line, reason);
        if (rc == 0 && (strcmp(strbuf_text(&names.path), c->path) != 0 ||
                        strcmp(strbuf_text(&names.metric), c->metric) != 0 ||
                        names.has_unknown_tag != c->has_unknown_tag))
            fail_msg("%s: %s %s", c->line, strbuf_text(&names.path),
                     strbuf_text(&names.metric));
    }
}

static void tags_of_clustercockpit_name_a_level(void **state)
{
    static const struct name_case cases[] = {
        { "load,cluster=c,hostname=h value=1", "c/h", "load", 0, NULL, false },
        { "load,cluster=c,host=h,type=node value=1", "c/h", "load", 0, NULL, false },
        { "load,cluster=c,hostname=h,type=node,type-id=0 value=1", "c/h", "load", 0,
          NULL, false },
        { "flops,cluster=c,hostname=h,type=hwthread,type-id=7 value=1",
          "c/h/hwthread:7", "flops", 0, NULL, false },
        { "mem,type-id=1,type=socket,hostname=h,cluster=c value=1", "c/h/socket:1",
          "mem", 0, NULL, false },
        { "t,cluster=c,hostname=h,type=socket,type-id=1,stype=core,stype-id=5 value=1",
          "c/h/socket:1/core:5", "t", 0, NULL, false },
        { "t,cluster=c,hostname=h,type=socket,type-id=1,subtype=core,stype-id=5 "
          "value=1",
          "c/h/socket:1/core:5", "t", 0, NULL, false },
        /* A level below the host itself is one level. */
        { "t,cluster=c,hostname=h,type=node,stype=disk,stype-id=sda value=1",
          "c/h/disk:sda", "t", 0, NULL, false },
        { "t,cluster=c,hostname=h,type-id=7 value=1", "c/h/7", "t", 0, NULL, false },
        /* Of two names of a host the first. */
        { "t,cluster=c,hostname=a,host=b value=1", "c/a", "t", 0, NULL, false },
        { "t,cluster=c,hostname=h,rack=3 value=1", "c/h", "t", 0, NULL, true },
        /* The name of the field is not part of the metric. */
        { "t,cluster=c,hostname=h used=1", "c/h", "t", 0, NULL, false },
        { "a\\ b,cluster=c,hostname=h value=1", "c/h", "a b", 0, NULL, false },
        { "t,cluster=c\\ d,hostname=h value=1", "c\\x20d/h", "t", 0, NULL, false },
        { "t,cluster=c value=1", NULL, NULL, -EINVAL, "no tag names the host", false },
        { "t,hostname=h value=1", NULL, NULL, -EINVAL, "nothing names the cluster",
          false },
        { "t value=1", NULL, NULL, -EINVAL, "no tag names the host", false },
    };
    const struct line_names_opts opts = { .form = LINE_CLUSTERCOCKPIT };
    (void)state;
    expect_names(&opts, cases, COUNT_OF(cases));
}

static void tags_of_influx_become_one_id(void **state)
{
    static const struct name_case cases[] = {
        { "disk,host=h,cluster=c value=1", "c/h", "disk", 0, NULL, false },
        { "disk,host=h,cluster=c used=1", "c/h", "disk_used", 0, NULL, false },
        { "cpu,host=h,cluster=c,cpu=cpu0 usage=1", "c/h/cpu:cpu0", "cpu_usage", 0, NULL,
          false },
        { "disk,host=h,cluster=c,path=/,device=sda,fstype=ext4 used=1",
          "c/h/tags:device=sda,fstype=ext4,path=\\x2F", "disk_used", 0, NULL, false },
        /* In any order they are the same. */
        { "disk,fstype=ext4,path=/,host=h,device=sda,cluster=c used=1",
          "c/h/tags:device=sda,fstype=ext4,path=\\x2F", "disk_used", 0, NULL, false },
        { "d,host=h,cluster=c,ab=1,a=2 value=1", "c/h/tags:a=2,ab=1", "d", 0, NULL,
          false },
        /* What divides the pairs is escaped within them. */
        { "d,host=h,cluster=c,a=1\\,b\\=2,c=3 value=1",
          "c/h/tags:a=1\\x5C,b\\x5C=2,c=3", "d", 0, NULL, false },
        /* A tag that is called as the mark of several is no such mark. */
        { "d,host=h,cluster=c,tags=x value=1", "c/h/tags:tags=x", "d", 0, NULL, false },
        /* type is a tag as any other here. */
        { "d,host=h,cluster=c,type=node value=1", "c/h/type:node", "d", 0, NULL,
          false },
    };
    const struct line_names_opts opts = { .form = LINE_INFLUX };
    (void)state;
    expect_names(&opts, cases, COUNT_OF(cases));
}

static void a_cluster_may_be_given_for_lines_without(void **state)
{
    static const struct name_case cases[] = {
        { "t,hostname=h value=1", "given/h", "t", 0, NULL, false },
        { "t,hostname=h,cluster=own value=1", "own/h", "t", 0, NULL, false },
        { "t,cluster=own value=1", NULL, NULL, -EINVAL, "no tag names the host",
          false },
    };
    const struct line_names_opts opts = { .form = LINE_CLUSTERCOCKPIT,
                                          .cluster = SPAN("given") };
    (void)state;
    expect_names(&opts, cases, COUNT_OF(cases));
}

static void a_token_limits_whose_lines_they_may_be(void **state)
{
    static const struct name_case cases[] = {
        { "t,cluster=c,hostname=h1.example.org value=1", "c/h1.example.org", "t", 0,
          NULL, false },
        { "t,cluster=c,hostname=h1 value=1", "c/h1", "t", 0, NULL, false },
        { "t,cluster=c,hostname=h1.example value=1", NULL, NULL, -EACCES,
          "the token is for another host", false },
        { "t,cluster=c,hostname=h2 value=1", NULL, NULL, -EACCES,
          "the token is for another host", false },
        { "t,cluster=c,hostname=h value=1", NULL, NULL, -EACCES,
          "the token is for another host", false },
        { "t,cluster=d,hostname=h1 value=1", NULL, NULL, -EACCES,
          "the token is for another cluster", false },
    };
    /* A token for the short name is for no longer one. */
    static const struct name_case brief[] = {
        { "t,cluster=d,hostname=h1 value=1", "d/h1", "t", 0, NULL, false },
        { "t,cluster=d,hostname=h1.example.org value=1", NULL, NULL, -EACCES,
          "the token is for another host", false },
    };
    struct line_names_opts opts = { .form = LINE_CLUSTERCOCKPIT,
                                    .only_host = SPAN("h1.example.org"),
                                    .only_cluster = SPAN("c") };
    (void)state;
    expect_names(&opts, cases, COUNT_OF(cases));
    opts.only_host = SPAN("h1");
    opts.only_cluster = (struct span){ 0 };
    expect_names(&opts, brief, COUNT_OF(brief));
}

static void who_it_is_stays_known(void **state)
{
    const struct line_names_opts opts = { .form = LINE_CLUSTERCOCKPIT };
    AUTO(line_names_done) struct line_names names = { 0 };
    const char *reason;
    (void)state;
    assert_int_equal(
        names_make(&names, &opts, "t,cluster=c\\ d,hostname=h\\,1 value=1", &reason),
        0);
    assert_true(span_is(names.host, "h,1"));
    assert_true(span_is(names.cluster, "c d"));
    /* The next line has nothing of it. */
    assert_int_equal(names_make(&names, &opts, "t,cluster=e value=1", &reason),
                     -EINVAL);
    assert_int_equal(names.host.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_of_clustercockpit_name_a_level),
        cmocka_unit_test(tags_of_influx_become_one_id),
        cmocka_unit_test(a_cluster_may_be_given_for_lines_without),
        cmocka_unit_test(a_token_limits_whose_lines_they_may_be),
        cmocka_unit_test(who_it_is_stays_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
