/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory - arena, strbuf, span, hashmap: what holds the bytes. */
#include "base/arena.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"

static void an_arena_has_a_limit_and_gives_all_back(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 1000);
    char *a = arena_alloc(&arena, 500);
    assert_non_null(a);
    assert_int_equal(a[499], 0);
    assert_null(arena_alloc(&arena, 600));
    arena_reset(&arena);
    assert_non_null(arena_alloc(&arena, 900));
    arena_reset(&arena);
    arena.bytes_max = 0;
    assert_string_equal(arena_dup(&arena, SPAN("text")), "text");
    char *big = arena_alloc(&arena, 200000);
    assert_non_null(big);
    big[199999] = 1;
    assert_null(arena_alloc(&arena, SIZE_MAX));
}

static void a_strbuf_grows_and_stays_terminated(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf buf = STRBUF_INIT;
    assert_string_equal(strbuf_text(&buf), "");
    for (int i = 0; i < 1000; i++)
        strbuf_addf(&buf, "%d,", i);
    assert_int_equal(buf.size, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(strlen(buf.data), buf.size);
    strbuf_clear(&buf);
    strbuf_add_i64(&buf, INT64_MIN);
    assert_string_equal(strbuf_text(&buf), "-9223372036854775808");
}

static void spans_are_cut_and_matched(void **state)
{
    (void)state;
    struct span rest = SPAN("a,b,,c"), head;
    assert_true(span_cut(&rest, ',', &head) && span_is(head, "a"));
    assert_true(span_cut(&rest, ',', &head) && span_is(head, "b"));
    assert_true(span_cut(&rest, ',', &head) && span_is(head, ""));
    assert_false(span_cut(&rest, ',', &head));
    assert_true(span_is(head, "c") && rest.size == 0);
    assert_true(span_is(span_trim(SPAN(" \t x \r\n")), "x"));
    assert_true(span_glob(SPAN("scratch-OST0001"), "scratch-OST*"));
    assert_false(span_glob(SPAN("scratch-MDT0001"), "scratch-OST*"));
    assert_true(span_glob_any(SPAN("scratch-OST0001"), "a-*,scratch-OST*,b"));
    assert_true(span_glob_any(SPAN("b"), "a,b"));
    assert_true(span_glob_any(SPAN("a3"), "a[1,3]"));
    assert_true(span_glob_any(SPAN("b"), "a[],],b"));
    assert_true(span_glob_any(SPAN("b"), "a[,b"));
    assert_true(span_glob_any(SPAN(""), ",b"));
    assert_false(span_glob_any(SPAN("a,b"), "a,b"));
    assert_false(span_glob_any(SPAN("a]3"), "a[1,3]"));
}

static void a_hashmap_keeps_what_is_put(void **state)
{
    (void)state;
    AUTO(hashmap_done) struct hashmap map = HASHMAP_INIT;
    char key[32];
    for (uintptr_t i = 0; i < 5000; i++) {
        bool is_new = false;
        int n = snprintf(key, sizeof key, "key%zu", (size_t)i);
        uintptr_t *value = hashmap_put(&map, (struct span){ key, (size_t)n }, &is_new);
        assert_non_null(value);
        assert_true(is_new);
        *value = i;
    }
    for (uintptr_t i = 0; i < 5000; i += 2) {
        int n = snprintf(key, sizeof key, "key%zu", (size_t)i);
        assert_true(hashmap_remove(&map, (struct span){ key, (size_t)n }));
    }
    assert_int_equal(map.count, 2500);
    for (uintptr_t i = 0; i < 5000; i++) {
        int n = snprintf(key, sizeof key, "key%zu", (size_t)i);
        uintptr_t *value = hashmap_get(&map, (struct span){ key, (size_t)n });
        if ((i % 2 == 0) != (value == NULL) || (value && *value != i))
            fail_msg("%s", key);
    }
    size_t cursor = 0, seen = 0;
    struct span k;
    uintptr_t *v;
    while (hashmap_next(&map, &cursor, &k, &v))
        seen++;
    assert_int_equal(seen, 2500);
}

static void putting_and_removing_for_ever_takes_no_more_room(void **state)
{
    (void)state;
    AUTO(hashmap_done) struct hashmap map = HASHMAP_INIT;
    char key[32];
    for (size_t i = 0; i < 100000; i++) {
        int n = snprintf(key, sizeof key, "%zu", i);
        assert_non_null(hashmap_put(&map, (struct span){ key, (size_t)n }, NULL));
        if (i >= 8) {
            n = snprintf(key, sizeof key, "%zu", i - 8);
            assert_true(hashmap_remove(&map, (struct span){ key, (size_t)n }));
        }
    }
    assert_true(map.capacity <= 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arena_has_a_limit_and_gives_all_back),
        cmocka_unit_test(a_strbuf_grows_and_stays_terminated),
        cmocka_unit_test(spans_are_cut_and_matched),
        cmocka_unit_test(a_hashmap_keeps_what_is_put),
        cmocka_unit_test(putting_and_removing_for_ever_takes_no_more_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
