/* SPDX-License-Identifier: Apache-2.0 */
/* checks - what the checks of one host state about it, as statements. */
#include "resource/checks.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/span.h"

#include <errno.h>

#define FORGET_EVERY_NS (60 * NS_PER_S)

struct check_state {
    /* What was stated last. */
    enum resource_health health;
    uint64_t reason_hash;
    int64_t sent_ns;   /* as the clock was then; 0: what was stated was lost */
    int64_t stated_ns; /* the time of that statement, later than all before it */
    int64_t seen_ns;   /* when it was checked last */
    /* What the check found last, and since when. */
    enum resource_health found;
    int64_t found_ns;
    int64_t well_ns; /* when it was well again after it was bad; 0: never */
    unsigned relapses;
    bool is_unsteady;
    size_t next_free; /* of one that is forgotten: index + 1; 0: the last */
};

struct resource_checks {
    char *cluster, *host;
    struct hashmap states; /* "SOURCE COMPONENT" -> its index + 1 */
    struct check_state *items;
    size_t count, capacity;
    size_t first_free;         /* index + 1; 0: none */
    int64_t forgot_ns;         /* when there were as many as can be, last */
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
    free(checks->items);
    strbuf_done(&checks->key);
    strbuf_done(&checks->reason);
    free(checks);
}

/* ---- the texts ---- */

/* "dimm:A1" as a level of a path: what stands in it is made a name.  A level does not
 * end with a colon, and a name of a device may. */
static void check_part_print(struct strbuf *out, struct span part)
{
    struct span type;
    strbuf_addc(out, '/');
    (void)span_cut(&part, ':', &type);
    bool has_last_colon = part.size > 0 && part.data[part.size - 1] == ':';
    part.size -= has_last_colon;
    if (part.size > 0)
        component_print_level(out, type, part);
    else
        component_print_name(out, type);
    if (has_last_colon)
        strbuf_adds(out, part.size > 0 ? "\\x3A" : ":\\x3A");
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
                               const struct resource_check *check,
                               const struct check_state *state)
{
    struct span value = span_trim(check->reason);
    strbuf_clear(&checks->reason);
    if (check->health == RESOURCE_UP && !(state && state->is_unsteady))
        return;
    strbuf_add_span(&checks->reason, check->name);
    strbuf_adds(&checks->reason, ": ");
    if (state && state->is_unsteady) {
        strbuf_addf(&checks->reason, "unsteady, %u times bad again within the hour",
                    state->relapses);
        return;
    }
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

/* ---- what was found ---- */

static bool is_bad(enum resource_health health)
{
    return health >= RESOURCE_DEGRADED;
}

/* Unknown is neither bad nor well: a check that hangs does not make it unsteady. */
static void check_found(struct check_state *state, const struct resource_check *check)
{
    int64_t t_ns = check->t_ns;
    if (check->health != state->found) {
        bool was_well = state->well_ns > 0 && t_ns - state->well_ns < CHECK_UNSTEADY_NS;
        if (is_bad(state->found) && check->health == RESOURCE_UP)
            state->well_ns = t_ns;
        if (!is_bad(state->found) && is_bad(check->health) && was_well) {
            state->is_unsteady = true;
            state->relapses++;
        }
        state->found = check->health;
        state->found_ns = t_ns;
    }
    if (t_ns - state->found_ns >= CHECK_STEADY_NS) {
        state->is_unsteady = false;
        state->relapses = 0;
    }
}

static bool is_news(const struct check_state *state, bool is_new,
                    enum resource_health health, int64_t t_ns, uint64_t hash)
{
    int64_t age_ns = t_ns - state->sent_ns;
    if (is_new || state->health != health || age_ns < 0)
        return true;
    return age_ns >= (state->reason_hash != hash ? CHECK_REASON_NS : CHECK_AGAIN_NS);
}

/* barod stores nothing that is not later than what it has: after the clock was set back
 * a check that is well again would go on being bad there. */
static int64_t stated_time(struct check_state *state, int64_t t_ns)
{
    state->stated_ns = t_ns > state->stated_ns ? t_ns : state->stated_ns + 1;
    return state->stated_ns;
}

/* ---- one a check and component ---- */

static bool is_to_forget(const struct check_state *state, int64_t t_ns)
{
    return state->health == RESOURCE_UP && !state->is_unsteady &&
           t_ns - state->seen_ns >= CHECK_FORGET_NS;
}

static void state_forget(struct resource_checks *checks, size_t index)
{
    checks->items[index] = (struct check_state){ .next_free = checks->first_free };
    checks->first_free = index + 1;
}

/* Once a minute: those without a slot may be many. */
static void states_forget(struct resource_checks *checks, int64_t t_ns)
{
    struct span key;
    uintptr_t *index;
    int64_t age_ns = t_ns - checks->forgot_ns;
    if (checks->forgot_ns > 0 && age_ns >= 0 && age_ns < FORGET_EVERY_NS)
        return;
    checks->forgot_ns = t_ns;
    for (size_t at = 0; hashmap_next(&checks->states, &at, &key, &index);) {
        size_t item = *index - 1;
        if (!is_to_forget(&checks->items[item], t_ns))
            continue;
        state_forget(checks, item);
        (void)hashmap_remove(&checks->states, key);
    }
}

static int states_grow(struct resource_checks *checks)
{
    if (checks->first_free > 0 || checks->count < checks->capacity)
        return 0;
    size_t capacity = checks->capacity ? 2 * checks->capacity : 8;
    struct check_state *grown = reallocarray(checks->items, capacity, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    checks->items = grown;
    checks->capacity = capacity;
    return 0;
}

static struct check_state *state_of(struct resource_checks *checks, bool *ret_is_new)
{
    struct span key = strbuf_span(&checks->key);
    const uintptr_t *known = hashmap_get(&checks->states, key);
    *ret_is_new = !known;
    if (known)
        return &checks->items[*known - 1];
    uintptr_t *index =
        states_grow(checks) < 0 ? NULL : hashmap_put(&checks->states, key, NULL);
    if (!index)
        return NULL;
    if (checks->first_free > 0) {
        *index = checks->first_free;
        checks->first_free = checks->items[*index - 1].next_free;
    } else {
        *index = ++checks->count;
    }
    checks->items[*index - 1] = (struct check_state){ 0 };
    return &checks->items[*index - 1];
}

/* ---- the statement ---- */

static bool has_slot(struct resource_checks *checks, struct span key, int64_t t_ns)
{
    if (checks->states.count < CHECKS_MAX || hashmap_get(&checks->states, key))
        return true;
    states_forget(checks, t_ns);
    return checks->states.count < CHECKS_MAX;
}

int resource_checks_state(struct resource_checks *checks,
                          const struct resource_check *check,
                          struct resource_statement *ret)
{
    size_t source_size = check_key_print(checks, check);
    struct span key = strbuf_span(&checks->key);
    struct resource_statement made = {
        .component = span_skip(key, source_size + 1),
        .source = { key.data, source_size },
        .reason = SPAN("it is a name"),
        .t_ns = check->t_ns,
    };
    bool is_new;
    if (strbuf_error(&checks->key) < 0)
        return -ENOMEM;
    if (resource_statement_check(&made))
        return -EINVAL;
    if (!has_slot(checks, key, check->t_ns))
        return -ENOSPC;
    struct check_state *state = state_of(checks, &is_new);
    if (!state)
        return -ENOMEM;
    state->seen_ns = check->t_ns;
    check_found(state, check);
    check_reason_print(checks, check, state);
    if (strbuf_error(&checks->reason) < 0)
        return -ENOMEM;
    made.health = state->is_unsteady ? RESOURCE_DEGRADED : check->health;
    made.reason = strbuf_span(&checks->reason);
    uint64_t hash = reason_hash(made.reason);
    if (!is_news(state, is_new, made.health, check->t_ns, hash))
        return 0;
    state->health = made.health;
    state->reason_hash = hash;
    state->sent_ns = check->t_ns;
    made.t_ns = stated_time(state, check->t_ns);
    *ret = made;
    return 1;
}

/* That its check has ended is no reason to use what was bad: a device that is dead
 * hangs its own check. */
static bool is_ended(const struct check_state *state, enum resource_health end)
{
    if (end == RESOURCE_UNKNOWN && is_bad(state->health))
        return false;
    return state->health != end;
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
    check_reason_print(checks, end, NULL);
    if (strbuf_error(&prefix) < 0 || strbuf_error(&checks->reason) < 0)
        return; /* what it stated stays */
    struct resource_statement made = {
        .source = { prefix.data, source_size },
        .health = end->health,
        .reason = strbuf_span(&checks->reason),
    };
    for (size_t at = 0; hashmap_next(&checks->states, &at, &key, &index);) {
        struct check_state *state = &checks->items[*index - 1];
        if (key.size <= prefix.size ||
            memcmp(key.data, prefix.data, prefix.size) != 0 ||
            !is_ended(state, end->health))
            continue;
        *state = (struct check_state){ .health = end->health,
                                       .reason_hash = reason_hash(made.reason),
                                       .sent_ns = end->t_ns,
                                       .stated_ns = state->stated_ns,
                                       .seen_ns = end->t_ns,
                                       .found = end->health,
                                       .found_ns = end->t_ns };
        made.t_ns = stated_time(state, end->t_ns);
        made.component = span_skip(key, prefix.size);
        fn(arg, &made);
    }
}

void resource_checks_again(struct resource_checks *checks, int64_t t_ns,
                           resource_checks_fn *fn, void *arg)
{
    struct span key, source;
    uintptr_t *index;
    for (size_t at = 0; hashmap_next(&checks->states, &at, &key, &index);) {
        struct check_state *state = &checks->items[*index - 1];
        struct span component = key;
        state->sent_ns = 0;
        if (state->health != RESOURCE_UP)
            continue;
        (void)span_cut(&component, ' ', &source);
        state->reason_hash = reason_hash(SPAN(""));
        state->sent_ns = t_ns;
        const struct resource_statement made = { .component = component,
                                                 .source = source,
                                                 .health = RESOURCE_UP,
                                                 .t_ns = stated_time(state, t_ns) };
        fn(arg, &made);
    }
}
