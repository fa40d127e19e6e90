/* SPDX-License-Identifier: Apache-2.0 */
/* test_state - an observer that is stopped and started goes on; totals are exact. */
#include "observe/test/rows.h"

static struct observe *restarted(struct observe *from)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf target = STRBUF_INIT;
    struct observe *to = observe_of(MIN2);
    observe_save_list(from, &list);
    assert_int_equal(observe_load_list(to, strbuf_span(&list), NULL), 0);
    for (size_t i = 0; i < observe_target_count(from); i++) {
        strbuf_clear(&target);
        observe_save_target(observe_target_at(from, i), &target);
        assert_int_equal(observe_load_target(to, strbuf_span(&target), NULL), 0);
    }
    return to;
}

static void a_restart_changes_no_row(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *through = observe_of(MIN2);
    AUTO(observe_free) struct observe *stopped = observe_of(MIN2);
    for (int k = 0; k < 30; k++) {
        int64_t t_ms = T0 + k * MIN2 + k;
        uint64_t n = (uint64_t)(k / 3 * 3) + 1;
        struct entry entries[] = {
            entry_of("moves", T_NONE, n, n * 10),
            entry_of("falls", T_NONE, n % 7, n % 7 * 100),
            entry_of("reborn", S_NS(T0 - 1000 + k / 10 * 10 * MIN2) + 7, n, n),
            entry_of("now and then", T_NONE, n, n),
        };
        size_t count = COUNT_OF(entries) - (k % 12 > 1);
        struct rows a = { 0 }, b = { 0 };
        round_of(list_one(through, t_ms), t_ms, entries, count, &a);
        struct observe *again = restarted(stopped);
        observe_free(stopped);
        stopped = again;
        round_of(list_one(stopped, t_ms), t_ms, entries, count, &b);
        assert_int_equal(a.count, b.count);
        for (size_t i = 0; i < a.count; i++) {
            assert_string_equal(a.rows[i].id, b.rows[i].id);
            assert_row(&a.rows[i], b.rows[i].seen.t_ms, b.rows[i].seen.since_ms,
                       b.rows[i].seen.previous_ms, b.rows[i].seen.reset,
                       b.rows[i].seen.is_zero);
        }
    }
    assert_int_equal(observe_generation_count(through),
                     observe_generation_count(stopped));
}

static void a_list_is_remembered_for_the_targets_that_come_later(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *before = observe_of(MIN2);
    assert_int_equal(observe_list(before, T0, NULL, 0), 0);
    AUTO(observe_free) struct observe *o = restarted(before);
    struct observe_target *target = list_one(o, T0 + MIN2);
    struct rows rows = { 0 };
    round_of_one(target, T0 + MIN2, entry_of("a", T_NONE, 1, 10), &rows);
    assert_int_equal(rows.count, 2);
    assert_row(&rows.rows[0], T0, T_NONE, T_NONE, true, true);
}

static void a_broken_state_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    struct entry both[] = { entry_of("a", T_NONE, 5, 50),
                            entry_of("b", T_NONE, 1, 10) };
    round_of(target, T0, both, 2, &rows);
    AUTO(strbuf_done) struct strbuf saved = STRBUF_INIT;
    observe_save_target(target, &saved);
    for (size_t cut = 0; cut < saved.size; cut++) {
        struct span part = { saved.data, cut };
        struct err err = { 0 };
        assert_int_equal(observe_load_target(o, part, &err), -EBADMSG);
        assert_int_equal(observe_load_list(o, part, &err), -EBADMSG);
    }
    for (size_t at = 0; at < saved.size; at++) {
        saved.data[at] ^= 0x55;
        (void)observe_load_target(o, strbuf_span(&saved), NULL);
        saved.data[at] ^= 0x55;
    }
    assert_int_equal(observe_load_target(o, strbuf_span(&saved), NULL), 0);
    assert_int_equal(observe_target_generation_count(target), 2);
}

static void a_forgotten_target_is_as_never_observed(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 5, 50), &rows);
    rows.fail = -ENOSPC;
    assert_int_equal(observe_round_begin(target, T0 + MIN2, rows_add, &rows), 0);
    struct entry more = entry_of("a", T_NONE, 6, 60);
    assert_int_equal(observe_entry(target, &more), 0); /* it waits for the end */
    assert_int_equal(observe_round_end(target), -ENOSPC);
    observe_target_forget(target);
    rows.fail = 0;
    round_of_one(target, T0 + 2 * MIN2, more, &rows);
    assert_row(&rows.rows[0], T0 + 2 * MIN2, T_NONE, T_NONE, false, false);
}

static void put(struct strbuf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        strbuf_addc(out, (char)(value | 0x80));
    strbuf_addc(out, (char)value);
}

/* What earlier versions wrote: generations without snapshot, moved and flags. */
static void a_state_of_version_1_is_read(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf old = STRBUF_INIT;
    const uint64_t at_t0 = (uint64_t)T0 * 2 + 1;
    put(&old, 1);
    put(&old, 15);
    strbuf_adds(&old, "scratch-OST0001");
    const uint64_t head[] = { TARGET_OST, at_t0, at_t0, 600000, 1, 1, 1 };
    for (size_t i = 0; i < COUNT_OF(head); i++)
        put(&old,
            head[i]); /* kind, begun, round, cleanup, rounds; one generation: size */
    strbuf_addc(&old, 'a');
    /* seen, row, start, seen round; counters: write_bytes, samples 3, sum 30; totals */
    const uint64_t generation[] = { 1, 1, 0, 1, 3 };
    for (size_t i = 0; i < COUNT_OF(generation); i++)
        put(&old, generation[i]);
    strbuf_addc(&old, (char)(OP_WRITE_BYTES | 0xe0));
    put(&old, 3);
    put(&old, 30);
    put(&old, 0);
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    assert_int_equal(observe_load_target(o, strbuf_span(&old), NULL), 0);
    assert_int_equal(observe_target_generation_count(target), 1);
    struct rows rows = { 0 };
    round_of_one(target, T0 + MIN2, entry_of("a", T_NONE, 4, 40), &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], T0 + MIN2, T0, T0, false, false);
}

/* The state on disk names operations by their place in OP_TABLE: a new one belongs at
 * its end, or into a new version of the state. */
static void the_columns_of_the_state_keep_their_places(void **state)
{
    (void)state;
    static const struct {
        int column;
        const char *name;
    } places[] = {
        { 0, "open" },      { 8, "getattr" },     { 16, "read" },
        { 17, "write" },    { 22, "read_bytes" }, { 23, "write_bytes" },
        { 26, "prealloc" },
    };
    for (size_t i = 0; i < COUNT_OF(places); i++)
        assert_string_equal(op_name((enum op)places[i].column), places[i].name);
}

/* ---- totals ---- */

static struct observe *folding(struct observe_fold *fold, struct entry_format **format)
{
    static const char *const executables[] = { "kworker*", "node_exporter" };
    static const char *const users[] = { "0" };
    assert_int_equal(entry_format_new("%e.%u", format, NULL), 0);
    *fold = (struct observe_fold){
        .name = "root",
        .format = *format,
        .executables = executables,
        .executable_count = 2,
        .users = users,
        .user_count = 1,
    };
    struct observe_opts opts = {
        .interval_ms = MIN2, .generations_max = 1000, .folds = fold, .fold_count = 1
    };
    struct observe *o = NULL;
    assert_int_equal(observe_new(&opts, &o), 0);
    return o;
}

static void folded_entries_make_one_total_that_is_their_sum(void **state)
{
    (void)state;
    struct observe_fold fold;
    AUTO(entry_format_free) struct entry_format *format = NULL;
    AUTO(observe_free) struct observe *o = folding(&fold, &format);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    struct entry first[] = {
        idle_entry(),                                 /* the target stays mounted */
        entry_of("node_exporter.5", T_NONE, 1, 1000), /* before our time: not in it */
        entry_of("ls.7", T_NONE, 1, 1),
        entry_of("bash.0", T_NONE, 2, 2),
    };
    round_of(target, T0, first, COUNT_OF(first), &rows);
    assert_int_equal(rows.count, 4); /* idle, ls, and the beginnings of two totals */
    struct entry second[] = {
        idle_entry(),
        entry_of("node_exporter.5", T_NONE, 2, 1100), /* grew by 100 */
        entry_of("node_exporter.6", T_NONE, 1, 7),    /* new */
        entry_of("bash.0", T_NONE, 1, 1),             /* a new generation */
        entry_of("cron.0", T_NONE, 4, 40),            /* new */
    };
    round_of(target, T0 + MIN2, second, COUNT_OF(second), &rows);
    assert_int_equal(rows.count, 2);
    for (size_t i = 0; i < rows.count; i++) {
        bool is_root = strcmp(rows.rows[i].id, "root@total") == 0;
        if (!is_root)
            assert_string_equal(rows.rows[i].id, "node_exporter@total");
        assert_int_equal(rows.rows[i].bytes, is_root ? 41 : 107);
        assert_row(&rows.rows[i], T0 + MIN2, T0, T0, false, false);
    }
    round_of(target, T0 + 2 * MIN2, second, COUNT_OF(second), &rows);
    assert_int_equal(rows.count, 0);
    second[2].ops[0].sum += 3;
    round_of(target, T0 + 3 * MIN2, second, COUNT_OF(second), &rows);
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.rows[0].bytes, 110);
    assert_row(&rows.rows[0], T0 + 3 * MIN2, T0 + 2 * MIN2, T0 + MIN2, false, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_changes_no_row),
        cmocka_unit_test(a_list_is_remembered_for_the_targets_that_come_later),
        cmocka_unit_test(a_broken_state_is_refused_and_changes_nothing),
        cmocka_unit_test(a_forgotten_target_is_as_never_observed),
        cmocka_unit_test(a_state_of_version_1_is_read),
        cmocka_unit_test(the_columns_of_the_state_keep_their_places),
        cmocka_unit_test(folded_entries_make_one_total_that_is_their_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
