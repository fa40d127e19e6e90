/* SPDX-License-Identifier: Apache-2.0 */
/* test_budget - accounts of memory, and the limits of control groups. */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/system/budget.h"
#include "base/system/cgroup.h"
#include "base/test/testing.h"

#include <pthread.h>
#include <stdlib.h>

static void shares_add_up_to_the_whole_at_most(void **state)
{
    (void)state;
    struct budget budget = { .limit_bytes = 100 };
    struct err err = { 0 };
    assert_int_equal(budget_add(&budget, "requests", 60, &err), 0);
    assert_int_equal(budget_left(&budget), 40);
    assert_int_equal(budget_add(&budget, "store", 41, &err), -EINVAL);
    assert_non_null(strstr(err.text, "store wants 41"));
    assert_int_equal(budget_left(&budget), 40);
    assert_int_equal(budget_add(&budget, "store", 40, &err), 0);
    assert_int_equal(budget_left(&budget), 0);
    assert_null(budget_find(&budget, "none"));
    assert_int_equal(budget_find(&budget, "store")->limit_bytes, 40);
}

static void over_the_limit_nothing_is_taken(void **state)
{
    (void)state;
    struct budget_account account;
    budget_account_init(&account, "a", 10);
    struct budget_hold first = { .account = &account, .rank = BUDGET_PREFERRED };
    struct budget_hold second = { .account = &account, .rank = BUDGET_PREFERRED };
    assert_int_equal(budget_hold_set(&first, 6), 0);
    assert_int_equal(budget_hold_set(&second, 5), -EAGAIN);
    assert_int_equal(second.refused, -EAGAIN);
    assert_int_equal(budget_hold_add(&first, UINT64_MAX), -EMSGSIZE);
    assert_int_equal(first.bytes, 6);
    assert_int_equal(account.used_bytes, 6);
    assert_int_equal(budget_hold_set(&second, 4), 0);
    budget_hold_done(&first);
    budget_hold_done(&second);
    assert_int_equal(account.used_bytes, 0);
    assert_int_equal(account.peak_bytes, 10);
    assert_int_equal(account.refusal_count, 1);
    assert_int_equal(budget_hold_set(&first, 8), 0);
    assert_int_equal(budget_hold_add(&first, 3), -EAGAIN);
    assert_int_equal(first.bytes, 8);
    assert_int_equal(budget_hold_set(&first, 3), 0);
    assert_int_equal(account.used_bytes, 3);
    budget_hold_done(&first);
    budget_note(&account, 12);
    assert_int_equal(account.peak_bytes, 12);
    assert_int_equal(budget_hold_add(NULL, UINT64_MAX), 0);
    struct budget_hold unlimited = { 0 };
    assert_int_equal(budget_hold_set(&unlimited, UINT64_MAX), 0);
}

enum { KIB = 1024 };

/* An account of 1 MiB: a share is 256 KiB, large holds have 896 KiB, small 960 KiB. */
static void what_is_refused_has_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct {
            uint64_t owner;
            uint64_t kib;
            enum budget_rank rank;
            int want;
        } holds[12];
    } cases[] = {
        { "a sender has a quarter where half is taken, others go on",
          { { 1, 128, BUDGET_COMMON, 0 },
            { 1, 128, BUDGET_COMMON, 0 },
            { 1, 256, BUDGET_COMMON, 0 },
            { 1, 1, BUDGET_COMMON, -EDQUOT },
            { 2, 128, BUDGET_COMMON, 0 },
            { 2, 128, BUDGET_COMMON, 0 },
            { 2, 1, BUDGET_COMMON, -EDQUOT },
            { 3, 128, BUDGET_COMMON, 0 } } },
        { "a lone hold may be larger, but none beside it",
          { { 1, 800, BUDGET_COMMON, 0 },
            { 1, 1, BUDGET_COMMON, -EDQUOT },
            { 2, 90, BUDGET_COMMON, 0 } } },
        { "four senders together leave what is reserved for small ones",
          { { 1, 256, BUDGET_COMMON, 0 },
            { 2, 256, BUDGET_COMMON, 0 },
            { 3, 256, BUDGET_COMMON, 0 },
            { 4, 256, BUDGET_COMMON, -EAGAIN },
            { 4, 128, BUDGET_COMMON, 0 },
            { 5, 64, BUDGET_COMMON, 0 },
            { 6, 64, BUDGET_COMMON, -EAGAIN },
            { 7, 64, BUDGET_PREFERRED, 0 },
            { 7, 1, BUDGET_PREFERRED, -EAGAIN } } },
        { "who is preferred has no share",
          { { 1, 256, BUDGET_PREFERRED, 0 },
            { 1, 256, BUDGET_PREFERRED, 0 },
            { 1, 512, BUDGET_PREFERRED, 0 } } },
        { "what never fits is no matter of time",
          { { 1, 897, BUDGET_COMMON, -EMSGSIZE },
            { 2, 1025, BUDGET_PREFERRED, -EMSGSIZE },
            { 1, 896, BUDGET_COMMON, 0 } } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct budget_account account;
        struct budget_hold holds[12] = { 0 };
        budget_account_init(&account, "a", 1024 * KIB);
        for (size_t h = 0; h < 12 && cases[i].holds[h].kib; h++) {
            holds[h] = (struct budget_hold){ .account = &account,
                                             .owner = cases[i].holds[h].owner,
                                             .share_bytes = 256 * KIB,
                                             .rank = cases[i].holds[h].rank };
            int rc = budget_hold_set(&holds[h], cases[i].holds[h].kib * KIB);
            if (rc != cases[i].holds[h].want)
                fail_msg("%s: hold %zu: got %d", cases[i].name, h, rc);
        }
        for (size_t h = 0; h < 12; h++)
            budget_hold_done(&holds[h]);
        if (account.used_bytes != 0)
            fail_msg("%s: not all was given back", cases[i].name);
        for (size_t o = 0; o < BUDGET_OWNER_SETS; o++)
            assert_null(account.owners[o]);
    }
}

static void what_a_hold_has_of_its_kind_does_not_make_it_large(void **state)
{
    (void)state;
    struct budget_account account;
    budget_account_init(&account, "a", 1024 * KIB);
    struct budget_hold full = { .account = &account, .owner = 1 };
    struct budget_hold other = { .account = &account, .owner = 2 };
    assert_int_equal(budget_hold_set(&full, 850 * KIB), 0);
    assert_int_equal(budget_hold_set(&other, 100 * KIB), -EAGAIN);
    other.fixed_bytes = 77 * KIB;
    assert_int_equal(budget_hold_set(&other, 100 * KIB), 0);
    assert_int_equal(budget_hold_add(&other, 42 * KIB), -EAGAIN);
    budget_hold_done(&full);
    budget_hold_done(&other);
}

/* An account of 1 MiB: its owner has another hold of 500 KiB, a share is 256 KiB. */
static void a_response_that_has_begun_goes_on_beyond_the_share(void **state)
{
    (void)state;
    struct budget_account account;
    budget_account_init(&account, "a", 1024 * KIB);
    struct budget_hold first = { .account = &account,
                                 .owner = 1,
                                 .share_bytes = 256 * KIB };
    struct budget_hold second = first;
    assert_int_equal(budget_hold_set(&first, 500 * KIB), 0);
    assert_int_equal(budget_hold_set(&second, 10 * KIB), 0);
    assert_int_equal(budget_hold_set(&second, 100 * KIB), -EDQUOT);
    second.is_begun = true;
    assert_int_equal(budget_hold_set(&second, 268 * KIB), 0);
    assert_int_equal(budget_hold_set(&second, 269 * KIB), -EDQUOT);
    budget_hold_done(&first);
    assert_int_equal(budget_hold_set(&second, 800 * KIB), 0);
    budget_hold_done(&second);
}

static void what_can_be_done_without_leaves_half(void **state)
{
    (void)state;
    static const struct {
        uint64_t limit_kib, owned_kib, others_kib;
        enum budget_rank rank;
        int want;
    } cases[] = {
        { 1024, 0, 0, BUDGET_COMMON, 0 },
        { 1024, 28, 0, BUDGET_COMMON, 0 },
        { 1024, 29, 0, BUDGET_COMMON, -EAGAIN }, /* half a share is 128 KiB */
        { 1024, 29, 0, BUDGET_PREFERRED, 0 },
        { 1024, 0, 412, BUDGET_COMMON, 0 },
        { 1024, 0, 413, BUDGET_COMMON, -EAGAIN },
        { 1024, 0, 413, BUDGET_PREFERRED, -EAGAIN },
        { 199, 0, 0, BUDGET_COMMON, -EAGAIN },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct budget_account account;
        budget_account_init(&account, "a", cases[i].limit_kib * KIB);
        struct budget_hold owned = { .account = &account,
                                     .owner = 1,
                                     .share_bytes = 256 * KIB };
        struct budget_hold others = { .account = &account, .owner = 2 };
        struct budget_hold hold = owned;
        hold.rank = cases[i].rank;
        assert_int_equal(budget_hold_set(&owned, cases[i].owned_kib * KIB), 0);
        assert_int_equal(budget_hold_set(&others, cases[i].others_kib * KIB), 0);
        int rc = budget_hold_add_optional(&hold, 100 * KIB);
        if (rc != cases[i].want || hold.bytes != (rc == 0 ? 100 * KIB : 0))
            fail_msg("case %zu: got %d", i, rc);
        assert_int_equal(account.refusal_count, 0);
        budget_hold_done(&owned);
        budget_hold_done(&others);
        budget_hold_done(&hold);
    }
}

static void a_hold_that_shrinks_makes_room_for_its_owner(void **state)
{
    (void)state;
    struct budget_account account;
    budget_account_init(&account, "a", 1024 * KIB);
    /* Two owners of one set. */
    struct budget_hold a = { .account = &account,
                             .owner = 1,
                             .share_bytes = 256 * KIB };
    struct budget_hold b = a, other = a;
    other.owner = 1 + BUDGET_OWNER_SETS;
    assert_int_equal(budget_hold_set(&a, 200 * KIB), 0);
    assert_int_equal(budget_hold_set(&other, 300 * KIB), 0);
    assert_int_equal(budget_hold_set(&b, 100 * KIB), -EDQUOT);
    assert_int_equal(account.share_refusal_count, 1);
    assert_int_equal(budget_hold_set(&a, 100 * KIB), 0);
    assert_int_equal(budget_hold_set(&b, 100 * KIB), 0);
    budget_hold_done(&a);
    budget_hold_done(&other);
    assert_int_equal(budget_hold_set(&b, 200 * KIB), 0);
    budget_hold_done(&b);
    assert_int_equal(account.used_bytes, 0);
}

enum { ROUNDS = 20000 };

static void *take_and_give(void *arg)
{
    struct budget_account *account = arg;
    struct budget_hold hold = { .account = account, .rank = BUDGET_PREFERRED };
    size_t over = 0;
    for (int i = 0; i < ROUNDS; i++) {
        hold.owner = (uint64_t)i % 3;
        if (budget_hold_set(&hold, 3) < 0)
            continue;
        over += account->used_bytes > account->limit_bytes;
        budget_hold_done(&hold);
    }
    return over ? account : NULL;
}

static void threads_never_pass_the_limit_together(void **state)
{
    (void)state;
    struct budget_account account;
    budget_account_init(&account, "a", 7);
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &account), 0);
    for (size_t i = 0; i < 4; i++) {
        void *over;
        assert_int_equal(pthread_join(threads[i], &over), 0);
        assert_null(over);
    }
    assert_int_equal(account.used_bytes, 0);
    assert_true(account.peak_bytes <= 6);
}

/* ---- control groups ---- */

struct tree_file {
    const char *path, *text;
};

static void put_file(const char *root, const struct tree_file *file)
{
    char path[300];
    struct err err = { 0 };
    (void)snprintf(path, sizeof path, "%s/%s", root, file->path);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_equal(file_make_dirs(path, 0700, &err), 0);
    *slash = '/';
    if (file_replace(path, file->text, strlen(file->text), 0600, &err) < 0)
        fail_msg("%s", err.text);
}

static void the_least_limit_of_all_groups_above_holds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct tree_file files[5];
        uint64_t want;
        const char *where;
    } cases[] = {
        { "nothing to be read", { { 0 } }, CGROUP_UNLIMITED, "" },
        { "version 2, its own",
          { { "proc/self/cgroup", "0::/system.slice/barod.service\n" },
            { "sys/fs/cgroup/system.slice/barod.service/memory.max", "4294967296\n" },
            { "sys/fs/cgroup/system.slice/memory.max", "max\n" } },
          UINT64_C(4294967296),
          "/system.slice/barod.service/memory.max" },
        { "version 2, one above is less",
          { { "proc/self/cgroup", "0::/a/b\n" },
            { "sys/fs/cgroup/a/b/memory.max", "5000\n" },
            { "sys/fs/cgroup/a/memory.max", "4000\n" } },
          4000,
          "/a/memory.max" },
        { "version 2, no limit",
          { { "proc/self/cgroup", "0::/a\n" },
            { "sys/fs/cgroup/a/memory.max", "max\n" } },
          CGROUP_UNLIMITED,
          "" },
        { "a container that sees its own group as the root",
          { { "proc/self/cgroup", "0::/\n" }, { "sys/fs/cgroup/memory.max", "777\n" } },
          777,
          "cgroup/memory.max" },
        { "version 1 among others",
          { { "proc/self/cgroup", "9:name=systemd:/x\n4:cpu,memory:/a/b\n0::/\n" },
            { "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
              "9223372036854771712\n" },
            { "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "123456\n" } },
          123456,
          "/memory/a/memory.limit_in_bytes" },
        { "version 1, a path that the container does not show",
          { { "proc/self/cgroup", "4:memory:/docker/0123\n" },
            { "sys/fs/cgroup/memory/memory.limit_in_bytes", "88\n" } },
          88,
          "/memory/memory.limit_in_bytes" },
        { "both: version 2 beside",
          { { "proc/self/cgroup", "4:memory:/a\n0::/b\n" },
            { "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "200\n" },
            { "sys/fs/cgroup/unified/b/memory.max", "100\n" } },
          100,
          "/unified/b/memory.max" },
        { "lines that are none",
          { { "proc/self/cgroup", "\n:\nmemory\n4:memory\n" } },
          CGROUP_UNLIMITED,
          "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(strbuf_done) struct strbuf where = STRBUF_INIT;
        char root[] = "/tmp/baro-test-cgroup.XXXXXX", command[64];
        assert_non_null(mkdtemp(root));
        for (size_t f = 0; f < 5 && cases[i].files[f].path; f++)
            put_file(root, &cases[i].files[f]);
        uint64_t got = cgroup_memory_limit(root, &where);
        (void)snprintf(command, sizeof command, "rm -rf %s", root);
        assert_int_equal(system(command), 0);
        if (got != cases[i].want || !strstr(strbuf_text(&where), cases[i].where))
            fail_msg("%s: got %llu at '%s'", cases[i].name, (unsigned long long)got,
                     strbuf_text(&where));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_add_up_to_the_whole_at_most),
        cmocka_unit_test(over_the_limit_nothing_is_taken),
        cmocka_unit_test(what_is_refused_has_a_reason),
        cmocka_unit_test(what_a_hold_has_of_its_kind_does_not_make_it_large),
        cmocka_unit_test(a_response_that_has_begun_goes_on_beyond_the_share),
        cmocka_unit_test(what_can_be_done_without_leaves_half),
        cmocka_unit_test(a_hold_that_shrinks_makes_room_for_its_owner),
        cmocka_unit_test(threads_never_pass_the_limit_together),
        cmocka_unit_test(the_least_limit_of_all_groups_above_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
