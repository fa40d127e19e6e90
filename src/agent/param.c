/* SPDX-License-Identifier: Apache-2.0 */
/* param - how Lustre's parameters are requested, and when. */
#include "agent/param.h"

#include "base/number.h"
#include "base/span.h"

#include <xxhash.h>

/* Reads of one round are spread over this part of the interval. */
#define SPREAD 20

int64_t agent_round_at(int64_t now_ns, int64_t interval_ns)
{
    int64_t past = now_ns % interval_ns;
    return past ? now_ns - past + interval_ns : now_ns;
}

int64_t agent_round_offset(struct span target, int64_t interval_ns)
{
    int64_t spread_ms = interval_ns / SPREAD / NS_PER_MS;
    if (spread_ms <= 0)
        return 0;
    uint64_t hash = XXH3_64bits(target.data, target.size);
    return (int64_t)(hash % (uint64_t)spread_ms) * NS_PER_MS;
}

void agent_get_param(const struct agent_opts *opts, const char *flag, const char *one,
                     const char *two, char *argv[static AGENT_ARGV_MAX])
{
    bool is_files = strcmp(opts->source, "files") == 0;
    const char *words[AGENT_ARGV_MAX] = { 0 };
    size_t n = 0;
    words[n++] = is_files ? opts->reader : opts->lctl;
    if (is_files) {
        words[n++] = "--root";
        words[n++] = opts->root;
    }
    words[n++] = "get_param";
    if (flag)
        words[n++] = flag;
    words[n++] = one;
    if (two)
        words[n++] = two;
    for (size_t i = 0; i < AGENT_ARGV_MAX; i++)
        argv[i] = (char *)(uintptr_t)words[i];
}

int agent_parse_param(struct span param, const char *last, struct span *ret_name,
                      enum target_kind *ret_kind)
{
    struct span rest = param, device;
    size_t last_size = strlen(last);
    if (!span_cut(&rest, '.', &device))
        return -EINVAL;
    if (!span_is(device, "obdfilter") && !span_is(device, "mdt"))
        return -EINVAL;
    if (!span_ends(rest, last) || rest.size < last_size + 2 ||
        rest.data[rest.size - last_size - 1] != '.')
        return -EINVAL;
    rest.size -= last_size + 1;
    if (rest.size > TARGET_BYTES_MAX || memchr(rest.data, '/', rest.size))
        return -EINVAL; /* it becomes the name of a file */
    *ret_name = rest;
    *ret_kind = span_is(device, "mdt") ? TARGET_MDT : TARGET_OST;
    return 0;
}
