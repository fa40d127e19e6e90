/* SPDX-License-Identifier: Apache-2.0 */
/* test_probe_record - a record as it is written, and texts that are none. */
#include "source/probe/probe.h"

#include "base/number.h"
#include "base/span.h"

#include "base/test/testing.h"

static const char recorded[] =
    "{\"format\":\"baro-abc 1\",\"id\":\"20261121T030000Z-4711-hacc\",\"ho"
    "st\":\"n1\",\"file_system\":\"scratch\",\"mount\":\"/scratch\",\"directo"
    "ry\":\"/scratch/me/baro-abc.x\",\"job\":\"17\",\"cluster\":\"alex\",\"no"
    "des\":\"n[1-2]\",\"probe\":\"hacc\",\"interface\":\"posix\",\"stripes\":n"
    "ull,\"processes\":2,\"items_per_process\":10,\"transfer_bytes\":41"
    "94304,\"core_hours\":0.001,\"failure\":null,\"phases\":[{\"name\":\"h"
    "acc_io_fpp_write\",\"start\":\"2026-11-21T03:00:00.500Z\",\"done\":"
    "true,\"bytes\":760,\"files\":2,\"opens\":2,\"transfers\":18,\"bad_tra"
    "nsfers\":0,\"wall_s\":1.5,\"slowest_s\":1.25,\"bytes_per_s_by_slow"
    "est\":608,\"processes\":[{\"bytes\":380,\"transfers\":9,\"open_s\":0."
    "25,\"transfer_s\":0.5,\"sync_s\":0.5,\"close_s\":0.125},{\"bytes\":3"
    "80,\"transfers\":9,\"open_s\":0.25,\"transfer_s\":0.25,\"sync_s\":0."
    "5,\"close_s\":0.125}]},{\"name\":\"hacc_io_fpp_read\",\"start\":\"202"
    "6-11-21T03:00:02Z\",\"done\":false,\"bytes\":380,\"files\":2,\"opens"
    "\":2,\"transfers\":9,\"bad_transfers\":1,\"wall_s\":1,\"slowest_s\":1"
    ",\"bytes_per_s_by_slowest\":380,\"processes\":[]}]}";

static int parse(struct span text, struct arena *arena, struct probe_record *ret,
                 struct err *err)
{
    arena_init(arena, 1 << 20);
    return probe_record_parse(text, arena, ret, err);
}

static void a_record_is_read(void **state)
{
    AUTO(arena_done) struct arena arena;
    struct probe_record r = { 0 };
    struct err err = { 0 };
    (void)state;
    if (parse(span_of(recorded), &arena, &r, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(r.id, "20261121T030000Z-4711-hacc");
    assert_string_equal(r.mount, "/scratch");
    assert_string_equal(r.job, "17");
    assert_string_equal(r.cluster, "alex");
    assert_string_equal(r.nodes, "n[1-2]");
    assert_string_equal(r.interface, "posix");
    assert_int_equal(r.processes, 2);
    const struct probe_phase *w = &r.phases[PROBE_WRITE];
    assert_string_equal(w->name, "hacc_io_fpp_write");
    assert_true(w->is_done);
    assert_int_equal(w->start_ns, INT64_C(1795230000500000000));
    assert_int_equal(w->wall_ns, 1500 * NS_PER_MS);
    assert_int_equal(w->slowest_ns, 1250 * NS_PER_MS);
    assert_int_equal(w->bytes, 760);
    assert_int_equal(w->files, 2);
    assert_int_equal(w->opens, 2);
    assert_int_equal(w->transfers, 18);
    assert_int_equal(w->transfer_ns, 750 * NS_PER_MS);
    assert_int_equal(w->metadata_ns, 750 * NS_PER_MS);
    assert_false(r.phases[PROBE_READ].is_done);
    assert_int_equal(r.phases[PROBE_READ].transfer_ns, 0);
}

static void what_is_cut_is_refused_at_every_byte(void **state)
{
    (void)state;
    for (size_t size = 0; size + 1 < sizeof recorded - 1; size++) {
        AUTO(arena_done) struct arena arena;
        struct probe_record r = { 0 };
        int rc = parse((struct span){ recorded, size }, &arena, &r, NULL);
        if (rc != -EBADMSG || r.id)
            fail_msg("%zu bytes: %d", size, rc);
    }
}

static void what_is_no_record_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"format\":\"baro-abc 2\",\"id\":\"x\"}",
        "{\"format\":\"baro-abc 1\"}",
        "{\"format\":\"baro-abc 1\",\"id\":7}",
        "{\"format\":\"baro-abc 1\",\"id\":\"x\\u0000y\"}",
        "{\"format\":\"baro-abc 1\",\"id\":\"x\",\"processes\":-1}",
        "{\"format\":\"baro-abc 1\",\"id\":\"x\",\"phases\":[{\"wall_s\":1e300}]}",
        "{\"format\":\"baro-abc 1\",\"id\":\"x\",\"phases\":[{\"start\":\"soon\"}]}",
        "{\"format\":\"baro-abc 1\",\"id\":\"x\",\"phases\":[{},{},{}]}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(arena_done) struct arena arena;
        struct probe_record r = { 0 };
        struct err err = { 0 };
        int rc = parse(span_of(texts[i]), &arena, &r, &err);
        if (rc != -EBADMSG || r.id || !err.text[0])
            fail_msg("%s: %d", texts[i], rc);
    }
}

static void what_is_not_known_is_passed_over(void **state)
{
    AUTO(arena_done) struct arena arena;
    struct probe_record r = { 0 };
    (void)state;
    assert_int_equal(
        parse(
            SPAN(
                "{\"format\":\"baro-abc 1\",\"id\":\"x\",\"job\":null,\"new\":{\"a\":"
                "[{\"open_s\":[1]}]},\"phases\":[{\"name\":\"w\",\"more\":[{\"open_s\":"
                "1}]}]}"),
            &arena, &r, NULL),
        0);
    assert_null(r.job);
    assert_null(r.mount);
    assert_string_equal(r.phases[PROBE_WRITE].name, "w");
    assert_int_equal(r.phases[PROBE_WRITE].metadata_ns, 0);
    assert_null(r.phases[PROBE_READ].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_read),
        cmocka_unit_test(what_is_cut_is_refused_at_every_byte),
        cmocka_unit_test(what_is_no_record_is_refused),
        cmocka_unit_test(what_is_not_known_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
