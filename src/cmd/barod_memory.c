/* SPDX-License-Identifier: Apache-2.0 */
/* barod_memory - [barod] memory_max divided among all that takes memory. */
#include "cmd/barod_memory.h"

#include "base/cgroup.h"
#include "base/cleanup.h"
#include "base/number.h"

#include <stdio.h>

#define MIB (UINT64_C(1) << 20)
#define TOTAL_DEFAULT (UINT64_C(4) << 30)
#define PROCESS_BYTES (128 * MIB)
#define STORE_LEAST_BYTES (64 * MIB)
#define CACHED_SERIES_BYTES 400

struct share {
    const char *name, *key; /* key: what an administrator may lower */
    uint64_t bytes;
};

enum { SHARES = 7 };

static void get_shares(const struct barod_opts *opts, struct share *ret)
{
    const struct net_opts *net = &opts->net;
    const struct share shares[SHARES] = {
        { "process", NULL, PROCESS_BYTES },
        { "connections", "[net] connections_max",
          (net->connections_max + net->socket_connections_max) * NET_CONNECTION_BYTES },
        { "requests", "[net] body_budget", net->body_budget_bytes },
        { "responses", "[net] response_budget", net->response_budget_bytes },
        { "questions", "[barod] question_budget", opts->barod.question_budget_bytes },
        { "queue", "[barod] queue_bytes_max", opts->barod.queue_bytes_max },
        { "caches", "[barod] live_bytes_max and [records] series_cache",
          opts->barod.live_bytes_max +
              opts->records.series_cache_max * CACHED_SERIES_BYTES },
    };
    memcpy(ret, shares, sizeof shares);
}

static void add_bytes(struct strbuf *out, const char *text, uint64_t bytes)
{
    char number[32];
    number_print_bytes(number, sizeof number, (double)bytes);
    strbuf_adds(out, text);
    strbuf_adds(out, number);
}

/* Every part with its key, so that it is seen which one to lower. */
static int tell_parts(const struct share *shares, uint64_t store, uint64_t total,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    add_bytes(&text, "memory_max: ", total);
    strbuf_adds(&text, " is less than its parts:");
    for (size_t i = 0; i < SHARES; i++) {
        add_bytes(&text, i ? ", " : " ", shares[i].bytes);
        strbuf_addf(&text, " %s", shares[i].key ? shares[i].key : "barod itself");
    }
    if (store)
        add_bytes(&text, ", [store] memory_max ", store);
    return err_set(err, EINVAL, "%s: lower these, or raise [barod] memory_max",
                   strbuf_text(&text));
}

static int tell_cgroup(uint64_t total, uint64_t limit, const char *path,
                       struct err *err)
{
    char wanted[32], allowed[32];
    number_print_bytes(wanted, sizeof wanted, (double)total);
    number_print_bytes(allowed, sizeof allowed, (double)limit);
    return err_set(err, EINVAL,
                   "memory_max: barod may take %s, but its control group allows %s "
                   "(%s): lower [barod] memory_max and [store] memory_max, or raise "
                   "MemoryMax= of the unit",
                   wanted, allowed, path);
}

/* As configured; else as much as the store asks for; else the default, in a smaller
 * control group most of what it allows. */
static uint64_t find_total(const struct barod_opts *opts, enum barod_store_use use,
                           uint64_t parts, uint64_t cgroup_limit)
{
    uint64_t most = cgroup_limit - cgroup_limit / 8;
    if (opts->barod.memory_max_bytes)
        return opts->barod.memory_max_bytes;
    if (use == BAROD_WITHOUT_STORE)
        return parts;
    if (opts->store.memory_bytes_max)
        return parts + opts->store.memory_bytes_max;
    return most < TOTAL_DEFAULT ? most : TOTAL_DEFAULT;
}

int barod_memory_divide(struct barod_opts *opts, enum barod_store_use use,
                        uint64_t cgroup_limit, const char *cgroup_path,
                        struct budget *budget, struct err *err)
{
    struct share shares[SHARES];
    uint64_t parts = 0, store = 0;
    get_shares(opts, shares);
    for (size_t i = 0; i < SHARES; i++)
        parts += shares[i].bytes;
    uint64_t total = find_total(opts, use, parts, cgroup_limit);
    if (use == BAROD_WITH_STORE) {
        store = opts->store.memory_bytes_max;
        if (!store)
            store =
                total > parts + STORE_LEAST_BYTES ? total - parts : STORE_LEAST_BYTES;
    }
    if (parts + store > total)
        return tell_parts(shares, store, total, err);
    if (total > cgroup_limit)
        return tell_cgroup(total, cgroup_limit, cgroup_path, err);
    *budget = (struct budget){ .limit_bytes = total };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < SHARES; i++)
        rc = budget_add(budget, shares[i].name, shares[i].bytes, err);
    if (rc == 0 && store)
        rc = budget_add(budget, "store", store, err);
    if (rc < 0)
        return rc;
    opts->store.memory_bytes_max = store;
    opts->net.requests = budget_find(budget, "requests");
    opts->net.responses = budget_find(budget, "responses");
    return 0;
}
