/* SPDX-License-Identifier: Apache-2.0 */
/* state - what an observer remembers, as bytes.  doc/formats/agent-state.md is the
 * specification.
 *
 * Numbers are varints; times are zigzag differences to the target's last round, so that
 * an entry that is seen in every round takes three bytes beside its name and counters.
 */
#include "base/span.h"
#include "observe/target.h"

/* 1 had no snapshot, moved and flags of a generation: it is read, and they are not
 * known. */
#define STATE_VERSION 2
#define STATE_VERSION_MIN 1

/* ---- writing ---- */

static void put_u64(struct strbuf *out, uint64_t value)
{
    while (value >= 0x80) {
        strbuf_addc(out, (char)(value | 0x80));
        value >>= 7;
    }
    strbuf_addc(out, (char)value);
}

/* 0: none; else 1 + zigzag of the distance to base. */
static void put_time(struct strbuf *out, int64_t t, int64_t base)
{
    if (t == T_NONE) {
        put_u64(out, 0);
        return;
    }
    int64_t d = (int64_t)((uint64_t)t - (uint64_t)base);
    uint64_t zigzag = ((uint64_t)d << 1) ^ (d < 0 ? UINT64_MAX : 0);
    /* The farthest distance has no space for the one: it is as good as none. */
    put_u64(out, zigzag == UINT64_MAX ? 0 : zigzag + 1);
}

static void put_span(struct strbuf *out, struct span s)
{
    put_u64(out, s.size);
    strbuf_add_span(out, s);
}

void observe_save_list(const struct observe *observe, struct strbuf *out)
{
    put_u64(out, STATE_VERSION);
    put_time(out, observe->list_ms, 0);
    put_u64(out, observe->target_count);
    for (size_t i = 0; i < observe->target_count; i++) {
        const struct observe_target *target = observe->targets[i];
        put_span(out, span_of(target->name));
        put_u64(out, target->kind);
        put_u64(out, target->is_there);
        put_time(out, target->absent_ms, 0);
    }
}

static int64_t base_ms(const struct observe_target *target)
{
    return target->begun_ms == T_NONE ? 0 : target->begun_ms;
}

static void put_generations(struct strbuf *out, const struct observe_target *target,
                            const struct generations *generations)
{
    int64_t base = base_ms(target);
    put_u64(out, generations->count);
    for (size_t i = 0; i < generations->capacity; i++) {
        const struct generation *generation = generations->slots[i];
        if (!generation)
            continue;
        put_span(out, generation_id(generation));
        put_time(out, generation->seen_ms, base);
        put_time(out, generation->row_ms, base);
        put_time(out, generation->start_ns, 0);
        put_time(out, generation->snapshot_ns,
                 generation->start_ns == T_NONE ? 0 : generation->start_ns);
        put_time(out, generation->moved_ms, base);
        put_u64(out, generation->flags & GENERATION_FLAGS_SAVED);
        put_u64(out, generation->seen_round);
        put_span(out, (struct span){ (const char *)generation_counters(generation),
                                     generation->counters_size });
    }
}

void observe_save_target(const struct observe_target *target, struct strbuf *out)
{
    put_u64(out, STATE_VERSION);
    put_span(out, span_of(target->name));
    put_u64(out, target->kind);
    put_time(out, target->begun_ms, 0);
    put_time(out, target->round_ms, 0);
    put_u64(out, (uint64_t)target->cleanup_ms);
    put_u64(out, target->rounds);
    put_u64(out, target->order);
    put_generations(out, target, &target->generations);
    put_generations(out, target, &target->totals);
}

/* ---- reading ---- */

/* Errors are remembered, as strbuf does: reading on gives zeros. */
struct reader {
    struct span rest;
    bool is_bad;
    uint64_t version;
};

static uint64_t take_u64(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->rest.size && shift < 64; shift += 7) {
        uint8_t byte = (uint8_t)r->rest.data[0];
        r->rest = span_skip(r->rest, 1);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    r->is_bad = true;
    return 0;
}

static int64_t take_time(struct reader *r, int64_t base)
{
    uint64_t value = take_u64(r);
    if (value == 0)
        return T_NONE;
    value--;
    uint64_t d = (value >> 1) ^ (value & 1 ? UINT64_MAX : 0);
    int64_t t = (int64_t)((uint64_t)base + d);
    /* So far apart that their distance would not fit: no observer has seen that. */
    r->is_bad |= t > INT64_MAX / 2 || t < INT64_MIN / 2;
    return r->is_bad ? 0 : t;
}

static struct span take_span(struct reader *r, size_t size_max)
{
    uint64_t size = take_u64(r);
    if (r->is_bad || size > size_max || size > r->rest.size) {
        r->is_bad = true;
        return (struct span){ "", 0 };
    }
    struct span s = { r->rest.data, (size_t)size };
    r->rest = span_skip(r->rest, s.size);
    return s;
}

static int bad_state(struct err *err, const char *what)
{
    return err_set(err, EBADMSG, "%s is not one that this program has written", what);
}

static bool take_version(struct reader *r)
{
    r->version = take_u64(r);
    return r->version >= STATE_VERSION_MIN && r->version <= STATE_VERSION;
}

static enum target_kind take_kind(struct reader *r)
{
    uint64_t kind = take_u64(r);
    r->is_bad |= kind >= TARGET_KIND_COUNT;
    return r->is_bad ? TARGET_MDT : (enum target_kind)kind;
}

static int load_list(struct observe *observe, struct reader *r, int64_t *ret_list_ms)
{
    *ret_list_ms = take_time(r, 0);
    uint64_t count = take_u64(r);
    for (uint64_t i = 0; i < count && !r->is_bad; i++) {
        struct span name = take_span(r, TARGET_BYTES_MAX);
        enum target_kind kind = take_kind(r);
        bool is_there = take_u64(r) != 0;
        int64_t absent_ms = take_time(r, 0);
        struct observe_target *target = NULL;
        if (r->is_bad)
            break;
        int rc = target_make(observe, name, kind, &target);
        if (rc == -ENOMEM)
            return rc;
        if (rc < 0) {
            r->is_bad = true;
            break;
        }
        target->is_there = is_there;
        target->absent_ms = absent_ms;
    }
    return 0;
}

int observe_load_list(struct observe *observe, struct span state, struct err *err)
{
    struct reader r = { state, false, 0 };
    int64_t list_ms = T_NONE;
    if (!take_version(&r))
        return bad_state(err, "the list of targets");
    struct observe *fresh = NULL;
    int rc = observe_new(&observe->opts, &fresh);
    if (rc < 0)
        return rc;
    rc = load_list(fresh, &r, &list_ms);
    if (rc == 0 && (r.is_bad || r.rest.size))
        rc = bad_state(err, "the list of targets");
    for (size_t i = 0; rc == 0 && i < fresh->target_count; i++) {
        const struct observe_target *from = fresh->targets[i];
        struct observe_target *to = NULL;
        rc = target_make(observe, span_of(from->name), from->kind, &to);
        if (rc < 0)
            break;
        to->is_there = from->is_there;
        to->absent_ms = from->absent_ms;
    }
    if (rc == 0)
        observe->list_ms = list_ms;
    observe_free(fresh);
    return rc;
}

static int take_generation(struct reader *r, struct generations *generations,
                           int64_t base, struct counters *scratch)
{
    struct span id = take_span(r, ENTRY_ID_BYTES_MAX);
    int64_t seen_ms = take_time(r, base), row_ms = take_time(r, base);
    int64_t start_ns = take_time(r, 0), snapshot_ns = T_NONE, moved_ms = T_NONE;
    uint64_t flags = 0;
    if (r->version > 1) {
        snapshot_ns = take_time(r, start_ns == T_NONE ? 0 : start_ns);
        moved_ms = take_time(r, base);
        flags = take_u64(r);
    }
    uint64_t seen_round = take_u64(r);
    struct span packed = take_span(r, COUNTERS_BYTES_MAX);
    if (r->is_bad || seen_ms == T_NONE || seen_round > UINT32_MAX ||
        generations_find(generations, id) ||
        counters_unpack((const uint8_t *)packed.data, packed.size, scratch) < 0) {
        r->is_bad = true;
        return 0;
    }
    struct generation **slot = generations_add(generations, id);
    if (!slot)
        return -ENOMEM;
    (*slot)->seen_ms = seen_ms;
    (*slot)->row_ms = row_ms;
    (*slot)->start_ns = start_ns;
    (*slot)->snapshot_ns = snapshot_ns;
    (*slot)->moved_ms = moved_ms;
    (*slot)->flags = flags & GENERATION_FLAGS_SAVED;
    (*slot)->seen_round = (uint32_t)seen_round;
    return generation_set_counters(slot, (const uint8_t *)packed.data, packed.size);
}

static int take_generations(struct reader *r, struct generations *generations,
                            int64_t base, struct counters *scratch)
{
    uint64_t count = take_u64(r);
    int rc = 0;
    for (uint64_t i = 0; i < count && rc == 0 && !r->is_bad; i++)
        rc = take_generation(r, generations, base, scratch);
    return rc;
}

/* Everything of a target that its own state holds, to replace it as a whole. */
struct loaded {
    struct span name;
    enum target_kind kind;
    int64_t begun_ms, round_ms, cleanup_ms;
    uint32_t rounds, order;
    struct generations generations, totals;
};

static void loaded_done(struct loaded *l)
{
    generations_done(&l->generations);
    generations_done(&l->totals);
}
DEFINE_AUTO_DONE(struct loaded, loaded_done);

static int load_target(struct reader *r, struct loaded *l, struct counters *scratch)
{
    l->name = take_span(r, TARGET_BYTES_MAX);
    l->kind = take_kind(r);
    l->begun_ms = take_time(r, 0);
    l->round_ms = take_time(r, 0);
    uint64_t cleanup_ms = take_u64(r), rounds = take_u64(r);
    uint64_t order = r->version > 1 ? take_u64(r) : 0;
    r->is_bad |= cleanup_ms > INT64_MAX || rounds > UINT32_MAX || order > UINT32_MAX;
    l->order = (uint32_t)order;
    l->cleanup_ms = (int64_t)cleanup_ms;
    l->rounds = (uint32_t)rounds;
    int64_t base = l->begun_ms == T_NONE ? 0 : l->begun_ms;
    int rc = take_generations(r, &l->generations, base, scratch);
    if (rc == 0)
        rc = take_generations(r, &l->totals, base, scratch);
    return rc;
}

int observe_load_target(struct observe *observe, struct span state, struct err *err)
{
    struct reader r = { state, false, 0 };
    AUTO(loaded_done) struct loaded l = { 0 };
    if (!take_version(&r))
        return bad_state(err, "the state of a target");
    int rc = load_target(&r, &l, &observe->before);
    if (rc < 0)
        return err_set(err, -rc, "the state of a target: out of memory");
    if (r.is_bad || r.rest.size)
        return bad_state(err, "the state of a target");
    struct observe_target *target = NULL;
    rc = target_make(observe, l.name, l.kind, &target);
    if (rc < 0)
        return rc == -EINVAL ? bad_state(err, "the state of a target") : rc;
    observe_target_forget(target);
    target->begun_ms = l.begun_ms;
    target->round_ms = l.round_ms;
    target->cleanup_ms = l.cleanup_ms;
    target->has_tails = true;
    target->rounds = l.rounds;
    target->order = l.order;
    target->generations = l.generations;
    target->totals = l.totals;
    l.generations = l.totals = (struct generations){ 0 };
    observe->generation_count += target->generations.count;
    return 0;
}
