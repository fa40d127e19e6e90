/* SPDX-License-Identifier: Apache-2.0 */
/* test_budget - accounts of memory, and the limits of control groups. */
#include "base/budget.h"
#include "base/cgroup.h"
#include "base/cleanup.h"
#include "base/file.h"
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
    struct budget_account account = { .limit_bytes = 10 };
    uint64_t held = 0;
    assert_int_equal(budget_take(&account, 6), 0);
    assert_int_equal(budget_take(&account, 5), -EAGAIN);
    assert_int_equal(budget_take(&account, UINT64_MAX), -EAGAIN);
    assert_int_equal(account.used_bytes, 6);
    assert_int_equal(budget_take(&account, 4), 0);
    budget_give(&account, 10);
    assert_int_equal(account.used_bytes, 0);
    assert_int_equal(account.peak_bytes, 10);
    assert_int_equal(account.refusal_count, 2);
    assert_int_equal(budget_adjust(&account, &held, 8), 0);
    assert_int_equal(budget_adjust(&account, &held, 11), -EAGAIN);
    assert_int_equal(held, 8);
    assert_int_equal(budget_adjust(&account, &held, 3), 0);
    assert_int_equal(account.used_bytes, 3);
    budget_note(&account, 12);
    assert_int_equal(account.peak_bytes, 12);
    assert_int_equal(budget_take(NULL, UINT64_MAX), 0);
    budget_give(NULL, UINT64_MAX);
}

enum { ROUNDS = 20000 };

static void *take_and_give(void *arg)
{
    struct budget_account *account = arg;
    size_t over = 0;
    for (int i = 0; i < ROUNDS; i++) {
        if (budget_take(account, 3) < 0)
            continue;
        over += account->used_bytes > account->limit_bytes;
        budget_give(account, 3);
    }
    return over ? account : NULL;
}

static void threads_never_pass_the_limit_together(void **state)
{
    (void)state;
    struct budget_account account = { .limit_bytes = 7 };
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
        cmocka_unit_test(threads_never_pass_the_limit_together),
        cmocka_unit_test(the_least_limit_of_all_groups_above_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
