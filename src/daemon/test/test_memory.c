/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory - what barod makes of configurations in control groups. */
#include "base/cleanup.h"
#include "base/system/cgroup.h"
#include "base/test/testing.h"
#include "daemon/memory.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define STORE "[store]\ndirectory = none\n"

/* Without limits: process 128, connections 96, requests, responses and
 * questions 256 each, queue 128, live 256, series 95: 1471 MiB. */
static const struct {
    const char *name, *config;
    uint64_t limit;
    int want;
    uint64_t total, requests, store; /* MiB, rounded down */
    const char *said;                /* in the warning, or in the error */
} cases[] = {
    { "the defaults", STORE, CGROUP_UNLIMITED, 0, 4096, 256, 2624, NULL },
    { "the defaults in the shipped unit", STORE, 5 * GIB, 0, 4096, 256, 2624, NULL },
    { "without a store", "", CGROUP_UNLIMITED, 0, 1471, 256, 0, NULL },
    { "a large body_budget", "[net]\nbody_budget = 4GiB\n" STORE, CGROUP_UNLIMITED, 0,
      5375, 4096, 64, NULL },
    { "a large body_budget in the shipped unit", "[net]\nbody_budget = 4GiB\n" STORE,
      5 * GIB, 0, 4624, 4096, 64, "lowered [net] response_budget from 256 MiB to 64" },
    { "many connections", "[net]\nconnections_max = 30000\n" STORE, CGROUP_UNLIMITED, 0,
      5221, 256, 64, NULL },
    { "many connections in the shipped unit", "[net]\nconnections_max = 30000\n" STORE,
      5 * GIB, 0, 4479, 105, 64, "lowered [net] body_budget" },
    { "the former default of the store in the shipped unit",
      STORE "memory_max = 4GiB\n", 5 * GIB, 0, 4624, 64, 4096,
      "MemoryMax= of the unit" },
    { "a store in a container of 2 GiB", STORE, 2 * GIB, 0, 1792, 256, 320, NULL },
    { "without a store in a container of 1 GiB", "", GIB, 0, 895, 138, 0,
      "is not enough for all defaults" },
    { "with one in a container of 512 MiB", STORE, 512 * MIB, 0, 511, 51, 64,
      "[records] series_cache" },
    { "what is configured is not lowered", "[barod]\nlive_bytes_max = 256MiB\n", GIB, 0,
      895, 108, 0, "lowered [net] body_budget" },
    { "a container that is too small", "", 256 * MIB, -EINVAL, 0, 0, 0,
      "/a/memory.max allows 256 MiB, and the parts of barod need "
      "at "
      "least 128 MiB barod itself, 96.0 MiB [net] connections_max, 33.0 MiB [net] "
      "body_budget" },
    { "a store that is larger than the unit", STORE "memory_max = 8GiB\n", 5 * GIB,
      -EINVAL, 0, 0, 0,
      "8.00 GiB [store] memory_max: lower these, or raise MemoryMax=" },
    { "memory_max over the limit", "[barod]\nmemory_max = 6GiB\n" STORE, 5 * GIB,
      -EINVAL, 0, 0, 0, "barod may use 6.00 GiB, but its control group allows 5.00" },
    { "memory_max as large as the store",
      "[barod]\nmemory_max = 4GiB\n" STORE "memory_max = 4GiB\n", CGROUP_UNLIMITED,
      -EINVAL, 0, 0, 0, "4.00 GiB is less than its parts" },
    { "memory_max that leaves the others little",
      "[barod]\nmemory_max = 3GiB\n" STORE "memory_max = 2GiB\n", CGROUP_UNLIMITED, 0,
      3072, 164, 2048, "3.00 GiB ([barod] memory_max) is not enough" },
    { "a small memory_max", "[barod]\nmemory_max = 600MiB\n", CGROUP_UNLIMITED, 0, 600,
      78, 0, "or raise memory_max" },
};

static void what_is_not_configured_makes_room(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(config_free) struct config *config = NULL;
        AUTO(strbuf_done) struct strbuf warning = STRBUF_INIT;
        struct daemon_opts opts;
        struct err err = { 0 };
        struct budget budget = { 0 };
        size_t count;
        const struct config_section *sections = daemon_config_sections(&count);
        if (config_parse("test",
                         (struct span){ cases[i].config, strlen(cases[i].config) },
                         sections, count, &config, &err) < 0 ||
            daemon_config_fill(config, &opts, &err) < 0)
            fail_msg("%s: %s", cases[i].name, err.text);
        const struct daemon_memory_limit limit = { cases[i].limit, "/a/memory.max" };
        enum daemon_store_use use =
            config_has(config, "store") ? DAEMON_WITH_STORE : DAEMON_WITHOUT_STORE;
        int rc =
            daemon_memory_divide(&opts, config, use, &limit, &budget, &warning, &err);
        const char *said = rc < 0 ? err.text : strbuf_text(&warning);
        if (rc != cases[i].want)
            fail_msg("%s: got %d: %s", cases[i].name, rc, said);
        bool is_said = cases[i].said ? strstr(said, cases[i].said) != NULL : !*said;
        if (!is_said)
            fail_msg("%s: says '%s'", cases[i].name, said);
        if (rc < 0)
            continue;
        uint64_t requests = budget_find(&budget, "requests")->limit_bytes;
        if (budget.limit_bytes / MIB != cases[i].total ||
            opts.store.memory_bytes_max / MIB != cases[i].store ||
            requests / MIB != cases[i].requests ||
            requests != opts.net.body_budget_bytes)
            fail_msg("%s: %llu, requests %llu, store %llu MiB", cases[i].name,
                     (unsigned long long)(budget.limit_bytes / MIB),
                     (unsigned long long)(requests / MIB),
                     (unsigned long long)(opts.store.memory_bytes_max / MIB));
        if (budget.limit_bytes > cases[i].limit)
            fail_msg("%s: over the limit", cases[i].name);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_configured_makes_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
