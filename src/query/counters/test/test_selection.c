/* SPDX-License-Identifier: Apache-2.0 */
/* test_selection - what is asked for, out of names and values; windows and their steps.
 */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/counters/counters.h"

#include <errno.h>
#include <stdio.h>

#define NOW_MS INT64_C(1700000000000)
#define HOUR_MS INT64_C(3600000)

static const struct selection_defaults defaults = {
    .ops = "write_bytes,read_bytes", .by = "job", .last_ms = 600000, .limit = 20
};

/* "a=b c=d" into a selection; 0 or the first error. */
static int fill(struct selection *sel, const char *words, struct err *err)
{
    struct span rest = span_of(words), word, name;
    int rc = 0;
    selection_init(sel, NOW_MS);
    while (rc == 0 && rest.size) {
        (void)span_cut(&rest, ' ', &word);
        (void)span_cut(&word, '=', &name);
        rc = selection_set(sel, name, word, err);
    }
    return rc;
}

static void what_cannot_be_asked_is_refused_by_name(void **state)
{
    static const struct {
        const char *words, *reason;
    } cases[] = {
        { "colour=red", "'colour' is not a parameter here" },
        { "target=", "target: a value is missing" },
        { "from=", "from: a value is missing" },
        { "limit=", "limit: a value is missing" },
        { "id=", "id: a value is missing" },
        { "id=7", "id: '7' is not a UUID" },
        { "entry=\\q", "entry: '\\q': a backslash is \\x5C" },
        { "by=job,colour",
          "by: invalid value 'colour' (choose fs, target, server, job, "
          "user, group, node, executable, op)" },
        { "op=writes", "op: 'writes' is not an operation" },
        { "from=then", "from: 'then' is not a time" },
        { "to=then", "to: 'then' is not a time" },
        { "last=7", "last: '7' is not a length of time" },
        { "last=0s", "last: '0s' is not a length of time" },
        { "step=never", "step: 'never' is not a length of time" },
        { "limit=0", "limit: '0' is not in 1..1000000" },
        { "limit=1000001", "limit: '1000001' is not in 1..1000000" },
        { "limit=-1", "limit: '-1' is not in 1..1000000" },
        { "density=maybe", "density: invalid value 'maybe' (choose yes, no)" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel;
        struct err err = { 0 };
        int rc = fill(&sel, cases[i].words, &err);
        if (rc != -EINVAL ||
            strncmp(err.text, cases[i].reason, strlen(cases[i].reason)) != 0)
            fail_msg("%s: %d %s", cases[i].words, rc, err.text);
    }
}

static void what_is_asked_is_there(void **state)
{
    AUTO(selection_done) struct selection sel;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(
        fill(&sel,
             "fs=a job=b user=c group=d node=e executable=f server=g target=*-OST0001 "
             "entry=x\\x3Ay id=8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11 limit=1000000 "
             "density=yes step=30s by=job,target,op,job op=open,open,write_bytes",
             &err),
        0);
    assert_true(span_is(sel.filter.fs, "a") && span_is(sel.filter.job, "b"));
    assert_true(span_is(sel.filter.user, "c") && span_is(sel.filter.group, "d"));
    assert_true(span_is(sel.filter.node, "e") && span_is(sel.filter.executable, "f"));
    assert_true(span_is(sel.server, "g") && span_is(sel.filter.entry_id, "x:y"));
    assert_string_equal(sel.filter.target, "*-OST0001");
    assert_ptr_equal(sel.filter.id, &sel.id);
    assert_int_equal(sel.limit, 1000000);
    assert_true(sel.density && sel.step_ms == 30000);
    assert_true(sel.by_count == 2 && sel.by[0] == DIM_JOB && sel.by[1] == DIM_TARGET);
    assert_true(sel.by_op && sel.has_by && sel.has_ops);
    assert_int_equal(sel.measure_count, 2);
    assert_string_equal(sel.measures[0].name, "open");
    assert_string_equal(sel.measures[1].name, "write_bytes");
    assert_int_equal(selection_set(&sel, SPAN("density"), SPAN("no"), &err), 0);
    assert_false(sel.density);
    /* Said again, it is another. */
    assert_int_equal(selection_set(&sel, SPAN("by"), SPAN(""), &err), 0);
    assert_true(sel.by_count == 0 && !sel.by_op && sel.has_by);
}

static void all_operations_are_each_of_them(void **state)
{
    AUTO(selection_done) struct selection sel;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(fill(&sel, "op=write_bytes,all,metadata", &err), 0);
    assert_int_equal(sel.measure_count, OP_COUNT + 1);
    assert_string_equal(sel.measures[0].name, "write_bytes");
    assert_string_equal(sel.measures[OP_COUNT].name, "metadata");
}

static void so_many_operations_and_no_more(void **state)
{
    AUTO(selection_done) struct selection sel;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(fill(&sel, "op=all", &err), 0);
    for (enum op op = 0; sel.measure_count < MEASURES_MAX; op++) {
        char name[48];
        const char *of =
            op == OP_READ_BYTES || op == OP_WRITE_BYTES ? "count" : "usecs";
        (void)snprintf(name, sizeof name, "%s_%s", op_name(op), of);
        assert_int_equal(selection_set(&sel, SPAN("op"), span_of(name), &err), 0);
    }
    assert_int_equal(selection_set(&sel, SPAN("op"), SPAN("metadata"), &err), -EINVAL);
    assert_string_equal(err.text, "op: more than 40");
    assert_int_equal(sel.measure_count, MEASURES_MAX);
    /* One that is there already is no other. */
    assert_int_equal(selection_set(&sel, SPAN("op"), SPAN("open"), &err), 0);
}

static void each_dimension_has_its_name(void **state)
{
    static const struct series series = {
        .fs = { "a", 1 },
        .target = { "b", 1 },
        .job = { "c", 1 },
        .user = { "d", 1 },
        .group = { "e", 1 },
        .node = { "f", 1 },
        .executable = { "g", 1 },
    };
    static const struct {
        const char *name, *value; /* NULL: no series says it */
    } cases[] = {
        { "fs", "a" },   { "target", "b" },     { "server", NULL },
        { "job", "c" },  { "user", "d" },       { "group", "e" },
        { "node", "f" }, { "executable", "g" }, { "op", NULL },
    };
    (void)state;
    assert_int_equal(COUNT_OF(cases), DIM_COUNT);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum dim dim;
        assert_int_equal(dim_parse(span_of(cases[i].name), &dim), 0);
        assert_string_equal(dim_name(dim), cases[i].name);
        struct span value = dim_of_series(dim, &series);
        assert_true(cases[i].value ? span_is(value, cases[i].value) : !value.data);
    }
}

/* Each filter alone decides: a series fits where it says the same. */
static void a_filter_is_for_what_says_the_same(void **state)
{
    struct series series = {
        .fs = SPAN("scratch"),
        .target = SPAN("scratch-OST0001"),
        .job = SPAN("7"),
        .user = SPAN("ann"),
        .group = SPAN("phys"),
        .node = SPAN("n1"),
        .executable = SPAN("a"),
        .entry_id = SPAN("7:x"),
    };
    static const struct {
        const char *words;
        bool has;
    } cases[] = {
        { "fs=scratch", true },
        { "fs=home", false },
        { "target=*OST0001", true },
        { "target=*OST0002", false },
        { "job=7", true },
        { "job=70", false },
        { "user=ann", true },
        { "user=bob", false },
        { "group=phys", true },
        { "group=chem", false },
        { "node=n1", true },
        { "node=n2", false },
        { "node=n[1-3]", true },
        { "node=n[2-3]", false },
        { "node=n2,n1", true },
        { "executable=a", true },
        { "executable=b", false },
        { "entry=7\\x3Ax", true },
        { "entry=7", false },
        { "job=7 user=bob", false },
        { "job=7 user=ann", true },
        { "id=00000000-0000-0000-0000-000000000000", true },
        { "id=00000000-0000-0000-0000-000000000001", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel;
        struct err err = { 0 };
        assert_int_equal(fill(&sel, cases[i].words, &err), 0);
        if (selection_has(&sel, &series) != cases[i].has)
            fail_msg("%s", cases[i].words);
        assert_false(selection_is_open(&sel));
        /* What a series does not say is no text. */
        struct series silent = { .target = SPAN("home-OST0000"), .id.bytes = { 7 } };
        if (selection_has(&sel, &silent))
            fail_msg("%s: a series that says nothing", cases[i].words);
    }
    AUTO(selection_done) struct selection open;
    struct err err = { 0 };
    assert_int_equal(fill(&open, "server=oss01 last=1h by=job", &err), 0);
    assert_true(selection_is_open(&open) && selection_has(&open, &series));
}

static void numbers_stand_for_a_name(void **state)
{
    (void)state;
    const struct series alice = { .user = SPAN("1001"), .group = SPAN("100") };
    const struct series silent = { .target = SPAN("home-OST0000") };
    const struct span numbers[] = { SPAN("1002"), SPAN("1001") };
    AUTO(selection_done) struct selection sel;
    struct err err = { 0 };
    assert_int_equal(fill(&sel, "user=alice", &err), 0);
    assert_false(selection_has(&sel, &alice)); /* a name is no number */
    sel.filter.users = numbers;
    sel.filter.user_count = 2;
    assert_true(selection_has(&sel, &alice));
    assert_false(selection_has(&sel, &silent));
    sel.filter.user_count = 1;
    assert_false(selection_has(&sel, &alice));
    sel.filter.user_count = 0;
    assert_false(selection_has(&sel, &alice) || selection_has(&sel, &silent));
    sel.filter.users = NULL;
    sel.filter.user = (struct span){ 0 };
    sel.filter.groups = numbers;
    sel.filter.group_count = 2;
    assert_false(selection_has(&sel, &alice));
}

static void a_window_is_settled_by_what_was_said(void **state)
{
    static const struct {
        const char *words;
        int64_t latest_ms, from_ms, to_ms, skew_ms;
    } cases[] = {
        { "", T_NONE, NOW_MS - 600000, NOW_MS, 0 },
        { "", NOW_MS - 5000, NOW_MS - 605000, NOW_MS - 5000, 0 },
        { "", NOW_MS + 5000, NOW_MS - 600000, NOW_MS, 0 },
        { "last=1h", NOW_MS - 5000, NOW_MS - 5000 - HOUR_MS, NOW_MS - 5000, 0 },
        { "from=-2h", NOW_MS - 5000, NOW_MS - 2 * HOUR_MS, NOW_MS, 0 },
        { "to=-2h", NOW_MS - 5000, NOW_MS - 2 * HOUR_MS - 600000, NOW_MS - 2 * HOUR_MS,
          0 },
        { "to=-2h last=1h", T_NONE, NOW_MS - 3 * HOUR_MS, NOW_MS - 2 * HOUR_MS, 0 },
        { "from=@100 to=@200", T_NONE, 100000, 200000, 0 },
        { "to=@100 last=1h", T_NONE, 0, 100000, 0 },
        { "last=1d step=1h", T_NONE, NOW_MS - 24 * HOUR_MS, NOW_MS, NOW_MS % HOUR_MS },
        { "last=1d step=90m", T_NONE, NOW_MS - 24 * HOUR_MS, NOW_MS, 0 },
        { "last=1d step=2h", T_NONE, NOW_MS - 24 * HOUR_MS, NOW_MS,
          NOW_MS % (2 * HOUR_MS) },
        { "from=-1d step=1h", T_NONE, NOW_MS - 24 * HOUR_MS, NOW_MS, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel;
        struct err err = { 0 };
        assert_int_equal(fill(&sel, cases[i].words, &err), 0);
        int rc = selection_settle(&sel, &defaults, cases[i].latest_ms, &err);
        if (rc < 0 || sel.from_ms != cases[i].from_ms || sel.to_ms != cases[i].to_ms ||
            sel.skew_ms != cases[i].skew_ms)
            fail_msg("'%s': %d %s, %lld .. %lld, skew %lld", cases[i].words, rc,
                     err.text, (long long)sel.from_ms, (long long)sel.to_ms,
                     (long long)sel.skew_ms);
        assert_true(sel.limit == 20 && sel.measure_count == 2 && !sel.has_ops);
        assert_true(sel.by_count == 1 && sel.by[0] == DIM_JOB);
    }
}

static void a_window_that_is_none_is_refused(void **state)
{
    static const struct {
        const char *words, *reason;
    } cases[] = {
        { "last=1h from=-2h", "last and from exclude each other" },
        { "from=-1h to=-2h", "from must lie before to" },
        { "from=-1h to=-1h", "from must lie before to" },
        { "from=@-1 to=@5", "from: '@-1' is not a time" },
        { "from=@0 to=@10000 step=1s", "step: more than 10000 steps" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel;
        struct err err = { 0 };
        int rc = fill(&sel, cases[i].words, &err);
        if (rc == 0)
            rc = selection_settle(&sel, &defaults, T_NONE, &err);
        if (rc != -EINVAL ||
            strncmp(err.text, cases[i].reason, strlen(cases[i].reason)) != 0)
            fail_msg("%s: %d %s", cases[i].words, rc, err.text);
    }
    AUTO(selection_done) struct selection most;
    struct err err = { 0 };
    assert_int_equal(fill(&most, "from=@0 to=@9999 step=1s", &err), 0);
    assert_int_equal(selection_settle(&most, &defaults, T_NONE, &err), 0);
    assert_int_equal(selection_steps(&most), 9999);
}

/* Steps lie side by side and fill the window; each moment is in the step that has it.
 */
static void steps_are_the_window_without_a_gap(void **state)
{
    static const struct {
        int64_t from_ms, to_ms, step_ms, skew_ms;
        size_t steps;
    } cases[] = {
        { 0, 1000, 0, 0, 1 },       { 0, 1000, 100, 0, 10 },  { 0, 1001, 100, 0, 11 },
        { 5, 1000, 100, 0, 10 },    { 105, 1000, 100, 5, 9 }, { 199, 1000, 100, 99, 9 },
        { 199, 1001, 100, 99, 10 }, { 7, 8, 100, 7, 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct selection sel = { .from_ms = cases[i].from_ms,
                                 .to_ms = cases[i].to_ms,
                                 .step_ms = cases[i].step_ms,
                                 .skew_ms = cases[i].skew_ms };
        assert_int_equal(selection_steps(&sel), cases[i].steps);
        assert_true(selection_step_from(&sel, 0) == sel.from_ms);
        assert_true(selection_step_to(&sel, cases[i].steps - 1) == sel.to_ms);
        for (size_t step = 0; step < cases[i].steps; step++) {
            int64_t from = selection_step_from(&sel, step);
            int64_t to = selection_step_to(&sel, step);
            assert_true(from < to);
            if (step > 0)
                assert_true(from == selection_step_to(&sel, step - 1));
            assert_int_equal(selection_step_of(&sel, from + 1), step);
            assert_int_equal(selection_step_of(&sel, to), step);
        }
    }
}

static void long_windows_are_cut_at_whole_hours(void **state)
{
    static const struct {
        int64_t from_ms, to_ms, count, step_ms, skew_ms;
    } cases[] = {
        { 0, 1000, 10, 100, 0 },
        { 0, 1001, 10, 101, 0 },
        { 5, HOUR_MS, 2, HOUR_MS / 2 - 2, 0 },
        { 5, HOUR_MS + 5, 2, HOUR_MS, 5 },
        { HOUR_MS + 7, 25 * HOUR_MS + 7, 24, HOUR_MS, 7 },
        { HOUR_MS + 7, 25 * HOUR_MS + 8, 24, 2 * HOUR_MS, 7 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct selection sel = { .from_ms = cases[i].from_ms, .to_ms = cases[i].to_ms };
        selection_cut(&sel, cases[i].count);
        if (sel.step_ms != cases[i].step_ms || sel.skew_ms != cases[i].skew_ms)
            fail_msg("%zu: step %lld, skew %lld", i, (long long)sel.step_ms,
                     (long long)sel.skew_ms);
    }
}

static void activity_is_followed_so_far_back(void **state)
{
    static const struct {
        int64_t from_ms, to_ms, lookback_ms, reach_ms, follow_ms;
    } cases[] = {
        { 50 * HOUR_MS, 51 * HOUR_MS, 0, 50 * HOUR_MS, 50 * HOUR_MS },
        { 50 * HOUR_MS, 51 * HOUR_MS, 2 * HOUR_MS, 49 * HOUR_MS, 49 * HOUR_MS },
        { 10 * HOUR_MS, 51 * HOUR_MS, 0, 10 * HOUR_MS, 48 * HOUR_MS },
        { 10 * HOUR_MS, 51 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 46 * HOUR_MS },
        { 50 * HOUR_MS, 51 * HOUR_MS, 9 * HOUR_MS, 42 * HOUR_MS, 42 * HOUR_MS },
        { 1 * HOUR_MS, 2 * HOUR_MS, 9 * HOUR_MS, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct selection sel = { .from_ms = cases[i].from_ms,
                                 .to_ms = cases[i].to_ms,
                                 .lookback_ms = cases[i].lookback_ms };
        if (selection_reach_ms(&sel) != cases[i].reach_ms ||
            selection_follow_ms(&sel) != cases[i].follow_ms)
            fail_msg("%zu: %lld, %lld", i, (long long)selection_reach_ms(&sel),
                     (long long)selection_follow_ms(&sel));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_asked_is_refused_by_name),
        cmocka_unit_test(what_is_asked_is_there),
        cmocka_unit_test(all_operations_are_each_of_them),
        cmocka_unit_test(so_many_operations_and_no_more),
        cmocka_unit_test(each_dimension_has_its_name),
        cmocka_unit_test(a_filter_is_for_what_says_the_same),
        cmocka_unit_test(a_window_is_settled_by_what_was_said),
        cmocka_unit_test(a_window_that_is_none_is_refused),
        cmocka_unit_test(steps_are_the_window_without_a_gap),
        cmocka_unit_test(long_windows_are_cut_at_whole_hours),
        cmocka_unit_test(activity_is_followed_so_far_back),
        cmocka_unit_test(numbers_stand_for_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
