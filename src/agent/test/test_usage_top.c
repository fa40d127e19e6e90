/* SPDX-License-Identifier: Apache-2.0 */
/* test_usage_top - the largest users of each target, and the sum of the rest. */
#include "agent/totals/usage_top.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T_NS INT64_C(1669010520000000000)

static int add(struct usage_top *top, const char *target, enum lustre_owner_kind owner,
               uint32_t id, uint64_t inodes, uint64_t kbytes)
{
    const struct lustre_account a = { .target = span_of(target),
                                      .target_kind = strstr(target, "MDT") ? TARGET_MDT
                                                                           : TARGET_OST,
                                      .owner = owner,
                                      .id = id,
                                      .inodes = inodes,
                                      .kbytes = kbytes };
    return usage_top_add(top, &a);
}

static void emit(struct usage_top *top, struct strbuf *out)
{
    const struct metric_line line = { "lustre", "oss01", out, T_NS };
    strbuf_clear(out);
    usage_top_emit(top, &line);
    assert_int_equal(strbuf_error(out), 0);
}

/* "1001=4096 others=8192 " of the lines of one metric and target. */
static void listed(const struct strbuf *out, const char *metric, const char *target,
                   char ret[static 512])
{
    struct span rest = strbuf_span(out), line;
    ret[0] = '\0';
    while (rest.size > 0) {
        (void)span_cut(&rest, '\n', &line);
        char text[512];
        (void)snprintf(text, sizeof text, SPAN_FMT, SPAN_ARG(line));
        char *at = strstr(text, "stype-id=");
        if (strncmp(text, metric, strlen(metric)) != 0 || text[strlen(metric)] != ',' ||
            !strstr(text, target) || !at)
            continue;
        char *value = strstr(at, " value=");
        assert_non_null(value);
        *value = '\0';
        size_t size = strlen(ret);
        (void)snprintf(ret + size, 512 - size, "%s=%.0f ", at + strlen("stype-id="),
                       strtod(value + strlen(" value="), NULL));
    }
}

static void the_largest_stand_alone_and_the_rest_is_one(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct usage_top top = { .count_max = 3 };
    char text[512];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t id = i * 379 % 1000; /* each once, in no order */
        sum += id < 997 ? id : 0;
        assert_int_equal(add(&top, "s-OST0001", LUSTRE_OWNER_USER, id, 2, id), 0);
    }
    emit(&top, &out);
    listed(&out, "lustre_user_bytes", "s-OST0001", text);
    char wanted[128];
    (void)snprintf(wanted, sizeof wanted, "999=%d 998=%d 997=%d others=%" PRIu64 " ",
                   999 * 1024, 998 * 1024, 997 * 1024, sum * 1024);
    assert_string_equal(text, wanted);
    listed(&out, "lustre_user_inodes", "s-OST0001", text);
    assert_string_equal(text, "999=2 998=2 997=2 others=1994 ");
    assert_non_null(strstr(strbuf_text(&out),
                           "lustre_user_bytes,cluster=lustre,hostname=oss01,type=ost,"
                           "type-id=s-OST0001,stype=user,stype-id=999 value=1022976 "
                           "1669010520000000000\n"));
    usage_top_clear(&top);
}

static void targets_and_kinds_are_apart(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct usage_top top = { .count_max = 2 };
    char text[512];
    add(&top, "s-OST0001", LUSTRE_OWNER_USER, 1, 1, 10);
    add(&top, "s-OST0002", LUSTRE_OWNER_USER, 1, 1, 20);
    add(&top, "s-OST0001", LUSTRE_OWNER_GROUP, 1, 1, 30);
    add(&top, "s-OST0001", LUSTRE_OWNER_PROJECT, 7, 1, 40);
    add(&top, "s-OST0001", LUSTRE_OWNER_USER, 2, 1, 50);
    emit(&top, &out);
    listed(&out, "lustre_user_bytes", "s-OST0001", text);
    assert_string_equal(text, "2=51200 1=10240 "); /* all are listed: no others */
    listed(&out, "lustre_user_bytes", "s-OST0002", text);
    assert_string_equal(text, "1=20480 ");
    listed(&out, "lustre_group_bytes", "s-OST0001", text);
    assert_string_equal(text, "1=30720 ");
    listed(&out, "lustre_project_bytes", "s-OST0001", text);
    assert_string_equal(text, "7=40960 ");
    usage_top_clear(&top);
}

static void on_an_mdt_the_most_inodes_count(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct usage_top top = { .count_max = 1 };
    char text[512];
    add(&top, "s-MDT0000", LUSTRE_OWNER_USER, 1, 500, 1);
    add(&top, "s-MDT0000", LUSTRE_OWNER_USER, 2, 5, 100);
    emit(&top, &out);
    listed(&out, "lustre_user_inodes", "type=mdt", text);
    assert_string_equal(text, "1=500 others=5 ");
    usage_top_clear(&top);
}

static void what_was_cleared_is_gone(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct usage_top top = { .count_max = 2 };
    char text[512];
    add(&top, "s-OST0001", LUSTRE_OWNER_USER, 1, 1, 10);
    usage_top_clear(&top);
    emit(&top, &out);
    assert_int_equal(out.size, 0);
    add(&top, "s-OST0001", LUSTRE_OWNER_USER, 2, 1, 10);
    add(&top, "s-OST0001", LUSTRE_OWNER_USER, 3, 1, 10);
    add(&top, "s-OST0001", LUSTRE_OWNER_USER, 4, 1, 10);
    emit(&top, &out);
    listed(&out, "lustre_user_bytes", "s-OST0001", text);
    assert_string_equal(text,
                        "2=10240 3=10240 others=10240 "); /* of equals the first */
    usage_top_clear(&top);
}

static void sums_do_not_wrap_and_targets_are_bounded(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct usage_top top = { .count_max = 1 };
    char target[64], text[512];
    for (uint32_t id = 0; id < 3; id++)
        add(&top, "s-MDT0000", LUSTRE_OWNER_USER, id, UINT64_MAX, 1);
    emit(&top, &out);
    listed(&out, "lustre_user_inodes", "MDT", text);
    assert_string_equal(text, "0=18446744073709551616 others=18446744073709551616 ");
    usage_top_clear(&top);
    int rc = 0;
    for (unsigned i = 0; rc == 0; i++) {
        (void)snprintf(target, sizeof target, "s-OST%04x", i);
        rc = add(&top, target, LUSTRE_OWNER_USER, 1, 1, 1);
        assert_true(i <= USAGE_TARGETS_MAX * LUSTRE_OWNER_KIND_COUNT);
    }
    assert_int_equal(rc, -ENOSPC);
    usage_top_clear(&top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_stand_alone_and_the_rest_is_one),
        cmocka_unit_test(targets_and_kinds_are_apart),
        cmocka_unit_test(on_an_mdt_the_most_inodes_count),
        cmocka_unit_test(what_was_cleared_is_gone),
        cmocka_unit_test(sums_do_not_wrap_and_targets_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
