/* SPDX-License-Identifier: Apache-2.0 */
/* totals - entries of which only the sum is wanted, folded into one.
 *
 * A total is an entry that no server has: its counters begin at zero when it is made
 * and grow by what each folded life grows, so that it never falls and the sum over it
 * is the sum over the lives.  It is kept in packed form like a life.  What a life had
 * counted before this observer first looked is not in it.
 */
#include "base/number.h"
#include "observe/target.h"

static const char total_suffix[] = "@total";

static bool fold_takes(const struct observe_fold *fold, const struct entry *entry,
                       struct span *ret_name)
{
    struct entry_split split;
    entry_id_split(entry->id, true, &fold->format, 1, &split);
    if (!split.format)
        return false;
    struct span executable = split.fields[ENTRY_EXECUTABLE];
    for (size_t i = 0; executable.data && i < fold->executable_count; i++) {
        if (span_glob(executable, fold->executables[i])) {
            *ret_name = executable;
            return true;
        }
    }
    struct span user = split.fields[ENTRY_USER];
    for (size_t i = 0; user.data && i < fold->user_count; i++) {
        if (span_is(user, fold->users[i])) {
            *ret_name = span_of(fold->name);
            return true;
        }
    }
    return false;
}

bool totals_match(const struct observe *observe, const struct entry *entry,
                  char id[static ENTRY_ID_BYTES_MAX], size_t *ret_size)
{
    for (size_t i = 0; i < observe->opts.fold_count; i++) {
        struct span name;
        if (!fold_takes(&observe->opts.folds[i], entry, &name))
            continue;
        size_t suffix_size = sizeof total_suffix - 1;
        size_t room = ENTRY_ID_BYTES_MAX - suffix_size;
        size_t size = name.size < room ? name.size : room;
        memcpy(id, name.data, size);
        memcpy(id + size, total_suffix, suffix_size);
        *ret_size = size + suffix_size;
        return true;
    }
    return false;
}

int totals_add(struct observe_target *target, struct span id, enum total_base base)
{
    struct observe *o = target->observe;
    struct life **slot = lives_find(&target->totals, id);
    if (!slot)
        slot = lives_add(&target->totals, id);
    if (!slot)
        return -ENOMEM;
    (*slot)->seen_ms = target->t_ms;
    if (base == TOTAL_NOTHING)
        return 0;
    bool is_lossy = base == TOTAL_SINCE_BEFORE_LOSSY || base == TOTAL_SINCE_ZERO_LOSSY;
    bool has_before = base == TOTAL_SINCE_BEFORE || base == TOTAL_SINCE_BEFORE_LOSSY;
    if (is_lossy)
        (*slot)->flags |= LIFE_IS_LOSSY;
    int rc = counters_unpack(life_counters(*slot), (*slot)->counters_size, &o->total);
    if (rc < 0)
        return rc;
    rc = counters_add(&o->total, has_before ? &o->before : NULL, &o->next);
    if (rc < 0)
        return rc;
    size_t size = counters_pack(&o->total, o->packed);
    return life_set_counters(slot, o->packed, size);
}

void totals_set_lossy(struct observe_target *target)
{
    for (size_t i = 0; i < target->totals.capacity; i++) {
        struct life *life = target->totals.slots[i];
        if (!life)
            continue;
        life->flags |= LIFE_IS_LOSSY;
        life->seen_ms = target->t_ms;
    }
}

int entry_of_life(struct observe_target *target, const struct life *life,
                  struct entry *ret)
{
    struct counters *total = &target->observe->total;
    int rc = counters_unpack(life_counters(life), life->counters_size, total);
    if (rc < 0)
        return rc;
    *ret = (struct entry){
        .target = span_of(target->name),
        .kind = target->kind,
        .id = life_id(life),
        .flags = memchr(life->data, '?', life->id_size) ? 0 : (unsigned)ENTRY_ID_QUOTED,
        .snapshot_ns = target->t_ms * NS_PER_MS,
        .start_ns = T_NONE,
        .elapsed_ns = T_NONE,
    };
    for (size_t i = 0; i < total->count; i++) {
        const struct counter_item *item = &total->items[i];
        enum op_unit unit = item->unit;
        if (unit != OP_UNIT_BYTES && item->column != OP_COUNT)
            unit = item->sum ? OP_UNIT_USECS : OP_UNIT_REQS;
        ret->ops[ret->op_count++] = (struct op_stat){
            .name = item->column == OP_COUNT ? item->name
                                             : span_of(op_name((enum op)item->column)),
            .unit = unit,
            .unit_text = span_of(op_unit_name(unit)),
            .has = OP_HAS_SAMPLES | (item->sum ? OP_HAS_SUM : 0),
            .samples = item->samples,
            .sum = item->sum,
        };
    }
    return 0;
}

/* The zero record of a total that is new: at the last instant before, or, where this is
 * the observer's first round, at this one. */
static int total_begin(struct observe_target *target, struct life *life,
                       const struct entry *entry)
{
    int64_t zero_ms = target_born_after(target);
    if (zero_ms == T_NONE || zero_ms >= target->t_ms)
        zero_ms = life->counters_size ? target->t_ms - 1 : target->t_ms;
    life->row_ms = zero_ms;
    return target_emit(target, entry,
                       (struct observation){
                           .t_ms = zero_ms,
                           .since_ms = T_NONE,
                           .previous_ms = T_NONE,
                           .reset = true,
                           .is_zero = true,
                       });
}

static int total_emit(struct observe_target *target, struct life *life)
{
    struct entry *entry = calloc(1, sizeof *entry);
    AUTO_FREE void *owned = entry;
    (void)owned;
    if (!entry)
        return -ENOMEM;
    int rc = entry_of_life(target, life, entry);
    if (rc < 0)
        return rc;
    entry->flags = ENTRY_ID_QUOTED; /* we made it */
    if (life->row_ms == T_NONE)
        rc = total_begin(target, life, entry);
    if (rc < 0 || life->counters_size == 0 || life->row_ms == target->t_ms)
        return rc;
    int64_t previous_ms = life->row_ms;
    bool is_lossy = life->flags & LIFE_IS_LOSSY;
    life->flags &= (uint8_t)~LIFE_IS_LOSSY;
    life->row_ms = target->t_ms;
    return target_emit(
        target, entry,
        (struct observation){
            .t_ms = target->t_ms,
            .since_ms = target->round_ms > previous_ms ? target->round_ms : previous_ms,
            .previous_ms = previous_ms,
            .is_doubtful = is_lossy,
        });
}

int life_emit_base(struct observe_target *target, const struct life *life, int64_t t_ms,
                   const struct entry *like)
{
    AUTO_FREE struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return -ENOMEM;
    int rc = entry_of_life(target, life, entry);
    if (rc < 0)
        return rc;
    entry->flags = like ? like->flags : (unsigned)ENTRY_ID_QUOTED;
    entry->start_ns = life->start_ns;
    return target_emit(
        target, entry,
        (struct observation){ .t_ms = t_ms, .since_ms = T_NONE, .previous_ms = t_ms });
}

int totals_rebase(struct observe_target *target)
{
    for (size_t i = 0; i < target->totals.capacity; i++) {
        struct life *life = target->totals.slots[i];
        if (!life || !(life->flags & LIFE_WANTS_BASE))
            continue;
        int rc = life_emit_base(target, life, life->seen_ms, NULL);
        if (rc < 0)
            return rc;
        life->row_ms = life->seen_ms;
        life->flags &= (uint8_t)~LIFE_WANTS_BASE;
    }
    return 0;
}

int totals_emit(struct observe_target *target)
{
    for (size_t i = 0; i < target->totals.capacity; i++) {
        struct life *life = target->totals.slots[i];
        if (!life || life->seen_ms != target->t_ms)
            continue;
        int rc = total_emit(target, life);
        if (rc < 0)
            return rc;
    }
    return 0;
}
