/* SPDX-License-Identifier: Apache-2.0 */
/* test_accounts - what each user, group and project holds on targets. */
#include "base/span.h"
#include "base/test/testing.h"
#include "source/lustre/lustre.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEAD "osd-ldiskfs.s-OST0001.quota_slave.acct_user=\nusr_accounting:\n"
#define ENTRY(id, inodes, kbytes)                                                     \
    "- id:      " id "\n  usage:   { inodes:     " inodes ", kbytes:    " kbytes " }" \
    "\n"

struct heard {
    char text[1024];
    size_t count, faults;
    int rc;
};

static int on_account(void *arg, const struct lustre_account *a)
{
    struct heard *h = arg;
    size_t size = strlen(h->text);
    (void)snprintf(h->text + size, sizeof h->text - size,
                   SPAN_FMT "/%s %s:%" PRIu32 " %" PRIu64 " %" PRIu64 "\n",
                   SPAN_ARG(a->target), target_kind_name(a->target_kind),
                   lustre_owner_kind_name(a->owner), a->id, a->inodes, a->kbytes);
    h->count++;
    return h->rc;
}

static void on_fault(void *arg, uint64_t line, struct span text)
{
    struct heard *h = arg;
    (void)text;
    assert_true(line > 0);
    h->faults++;
}

/* In pieces of that size. */
static struct heard read_pieces(const char *text, size_t piece)
{
    struct heard h = { .count = 0 };
    struct lustre_accounts a = { .account = on_account, .fault = on_fault, .arg = &h };
    struct span rest = span_of(text);
    while (rest.size > 0) {
        size_t size = rest.size < piece ? rest.size : piece;
        assert_int_equal(lustre_accounts_add(&a, (struct span){ rest.data, size }), 0);
        rest = span_skip(rest, size);
    }
    assert_int_equal(lustre_accounts_end(&a), 0);
    return h;
}

static void texts_are_read_whatever_the_pieces(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *wanted;
        size_t faults;
    } cases[] = {
        { "users", HEAD ENTRY("0", "251", "138926301") ENTRY("1001", "3", "8"),
          "s-OST0001/ost user:0 251 138926301\ns-OST0001/ost user:1001 3 8\n", 0 },
        { "groups and projects of an MDT",
          "osd-zfs.s-MDT0000.quota_slave.acct_group=\ngrp_accounting:\n" ENTRY(
              "7", "1", "2") "osd-zfs.s-MDT0000.quota_slave.acct_project=\n"
                             "prj_accounting:\n" ENTRY("4294967295", "5", "6"),
          "s-MDT0000/mdt group:7 1 2\ns-MDT0000/mdt project:4294967295 5 6\n", 0 },
        { "as the small reader names them",
          "osd.s-OST0001.quota_slave.acct_user=\n" ENTRY("1", "2", "3"),
          "s-OST0001/ost user:1 2 3\n", 0 },
        { "not supported",
          "osd-zfs.s-OST0000.quota_slave.acct_project=\n"
          "not supported\n" HEAD ENTRY("1", "2", "3"),
          "s-OST0001/ost user:1 2 3\n", 0 },
        { "limits are no accounts",
          "qmt.s-QMT0000.dt-0x0.glb-usr=\nglobal_pool0_dt_usr\n- id:      0\n"
          "  limits:  { hard: 0, soft: 0, granted: 0, time: 604800 }\n" HEAD ENTRY(
              "1", "2", "3") "osd-ldiskfs.s-OST0001.kbytesfree=7\n" ENTRY("9", "9",
                                                                          "9"),
          "s-OST0001/ost user:1 2 3\n", 0 },
        { "a last line without its end",
          HEAD "- id: 5\n usage: { inodes: 1, kbytes: 2 }",
          "s-OST0001/ost user:5 1 2\n", 0 },
        { "more fields, another order",
          HEAD "- id: 5\n usage: { kbytes: 2, files: 8, inodes: 1 }\n",
          "s-OST0001/ost user:5 1 2\n", 0 },
        { "damaged lines cost themselves",
          HEAD "- id: x\n  usage: { inodes: 1, kbytes: 1 }\n- id: 4294967296\n"
               "- id: 6\n  usage: { inodes: 1 }\n  usage: { inodes: 1, kbytes: 1 }\n"
               "what is this\n" ENTRY("1", "2", "3"),
          "s-OST0001/ost user:1 2 3\n", 6 },
        { "a name that is no target",
          "osd-ldiskfs.s.quota_slave.acct_user=\n" ENTRY("1", "2", "3"), "", 0 },
        { "numbers over 64 bits", HEAD ENTRY("1", "99999999999999999999", "3"), "", 1 },
    };
    static const size_t pieces[] = { 1, 2, 7, 64, 100000 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
            struct heard h = read_pieces(cases[i].text, pieces[k]);
            if (strcmp(h.text, cases[i].wanted) != 0 || h.faults != cases[i].faults)
                fail_msg("%s, pieces of %zu: %zu faults, '%s'", cases[i].name,
                         pieces[k], h.faults, h.text);
        }
}

static void a_line_that_is_too_long_costs_itself(void **state)
{
    (void)state;
    char text[LUSTRE_ACCOUNT_LINE_MAX + 400];
    (void)snprintf(text, sizeof text, HEAD "- id: 1\n%0*d\n" ENTRY("2", "3", "4"),
                   LUSTRE_ACCOUNT_LINE_MAX + 1, 7);
    struct heard h = read_pieces(text, 5);
    assert_string_equal(h.text, "s-OST0001/ost user:2 3 4\n");
    assert_int_equal(h.faults, 1);
}

static void what_the_callback_returns_ends_the_reading(void **state)
{
    (void)state;
    struct heard h = { .rc = -ECANCELED };
    struct lustre_accounts a = { .account = on_account, .arg = &h };
    const char *text = HEAD ENTRY("1", "2", "3") ENTRY("2", "3", "4");
    assert_int_equal(lustre_accounts_add(&a, span_of(text)), -ECANCELED);
    assert_int_equal(h.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_read_whatever_the_pieces),
        cmocka_unit_test(a_line_that_is_too_long_costs_itself),
        cmocka_unit_test(what_the_callback_returns_ends_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
