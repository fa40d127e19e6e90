/* SPDX-License-Identifier: Apache-2.0 */
/* memory - [barod] memory_max divided among all that takes memory. */
#include "daemon/memory.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/system/cgroup.h"
#include "base/system/portion.h"

#define MIB (UINT64_C(1) << 20)
#define TOTAL_DEFAULT (UINT64_C(4) << 30)
#define PROCESS_BYTES (128 * MIB)
#define STORE_LEAST_BYTES (64 * MIB)
#define CACHED_SERIES_BYTES 400

enum part {
    PART_PROCESS,
    PART_CONNECTIONS,
    PART_REQUESTS,
    PART_RESPONSES,
    PART_QUESTIONS,
    PART_QUEUE,
    PART_LIVE,
    PART_SERIES,
    PART_STORE,
    PARTS,
};

/* comfortable, least: how far a part that is not configured may be lowered. */
static const struct part_text {
    const char *account;
    const char *kind, *key; /* NULL: nothing that could be lowered */
    uint64_t comfortable, least;
} texts[PARTS] = {
    [PART_PROCESS] = { "process", NULL, NULL, UINT64_MAX, UINT64_MAX },
    [PART_CONNECTIONS] = { "connections", "net", "connections_max", UINT64_MAX,
                           UINT64_MAX },
    [PART_REQUESTS] = { "requests", "net", "body_budget", 64 * MIB, 0 },
    [PART_RESPONSES] = { "responses", "net", "response_budget", 64 * MIB, 16 * MIB },
    [PART_QUESTIONS] = { "queries", "barod", "query_budget", 32 * MIB, 8 * MIB },
    [PART_QUEUE] = { "queue", "barod", "queue_bytes_max", 64 * MIB, 32 * MIB },
    [PART_LIVE] = { "caches", "barod", "live_bytes_max", 64 * MIB, 16 * MIB },
    [PART_SERIES] = { "caches", "records", "series_cache", 16 * MIB, 4 * MIB },
    [PART_STORE] = { "store", "store", "memory_max", UINT64_MAX, UINT64_MAX },
};

static void get_wanted(const struct daemon_opts *opts, enum daemon_store_use use,
                       uint64_t ret[PARTS])
{
    const struct net_opts *net = &opts->net;
    uint64_t store = opts->store.memory_bytes_max;
    const uint64_t wanted[PARTS] = {
        [PART_PROCESS] = PROCESS_BYTES,
        [PART_CONNECTIONS] =
            (net->connections_max + net->socket_connections_max) * NET_CONNECTION_BYTES,
        [PART_REQUESTS] = net->body_budget_bytes,
        [PART_RESPONSES] = net->response_budget_bytes,
        [PART_QUESTIONS] = opts->barod.query_budget_bytes,
        [PART_QUEUE] = opts->barod.queue_bytes_max,
        [PART_LIVE] = opts->barod.live_bytes_max,
        [PART_SERIES] = opts->records.series_cache_max * CACHED_SERIES_BYTES,
        [PART_STORE] = use == DAEMON_WITHOUT_STORE ? 0
                       : store                     ? store
                                                   : STORE_LEAST_BYTES,
    };
    memcpy(ret, wanted, sizeof wanted);
}

static void set_given(struct daemon_opts *opts, const struct portion parts[PARTS])
{
    opts->net.body_budget_bytes = parts[PART_REQUESTS].bytes;
    opts->net.response_budget_bytes = parts[PART_RESPONSES].bytes;
    opts->barod.query_budget_bytes = parts[PART_QUESTIONS].bytes;
    opts->barod.queue_bytes_max = parts[PART_QUEUE].bytes;
    opts->barod.live_bytes_max = parts[PART_LIVE].bytes;
    opts->records.series_cache_max = parts[PART_SERIES].bytes / CACHED_SERIES_BYTES;
    opts->store.memory_bytes_max = parts[PART_STORE].bytes;
}

static void make_parts(const struct daemon_opts *opts, const struct config *config,
                       const uint64_t wanted[PARTS], struct portion ret[PARTS])
{
    for (size_t i = 0; i < PARTS; i++) {
        const struct part_text *text = &texts[i];
        bool is_fixed = !text->key || config_has_key(config, text->kind, text->key);
        ret[i] = (struct portion){ wanted[i], text->comfortable, text->least };
        if (is_fixed)
            ret[i].comfortable_bytes = ret[i].least_bytes = wanted[i];
    }
    /* The largest body and its decoder must pass. */
    uint64_t body = opts->net.body_bytes_max + MIB;
    struct portion *requests = &ret[PART_REQUESTS];
    if (requests->comfortable_bytes < body)
        requests->comfortable_bytes = body;
    if (requests->least_bytes < body)
        requests->least_bytes = body;
}

/* ---- texts ---- */

static void add_bytes(struct strbuf *out, const char *text, uint64_t bytes)
{
    char number[32];
    figure_print_bytes(number, sizeof number, (double)bytes);
    strbuf_adds(out, text);
    strbuf_adds(out, number);
}

static void add_key(struct strbuf *out, size_t part)
{
    if (texts[part].key)
        strbuf_addf(out, " [%s] %s", texts[part].kind, texts[part].key);
    else
        strbuf_adds(out, " barod itself");
}

/* Every part with its key, so that it is seen which one to lower. */
static int tell_parts(const struct portion parts[PARTS], bool is_configured,
                      uint64_t total, const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (is_configured) {
        add_bytes(&text, "memory_max: ", total);
        strbuf_adds(&text, " is less than its parts, which need at least");
    } else {
        strbuf_addf(&text, "memory_max: %s allows ", path);
        add_bytes(&text, "", total);
        strbuf_adds(&text, ", and the parts of barod need at least");
    }
    const char *separator = " ";
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].bytes == 0)
            continue;
        add_bytes(&text, separator, parts[i].bytes);
        add_key(&text, i);
        separator = ", ";
    }
    return err_set(err, EINVAL, "%s: lower these, or raise %s", strbuf_text(&text),
                   is_configured ? "[barod] memory_max" : "MemoryMax= of the unit");
}

static int tell_cgroup(uint64_t total, const struct daemon_memory_limit *limit,
                       struct err *err)
{
    char wanted[32], allowed[32];
    figure_print_bytes(wanted, sizeof wanted, (double)total);
    figure_print_bytes(allowed, sizeof allowed, (double)limit->bytes);
    return err_set(err, EINVAL,
                   "memory_max: barod may use %s, but its control group allows %s "
                   "(%s): lower [barod] memory_max and [store] memory_max, or raise "
                   "MemoryMax= of the unit",
                   wanted, allowed, limit->path);
}

static void tell_lowered(const struct portion parts[PARTS],
                         const uint64_t wanted[PARTS], uint64_t total,
                         const struct daemon_memory_limit *limit, bool is_configured,
                         struct strbuf *out)
{
    const char *separator = ": lowered";
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].bytes >= wanted[i])
            continue;
        if (out->size == 0) {
            add_bytes(out, "memory: ", is_configured ? total : limit->bytes);
            strbuf_addf(out, " (%s) is not enough for all defaults",
                        is_configured ? "[barod] memory_max" : limit->path);
        }
        strbuf_adds(out, separator);
        add_key(out, i);
        add_bytes(out, " from ", wanted[i]);
        add_bytes(out, " to ", parts[i].bytes);
        separator = ",";
    }
    if (out->size)
        strbuf_addf(out, "; set these to be sure of them, or raise %s",
                    is_configured ? "memory_max" : "MemoryMax= of the unit");
}

/* ---- dividing ---- */

/* As configured; else what the parts need, with a store the default at least, as far as
 * the limit goes. */
static uint64_t find_total(const struct daemon_opts *opts, enum daemon_store_use use,
                           uint64_t sum, uint64_t comfortable)
{
    uint64_t total = comfortable < TOTAL_DEFAULT ? comfortable : TOTAL_DEFAULT;
    if (opts->barod.memory_max_bytes)
        return opts->barod.memory_max_bytes;
    if (use == DAEMON_WITHOUT_STORE || opts->store.memory_bytes_max || sum > total)
        return sum;
    return total;
}

static int make_accounts(struct budget *budget, const struct portion parts[PARTS],
                         uint64_t total, struct err *err)
{
    int rc = 0;
    *budget = (struct budget){ .limit_bytes = total };
    for (size_t i = 0; rc == 0 && i < PARTS; i++) {
        uint64_t bytes = parts[i].bytes;
        if (i == PART_SERIES || bytes == 0)
            continue;
        if (i == PART_LIVE)
            bytes += parts[PART_SERIES].bytes;
        rc = budget_add(budget, texts[i].account, bytes, err);
    }
    return rc;
}

int daemon_memory_divide(struct daemon_opts *opts, const struct config *config,
                         enum daemon_store_use use,
                         const struct daemon_memory_limit *limit, struct budget *budget,
                         struct strbuf *warning, struct err *err)
{
    struct portion parts[PARTS];
    uint64_t wanted[PARTS];
    uint64_t most = opts->barod.memory_max_bytes;
    bool is_configured = most > 0;
    if (most > limit->bytes)
        return tell_cgroup(most, limit, err);
    uint64_t comfortable = is_configured ? most : limit->bytes - limit->bytes / 8;
    if (!is_configured)
        most = limit->bytes;
    get_wanted(opts, use, wanted);
    make_parts(opts, config, wanted, parts);
    if (portion_fit(parts, PARTS, comfortable, most) < 0)
        return tell_parts(parts, is_configured, most, limit->path, err);
    tell_lowered(parts, wanted, most, limit, is_configured, warning);
    uint64_t sum = portion_sum(parts, PARTS);
    uint64_t total = find_total(opts, use, sum, comfortable);
    if (use == DAEMON_WITH_STORE && !opts->store.memory_bytes_max)
        parts[PART_STORE].bytes += total - sum;
    int rc = make_accounts(budget, parts, total, err);
    if (rc < 0)
        return rc;
    set_given(opts, parts);
    opts->net.requests = budget_find(budget, "requests");
    opts->net.responses = budget_find(budget, "responses");
    return 0;
}

void daemon_memory_print(const struct budget *budget,
                         const struct daemon_memory_limit *limit, struct strbuf *out)
{
    add_bytes(out, "memory: at most ", budget->limit_bytes);
    if (limit->bytes != CGROUP_UNLIMITED) {
        add_bytes(out, " of ", limit->bytes);
        strbuf_addf(out, " that %s allows", limit->path);
    } else if (limit->path[0]) {
        strbuf_addf(out, "; %s sets no limit", limit->path);
    } else {
        strbuf_adds(out, "; no control group limits this process, and no unit of "
                         "barod is installed here: a limit of the service's own is "
                         "not known (--unit)");
    }
    strbuf_addc(out, '\n');
}

void daemon_memory_warn_ram(uint64_t total_bytes, uint64_t ram_bytes)
{
    char total[32], ram[32];
    figure_print_bytes(total, sizeof total, (double)total_bytes);
    figure_print_bytes(ram, sizeof ram, (double)ram_bytes);
    log_warn("memory: barod may use %s, this machine has %s: set [barod] memory_max, "
             "or it may be killed when memory is out",
             total, ram);
}
