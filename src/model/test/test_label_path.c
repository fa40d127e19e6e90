/* SPDX-License-Identifier: Apache-2.0 */
/* test_label_path - label sets and paths of components, and that none becomes another.
 */
#include "base/span.h"
#include "model/component.h"
#include "model/label_path.h"

#include "base/test/testing.h"

#include <errno.h>

static const struct label_home home = { { "P", 1 }, { "h", 1 } };

/* "a=1;b=2" */
static void read_text(const char *text, struct label_set *ret)
{
    struct span rest = span_of(text), pair, name;
    ret->count = 0;
    while (rest.size > 0) {
        (void)span_cut(&rest, ';', &pair);
        (void)span_cut(&pair, '=', &name);
        assert_int_equal(label_set_add(ret, (struct label_pair){ name, pair }), 0);
    }
}

static void print_set(const struct label_set *set, struct strbuf *out)
{
    strbuf_clear(out);
    for (size_t i = 0; i < set->count; i++)
        strbuf_addf(out, "%s" SPAN_FMT "=" SPAN_FMT, i ? ";" : "",
                    SPAN_ARG(set->pairs[i].name), SPAN_ARG(set->pairs[i].value));
}

static const struct {
    const char *labels, *path;
} cases[] = {
    { "cluster=c;hostname=n", "c/n" },
    { "cluster=c;hostname=n;type=gpu;type_id=0", "c/n/gpu:0" },
    { "cluster=c;hostname=n;type=gpu", "c/n/gpu" },
    { "cluster=c;hostname=n;subtype=d;subtype_id=2;type=c;type_id=1", "c/n/c:1/d:2" },
    { "cluster=c;hostname=n;job=x", "c/n/tags:job=x" },
    { "cluster=c;hostname=n;job=x;type=gpu;type_id=0", "c/n/gpu:0/tags:job=x" },
    { "cluster=c;hostname=n;job=x;subtype=d;subtype_id=2;type=c;type_id=1",
      "c/n/c:1/tags:job=x,subtype=d,subtype_id=2" },
    { "instance=n:9100;job=node",
      "P/h/tags:cluster=,hostname=,instance=n:9100,job=node" },
    { "hostname=n", "P/n/tags:cluster=" },
    { "", "P/h/tags:cluster=,hostname=" },
    { "cluster=c;hostname=n;type_id=7", "c/n/tags:type_id=7" },
    { "cluster=c;hostname=n;subtype=a;subtype_id=7",
      "c/n/tags:subtype=a,subtype_id=7" },
    { "cluster=c;hostname=n;subtype_id=7;type=gpu", "c/n/gpu/tags:subtype_id=7" },
    /* What would be read as something else. */
    { "cluster=c;hostname=n;type=tags;type_id=zzz", "c/n/tags:zzz" },
    { "cluster=c;hostname=n;type=tags;type_id=a=b",
      "c/n/tags:type=tags,type_id=a\\x5C=b" },
    { "cluster=c;hostname=n;a=b", "c/n/tags:a=b" },
    { "a=1,b=2;cluster=c;hostname=n", "c/n/tags:a=1\\x5C,b\\x5C=2" },
    { "a=1;b=2;cluster=c;hostname=n", "c/n/tags:a=1,b=2" },
    { "cluster=c;hostname=n;job=x;type=tags;type_id=a=b", "c/n/tags:a=b/tags:job=x" },
    { "cluster=c;hostname=n;subtype=tags;subtype_id=a=b;type=t",
      "c/n/t/tags:subtype=tags,subtype_id=a\\x5C=b" },
    { "UUID=1;cluster=a/b;hostname=x y", "a\\x2Fb/x\\x20y/tags:UUID=1" },
};

static void each_set_has_a_path_and_is_read_from_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT, again = STRBUF_INIT;
        struct label_set set;
        char text[LABEL_TEXT_MAX];
        read_text(cases[i].labels, &set);
        assert_int_equal(label_path_print(&path, &set, &home), 0);
        assert_string_equal(strbuf_text(&path), cases[i].path);
        label_path_read(strbuf_span(&path), text, &set);
        print_set(&set, &again);
        struct label_set sorted;
        AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
        read_text(cases[i].labels, &sorted);
        print_set(&sorted, &want);
        assert_string_equal(strbuf_text(&again), strbuf_text(&want));
    }
}

static void other_paths_are_read_part_by_part(void **state)
{
    (void)state;
    static const struct {
        const char *path, *labels;
    } others[] = {
        { "c/n/tags:b=1,a=2", "cluster=c;hostname=n;type=tags;type_id=b=1,a=2" },
        { "c/n/tags:a-b=1,c=2", "cluster=c;hostname=n;type=tags;type_id=a-b=1,c=2" },
        { "c/n/tags:a=", "cluster=c;hostname=n;type=tags;type_id=a=" },
        { "c/n/tags:type=tags,type_id=zzz",
          "cluster=c;hostname=n;type=tags;type_id=type=tags,type_id=zzz" },
        { "c/n/device:sda", "cluster=c;hostname=n;type=device;type_id=sda" },
        { "c", "cluster=c" },
    };
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct label_set set;
        char text[LABEL_TEXT_MAX];
        label_path_read(span_of(others[i].path), text, &set);
        print_set(&set, &out);
        assert_string_equal(strbuf_text(&out), others[i].labels);
    }
}

/* Names and values of a few letters, so that many sets look like each other. */
static void draw_set(unsigned *seed, char *text, struct label_set *ret)
{
    static const char *const names[] = {
        "cluster",    "hostname", "type", "type_id", "subtype",
        "subtype_id", "a",        "B",    "tags",    "zz",
    };
    static const char letters[] = "a=,\\/: tgs1";
    ret->count = 0;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        size_t size = (size_t)rand_r(seed) % 5;
        for (size_t k = 0; k < size; k++)
            text[k] = letters[(size_t)rand_r(seed) % (sizeof letters - 1)];
        struct span value = { text, size };
        if (rand_r(seed) % 6 == 0)
            value = SPAN("tags");
        else
            text += size;
        if (rand_r(seed) % 2)
            assert_int_equal(
                label_set_add(ret, (struct label_pair){ span_of(names[i]), value }), 0);
    }
}

static void drawn_sets_come_back_as_they_were(void **state)
{
    (void)state;
    unsigned seed = 20261124;
    for (int i = 0; i < 200000; i++) {
        AUTO(strbuf_done)
        struct strbuf path = STRBUF_INIT, want = STRBUF_INIT, got = STRBUF_INIT;
        struct label_set set;
        char drawn[256], text[LABEL_TEXT_MAX];
        draw_set(&seed, drawn, &set);
        print_set(&set, &want);
        assert_int_equal(label_path_print(&path, &set, &home), 0);
        label_path_read(strbuf_span(&path), text, &set);
        print_set(&set, &got);
        if (strcmp(strbuf_text(&want), strbuf_text(&got)) != 0)
            fail_msg("%s: %s, read as %s", strbuf_text(&path), strbuf_text(&want),
                     strbuf_text(&got));
    }
}

static void a_name_twice_or_that_cannot_be_spelt_is_refused(void **state)
{
    (void)state;
    struct label_set set = { 0 };
    assert_int_equal(label_set_add(&set, (struct label_pair){ SPAN("a"), SPAN("1") }),
                     0);
    assert_int_equal(label_set_add(&set, (struct label_pair){ SPAN("a"), SPAN("2") }),
                     -EEXIST);
    assert_int_equal(label_set_add(&set, (struct label_pair){ SPAN("a-b"), SPAN("2") }),
                     -EINVAL);
    assert_int_equal(label_set_add(&set, (struct label_pair){ SPAN("9"), SPAN("2") }),
                     -EINVAL);
    assert_int_equal(label_set_add(&set, (struct label_pair){ SPAN(""), SPAN("2") }),
                     -EINVAL);
    assert_int_equal(label_set_add(&set, (struct label_pair){ SPAN("b"), SPAN("") }),
                     0);
    assert_int_equal(set.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_set_has_a_path_and_is_read_from_it),
        cmocka_unit_test(other_paths_are_read_part_by_part),
        cmocka_unit_test(drawn_sets_come_back_as_they_were),
        cmocka_unit_test(a_name_twice_or_that_cannot_be_spelt_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
