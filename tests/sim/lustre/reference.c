/* SPDX-License-Identifier: Apache-2.0 */
/* reference - what a perfect observer knows who reads at given instants, and
 * the truth.
 */
#include "reference.h"

#include "dump.h"

#include "base/hashmap.h"
#include "base/number.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum cause {
    TRUTH,
    REFERENCE,
    BEFORE_FIRST_LOOK,
    UNPOLLED_TAIL,
    HIDDEN_RESET,
    UNSEEN_ENTRY,
    COUNTED_AGAIN, /* negative: a life forgotten and met again */
    CAUSE_COUNT,
};

static const char *const cause_names[CAUSE_COUNT] = {
    "truth",        "reference",    "before_first_look", "unpolled_tail",
    "hidden_reset", "unseen_entry", "counted_again",
};

/* What a text shows of an entry; a sum that is not printed stays 0. */
struct values {
    uint64_t shown; /* bit SIM_x */
    uint64_t samples[SIM_OP_COUNT], sum[SIM_OP_COUNT];
};

/* What the observer on one server remembers of one identifier of one target. */
struct memory {
    struct sim_series series;
    struct sim_life life;
    int64_t seen_ns;
};

/* What the players know of one life. */
struct record {
    uint64_t last_count; /* events at its last sight; 0: never seen */
};

/* The observer's sum of one identifier of one target. */
struct total {
    const struct sim_target *target;
    char id[SIM_ID_BYTES_MAX + 1];
    size_t id_size;
    size_t server; /* where it was counted last */
    struct values counted;
};

/* An array that grows, of things of one size, and the map that finds them. */
struct pool {
    struct hashmap map;
    char *items;
    size_t count, capacity, item_size;
};

struct reference {
    const struct sim *sim;
    const struct sim_reference_opts *opts;
    const struct sim_look *looks;
    size_t look_count;
    struct pool memories, records, totals;
    struct values by_cause[CAUSE_COUNT];
    const struct sim_target *target; /* while lives are gone through */
};

/* ---- pools ---- */

/* The item of key, made zeroed when it is new; NULL: memory is out.  Valid
 * until the next call. */
static void *pool_put(struct pool *pool, const void *key, size_t size, bool *ret_is_new)
{
    bool is_new = false;
    uintptr_t *at = hashmap_put(&pool->map, (struct span){ key, size }, &is_new);
    if (!at)
        return NULL;
    if (is_new) {
        if (pool->count == pool->capacity) {
            size_t capacity = pool->capacity ? pool->capacity * 2 : 1024;
            char *grown = realloc(pool->items, capacity * pool->item_size);
            if (!grown)
                return NULL;
            pool->items = grown;
            pool->capacity = capacity;
        }
        *at = pool->count++;
        memset(pool->items + *at * pool->item_size, 0, pool->item_size);
    }
    *ret_is_new = is_new;
    return pool->items + *at * pool->item_size;
}

static void pool_done(struct pool *pool)
{
    hashmap_done(&pool->map);
    free(pool->items);
}

static void reference_done(struct reference *r)
{
    pool_done(&r->memories);
    pool_done(&r->records);
    pool_done(&r->totals);
}
DEFINE_AUTO_DONE(struct reference, reference_done);

/* A key of numbers and an identifier: length before bytes, so that none is
 * another. */
struct key {
    char bytes[3 * sizeof(uint64_t) + sizeof(size_t) + SIM_ID_BYTES_MAX];
    size_t size;
};

static void key_make(struct key *key, const struct sim_series *s, uint64_t a,
                     uint64_t b, uint64_t c)
{
    uint64_t numbers[] = { a, b, c };
    memcpy(key->bytes, numbers, sizeof numbers);
    memcpy(key->bytes + sizeof numbers, &s->id_size, sizeof s->id_size);
    memcpy(key->bytes + sizeof numbers + sizeof s->id_size, s->id, s->id_size);
    key->size = sizeof numbers + sizeof s->id_size + s->id_size;
}

/* ---- values ---- */

static void values_get(const struct sim_series *s, const struct sim_mount *mount,
                       uint64_t base, uint64_t count, struct values *ret)
{
    const struct sim_version *v = mount->version;
    *ret = (struct values){ .shown = v->ops[s->kind] };
    for (size_t op = 0; op < SIM_OP_COUNT; op++) {
        if (!(ret->shown >> op & 1))
            continue;
        struct sim_stat stat;
        sim_series_stat(s, (enum sim_op)op, base, count, &stat);
        ret->samples[op] = stat.samples;
        if (v->has_usecs || op == SIM_READ_BYTES || op == SIM_WRITE_BYTES)
            ret->sum[op] = stat.sum;
    }
}

/* to += a - b, in arithmetic that wraps. */
static void values_add(struct values *to, const struct values *a,
                       const struct values *b)
{
    to->shown |= a->shown;
    for (size_t op = 0; op < SIM_OP_COUNT; op++) {
        to->samples[op] += a->samples[op] - b->samples[op];
        to->sum[op] += a->sum[op] - b->sum[op];
    }
}

static bool values_decreased(const struct values *before, const struct values *now)
{
    for (size_t op = 0; op < SIM_OP_COUNT; op++) {
        if (!(before->shown >> op & now->shown >> op & 1))
            continue;
        bool is_bytes = op == SIM_READ_BYTES || op == SIM_WRITE_BYTES;
        if (now->samples[op] < before->samples[op] ||
            (is_bytes && now->sum[op] < before->sum[op]))
            return true;
    }
    return false;
}

/* ---- the observer ---- */

static const struct values nothing;

/* Was the target absent when its server's targets were listed after after_ns and before
 * now? */
static bool was_absent(const struct reference *r, const struct sim_look *now,
                       int64_t after_ns)
{
    for (const struct sim_look *l = now; l > r->looks;) {
        l--;
        if (l->t_ns <= after_ns)
            return false;
        if (l->server != now->server || !l->is_list)
            continue;
        const struct sim_mount *m = sim_mount_at(now->target, l->t_ns);
        if (!m || m->server != now->server)
            return true;
    }
    return false;
}

/* Was the server looked at in an earlier round? */
static bool had_round(const struct reference *r, const struct sim_look *now)
{
    for (const struct sim_look *l = r->looks; l < now; l++)
        if (l->server == now->server &&
            l->asked_ns / r->opts->interval_ns < now->asked_ns / r->opts->interval_ns)
            return true;
    return false;
}

static bool has_start(const struct sim_mount *mount)
{
    return mount->version->header == SIM_HEADER_TRIPLE;
}

/* What is the same for all entries of one read. */
struct reading {
    const struct sim_look *look;
    bool had_round;
    int64_t last_ns;         /* of the target on this server before; INT64_MIN: never */
    int64_t absent_after_ns; /* what was seen before this time is of another mount */
};

static bool is_same_life(const struct reference *r, const struct reading *reading,
                         const struct memory *m, const struct values *before,
                         const struct sim_item *item, const struct values *now)
{
    const struct sim_life *old = &m->life, *new = &item->life;
    if (has_start(old->mount) && has_start(new->mount))
        return old->start_ns == new->start_ns;
    int64_t keep_ns = r->sim->conf.cleanup_ns / 2 * 3 + 2 * r->opts->interval_ns;
    /* Time in which nobody looked is no absence. */
    int64_t looked_ns = reading->look->asked_ns;
    if (reading->last_ns > m->seen_ns &&
        looked_ns > reading->last_ns + r->opts->interval_ns)
        looked_ns = reading->last_ns + r->opts->interval_ns;
    if ((reading->last_ns > m->seen_ns && looked_ns - m->seen_ns > keep_ns) ||
        m->seen_ns < reading->absent_after_ns)
        return false;
    if (has_start(new->mount) && new->start_ns > m->seen_ns)
        return false;
    return !values_decreased(before, now);
}

/* One entry of one read: what the observer adds, and what he misses by which
 * cause. */
static int see(struct reference *r, const struct reading *reading,
               const struct sim_item *item)
{
    const struct sim_look *look = reading->look;
    uint64_t target = (uint64_t)(look->target - r->sim->targets);
    struct key key;
    bool is_new = false, is_unseen = false, is_first = false;

    key_make(&key, &item->series, target, item->series.seed,
             item->life.base << 16 |
                 (uint64_t)(item->life.mount - look->target->mounts));
    struct record *record = pool_put(&r->records, key.bytes, key.size, &is_unseen);
    key_make(&key, &item->series, target, look->server, 0);
    struct memory *memory = pool_put(&r->memories, key.bytes, key.size, &is_new);
    key_make(&key, &item->series, target, 0, 0);
    struct total *total = pool_put(&r->totals, key.bytes, key.size, &is_first);
    if (!record || !memory || !total)
        return -ENOMEM;
    total->target = look->target;
    memcpy(total->id, item->series.id, item->series.id_size);
    total->id_size = item->series.id_size;

    struct values now, before = nothing, known = nothing;
    values_get(&item->series, item->life.mount, item->life.base, item->life.count,
               &now);
    if (!is_new)
        values_get(&memory->series, memory->life.mount, memory->life.base,
                   memory->life.count, &before);
    if (record->last_count)
        values_get(&item->series, item->life.mount, item->life.base, record->last_count,
                   &known);

    enum cause cause = is_unseen ? HIDDEN_RESET : COUNTED_AGAIN;
    /* Rows of another server in between: the target was mounted there. */
    bool was_elsewhere = !is_first && total->server != look->server;
    if (!is_new && !was_elsewhere &&
        is_same_life(r, reading, memory, &before, item, &now)) {
        /* the increment is now - before */
    } else if (has_start(item->life.mount) || reading->had_round) {
        before = nothing;
    } else {
        before = now; /* how much of it was there long ago nobody can say */
        cause = BEFORE_FIRST_LOOK;
    }
    values_add(&total->counted, &now, &before);
    values_add(&r->by_cause[REFERENCE], &now, &before);
    values_add(&r->by_cause[cause], &before, &known);

    total->server = look->server;
    record->last_count = item->life.count;
    *memory = (struct memory){ item->series, item->life, look->asked_ns };
    return 0;
}

/* An entry that stands twice counts once, as it was first: what the second reading has
 * more is still there at the next instant. */
static bool is_doubled(const struct sim_item *a, const struct sim_item *b)
{
    return a->series.seed == b->series.seed && a->life.base == b->life.base &&
           a->series.id_size == b->series.id_size &&
           memcmp(a->series.id, b->series.id, b->series.id_size) == 0;
}

/* The last mount before m on the same server, or NULL. */
static const struct sim_mount *mount_before(const struct sim_target *target,
                                            const struct sim_mount *m)
{
    for (const struct sim_mount *l = m; l && l > target->mounts;)
        if ((--l)->server == m->server)
            return l;
    return NULL;
}

/* When this target was asked for on this server before; INT64_MIN: never. */
static int64_t last_read(const struct reference *r, const struct sim_look *now)
{
    for (const struct sim_look *l = now; l > r->looks;) {
        l--;
        if (l->server == now->server && l->target == now->target)
            return l->asked_ns;
    }
    return INT64_MIN;
}

static int read_once(struct reference *r, const struct sim_look *look)
{
    AUTO(sim_dump_done) struct sim_dump dump = { 0 };
    int rc = sim_dump_take(r->sim, look->target, look->t_ns, &dump);
    if (rc < 0)
        return rc;
    struct reading reading = { .look = look,
                               .had_round = had_round(r, look),
                               .last_ns = last_read(r, look),
                               .absent_after_ns = INT64_MIN };
    /* If somebody looked at this server while the target was not here, all that is
     * remembered of the last mount here is known to be over. */
    const struct sim_mount *m = sim_mount_at(look->target, look->t_ns);
    const struct sim_mount *last = mount_before(look->target, m);
    if (last && was_absent(r, look, last->to_ns - 1))
        reading.absent_after_ns = m->from_ns;
    for (size_t i = 0; i < dump.count; i++) {
        if (i && is_doubled(&dump.items[i - 1], &dump.items[i]))
            continue;
        rc = see(r, &reading, &dump.items[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- the truth ---- */

static int add_life(void *arg, const struct sim_series *s, const struct sim_life *life)
{
    struct reference *r = arg;
    struct key key;
    bool is_unseen = false;
    key_make(&key, s, (uint64_t)(r->target - r->sim->targets), s->seed,
             life->base << 16 | (uint64_t)(life->mount - r->target->mounts));
    struct record *record = pool_put(&r->records, key.bytes, key.size, &is_unseen);
    if (!record)
        return -ENOMEM;
    struct values all, seen = nothing;
    values_get(s, life->mount, life->base, life->count, &all);
    if (record->last_count)
        values_get(s, life->mount, life->base, record->last_count, &seen);
    values_add(&r->by_cause[TRUTH], &all, &nothing);
    values_add(&r->by_cause[record->last_count ? UNPOLLED_TAIL : UNSEEN_ENTRY], &all,
               &seen);
    return 0;
}

static int add_series(void *arg, const struct sim_series *s)
{
    struct reference *r = arg;
    return sim_lives_each(r->sim, r->target, s, r->opts->until_ns, add_life, r);
}

static int count_truth(struct reference *r)
{
    for (size_t i = 0; i < r->sim->target_count; i++) {
        r->target = &r->sim->targets[i];
        int rc = sim_series_each(r->sim, r->target, r->sim->conf.epoch_ns,
                                 r->opts->until_ns, add_series, r);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- the answer ---- */

static void print_id_csv(FILE *out, const struct total *t)
{
    /* As everywhere: printable ASCII as is, other bytes and the backslash as
     * \xHH; and CSV's own doubling of quotes. */
    fputc('"', out);
    for (size_t i = 0; i < t->id_size; i++) {
        unsigned char c = (unsigned char)t->id[i];
        if (c < 0x20 || c > 0x7e || c == '\\')
            fprintf(out, "\\x%02X", c);
        else
            fprintf(out, c == '"' ? "\"\"" : "%c", c);
    }
    fputc('"', out);
}

static void print_totals(const struct reference *r, FILE *out)
{
    for (size_t i = 0; i < r->totals.count; i++) {
        const struct total *t =
            (const struct total *)(const void *)(r->totals.items +
                                                 i * r->totals.item_size);
        for (size_t op = 0; op < SIM_OP_COUNT; op++) {
            if (!t->counted.samples[op] && !t->counted.sum[op])
                continue;
            fprintf(out, "%s,", t->target->name);
            print_id_csv(out, t);
            fprintf(out, ",%s,%" PRIu64 ",%" PRIu64 "\n", sim_op_name((enum sim_op)op),
                    t->counted.samples[op], t->counted.sum[op]);
        }
    }
}

/* truth = reference + all that was missed, to the unit, for every operation. */
static int check_balance(const struct reference *r, struct err *err)
{
    for (size_t op = 0; op < SIM_OP_COUNT; op++) {
        uint64_t samples = 0, sum = 0;
        for (size_t c = REFERENCE; c < CAUSE_COUNT; c++) {
            samples += r->by_cause[c].samples[op];
            sum += r->by_cause[c].sum[op];
        }
        if (samples != r->by_cause[TRUTH].samples[op] ||
            sum != r->by_cause[TRUTH].sum[op])
            return err_set(err, EBADMSG, "%s: the causes do not add up to the truth",
                           sim_op_name((enum sim_op)op));
    }
    return 0;
}

static void print_causes(const struct reference *r, FILE *out)
{
    for (size_t c = 0; c < CAUSE_COUNT; c++)
        for (size_t op = 0; op < SIM_OP_COUNT; op++)
            if (r->by_cause[c].samples[op] || r->by_cause[c].sum[op])
                fprintf(out, "total,%s,%s,%" PRId64 ",%" PRId64 "\n", cause_names[c],
                        sim_op_name((enum sim_op)op),
                        (int64_t)r->by_cause[c].samples[op],
                        (int64_t)r->by_cause[c].sum[op]);
}

int sim_reference(const struct sim *sim, const struct sim_look *looks, size_t count,
                  const struct sim_reference_opts *opts, FILE *out, struct err *err)
{
    AUTO(reference_done)
    struct reference r = {
        .sim = sim,
        .opts = opts,
        .looks = looks,
        .look_count = count,
        .memories = { .item_size = sizeof(struct memory) },
        .records = { .item_size = sizeof(struct record) },
        .totals = { .item_size = sizeof(struct total) },
    };
    for (size_t i = 0; i < count; i++) {
        if (!looks[i].target || looks[i].t_ns > opts->until_ns)
            continue;
        int rc = read_once(&r, &looks[i]);
        if (rc < 0)
            return err_set(err, -rc, "%s was read when it was not mounted",
                           looks[i].target->name);
    }
    int rc = count_truth(&r);
    if (rc == 0)
        rc = check_balance(&r, err);
    if (rc < 0)
        return rc;
    if (opts->per_series)
        print_totals(&r, out);
    print_causes(&r, out);
    return 0;
}
