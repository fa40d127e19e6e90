/* SPDX-License-Identifier: Apache-2.0 */
/* checks - what the checks of one host state about it, as statements. */
#include "resource/checks.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/span.h"

#include <errno.h>

/* What a check stated last. */
struct check_state {
    enum resource_health health;
    uint64_t reason_hash;
    int64_t sent_ns;
};

struct resource_checks {
    char *cluster, *host;
    struct hashmap states; /* "SOURCE COMPONENT" -> its index + 1 */
    struct check_state items[CHECKS_MAX];
    size_t count;
    struct strbuf key, reason; /* of the statement that is made */
};

int resource_checks_new(const char *cluster, const char *host,
                        struct resource_checks **ret)
{
    if (!cluster || !*cluster || !host || !*host)
        return -EINVAL;
    AUTO(resource_checks_free)
    struct resource_checks *checks = calloc(1, sizeof *checks);
    if (!checks)
        return -ENOMEM;
    checks->cluster = strdup(cluster);
    checks->host = strdup(host);
    if (!checks->cluster || !checks->host)
        return -ENOMEM;
    *ret = TAKE(checks);
    return 0;
}

void resource_checks_free(struct resource_checks *checks)
{
    if (!checks)
        return;
    free(checks->cluster);
    free(checks->host);
    hashmap_done(&checks->states);
    strbuf_done(&checks->key);
    strbuf_done(&checks->reason);
    free(checks);
}

/* ---- the texts ---- */

/* "dimm:A1" as a level of a path: what stands in it is made a name. */
static void check_part_print(struct strbuf *out, struct span part)
{
    struct span type;
    strbuf_addc(out, '/');
    (void)span_cut(&part, ':', &type);
    if (part.size > 0)
        component_print_level(out, type, part);
    else
        component_print_name(out, type);
}

/* "SOURCE COMPONENT": both are one word.  Returns the size of the first. */
static size_t check_key_print(struct resource_checks *checks,
                              const struct resource_check *check)
{
    struct strbuf *out = &checks->key;
    strbuf_clear(out);
    strbuf_addf(out, "system:%s:", check->kind);
    component_print_name(out, check->name);
    strbuf_addc(out, '@');
    component_print_name(out, span_of(checks->host));
    size_t size = out->size;
    strbuf_addc(out, ' ');
    component_print_name(out, span_of(checks->cluster));
    strbuf_addc(out, '/');
    component_print_name(out, span_of(checks->host));
    if (!span_is(check->part, CHECK_OF_HOST))
        check_part_print(out, check->part);
    return size;
}

/* "fds: 9500 of 10000 file handles are open" */
static void check_reason_print(struct resource_checks *checks,
                               const struct resource_check *check)
{
    struct span value = span_trim(check->reason);
    strbuf_clear(&checks->reason);
    if (check->health == RESOURCE_UP)
        return;
    strbuf_add_span(&checks->reason, check->name);
    strbuf_adds(&checks->reason, ": ");
    if (value.size > 0)
        strbuf_add_span(&checks->reason, value);
    else
        strbuf_adds(&checks->reason, resource_health_name(check->health));
    if (checks->reason.size > RESOURCE_REASON_BYTES_MAX)
        checks->reason.size = RESOURCE_REASON_BYTES_MAX; /* its words are ASCII */
}

static uint64_t reason_hash(struct span text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(1099511628211);
    return hash;
}

/* ---- the statement ---- */

static bool is_news(const struct check_state *state, bool is_new,
                    const struct resource_check *check, uint64_t hash)
{
    int64_t age_ns = check->t_ns - state->sent_ns;
    if (is_new || state->health != check->health || age_ns < 0)
        return true;
    return age_ns >= (state->reason_hash != hash ? CHECK_REASON_NS : CHECK_AGAIN_NS);
}

static struct check_state *state_of(struct resource_checks *checks, bool *ret_is_new)
{
    struct span key = strbuf_span(&checks->key);
    const uintptr_t *known = hashmap_get(&checks->states, key);
    *ret_is_new = !known;
    if (known)
        return &checks->items[*known - 1];
    uintptr_t *index = hashmap_put(&checks->states, key, NULL);
    if (!index)
        return NULL;
    *index = ++checks->count;
    return &checks->items[checks->count - 1];
}

int resource_checks_state(struct resource_checks *checks,
                          const struct resource_check *check,
                          struct resource_statement *ret)
{
    size_t source_size = check_key_print(checks, check);
    check_reason_print(checks, check);
    if (strbuf_error(&checks->key) < 0 || strbuf_error(&checks->reason) < 0)
        return -ENOMEM;
    struct span key = strbuf_span(&checks->key), reason = strbuf_span(&checks->reason);
    const struct resource_statement made = {
        .component = span_skip(key, source_size + 1),
        .source = { key.data, source_size },
        .health = check->health,
        .reason = reason,
        .t_ns = check->t_ns,
    };
    if (resource_statement_check(&made))
        return -EINVAL;
    if (checks->count == CHECKS_MAX && !hashmap_get(&checks->states, key))
        return -ENOSPC;
    bool is_new;
    struct check_state *state = state_of(checks, &is_new);
    if (!state)
        return -ENOMEM;
    uint64_t hash = reason_hash(reason);
    if (!is_news(state, is_new, check, hash))
        return 0;
    *state = (struct check_state){ check->health, hash, check->t_ns };
    *ret = made;
    return 1;
}

void resource_checks_end(struct resource_checks *checks,
                         const struct resource_check *end, resource_checks_fn *fn,
                         void *arg)
{
    AUTO(strbuf_done) struct strbuf prefix = STRBUF_INIT;
    struct span key;
    uintptr_t *index;
    size_t source_size = check_key_print(checks, end);
    strbuf_add(&prefix, checks->key.data, source_size + 1);
    check_reason_print(checks, end);
    if (strbuf_error(&prefix) < 0 || strbuf_error(&checks->reason) < 0)
        return; /* what it stated stays */
    struct resource_statement made = {
        .source = { prefix.data, source_size },
        .health = end->health,
        .reason = strbuf_span(&checks->reason),
        .t_ns = end->t_ns,
    };
    for (size_t at = 0; hashmap_next(&checks->states, &at, &key, &index);) {
        struct check_state *state = &checks->items[*index - 1];
        if (key.size <= prefix.size ||
            memcmp(key.data, prefix.data, prefix.size) != 0 ||
            state->health == end->health)
            continue;
        *state =
            (struct check_state){ end->health, reason_hash(made.reason), end->t_ns };
        made.component = span_skip(key, prefix.size);
        fn(arg, &made);
    }
}
