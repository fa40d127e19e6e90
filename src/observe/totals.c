/* SPDX-License-Identifier: Apache-2.0 */
/* totals - entries of which only the sum is wanted, folded into one.
 *
 * A total is an entry that no server has: its counters begin at zero when it is made
 * and grow by what each folded generation grows, so that it never falls and the sum
 * over it is the sum over the generations.  It is stored in packed form like a
 * generation.  What a generation had counted before this observer first looked is not
 * in it.
 */
#include "observe/totals.h"

#include "base/number.h"
#include "base/span.h"
#include "observe/generation_row.h"

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
        size_t capacity = ENTRY_ID_BYTES_MAX - suffix_size;
        size_t size = name.size < capacity ? name.size : capacity;
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
    struct generation **slot = generations_find(&target->totals, id);
    if (!slot)
        slot = generations_add(&target->totals, id);
    if (!slot)
        return -ENOMEM;
    (*slot)->seen_ms = target->t_ms;
    if (base == TOTAL_NOTHING)
        return 0;
    bool is_lossy = base == TOTAL_SINCE_BEFORE_LOSSY || base == TOTAL_SINCE_ZERO_LOSSY;
    bool has_before = base == TOTAL_SINCE_BEFORE || base == TOTAL_SINCE_BEFORE_LOSSY;
    if (is_lossy)
        (*slot)->flags |= GENERATION_IS_LOSSY;
    int rc =
        counters_unpack(generation_counters(*slot), (*slot)->counters_size, &o->total);
    if (rc < 0)
        return rc;
    rc = counters_add(&o->total, has_before ? &o->before : NULL, &o->next);
    if (rc < 0)
        return rc;
    size_t size = counters_pack(&o->total, o->packed);
    return generation_set_counters(slot, o->packed, size);
}

void totals_set_lossy(struct observe_target *target)
{
    for (size_t i = 0; i < target->totals.capacity; i++) {
        struct generation *generation = target->totals.slots[i];
        if (!generation)
            continue;
        generation->flags |= GENERATION_IS_LOSSY;
        generation->seen_ms = target->t_ms;
    }
}

/* The zero record of a total that is new: at the last instant before, or, where this is
 * the observer's first round, at this one. */
static int total_begin(struct observe_target *target, struct generation *generation,
                       const struct entry *entry)
{
    int64_t zero_ms = target_born_after(target);
    if (zero_ms == T_NONE || zero_ms >= target->t_ms)
        zero_ms = generation->counters_size ? target->t_ms - 1 : target->t_ms;
    generation->row_ms = zero_ms;
    return target_emit(target, entry,
                       (struct observation){
                           .t_ms = zero_ms,
                           .since_ms = T_NONE,
                           .previous_ms = T_NONE,
                           .reset = true,
                           .is_zero = true,
                       });
}

static int total_emit(struct observe_target *target, struct generation *generation)
{
    struct entry *entry = calloc(1, sizeof *entry);
    AUTO_FREE void *owned = entry;
    (void)owned;
    if (!entry)
        return -ENOMEM;
    int rc = generation_entry(target, generation, entry);
    if (rc < 0)
        return rc;
    entry->flags = ENTRY_ID_QUOTED; /* we made it */
    if (generation->row_ms == T_NONE)
        rc = total_begin(target, generation, entry);
    if (rc < 0 || generation->counters_size == 0 || generation->row_ms == target->t_ms)
        return rc;
    int64_t previous_ms = generation->row_ms;
    bool is_lossy = generation->flags & GENERATION_IS_LOSSY;
    generation->flags &= (uint8_t)~GENERATION_IS_LOSSY;
    generation->row_ms = target->t_ms;
    return target_emit(
        target, entry,
        (struct observation){
            .t_ms = target->t_ms,
            .since_ms = target->round_ms > previous_ms ? target->round_ms : previous_ms,
            .previous_ms = previous_ms,
            .is_doubtful = is_lossy,
        });
}

int totals_rebase(struct observe_target *target)
{
    for (size_t i = 0; i < target->totals.capacity; i++) {
        struct generation *generation = target->totals.slots[i];
        if (!generation || !(generation->flags & GENERATION_WANTS_BASE))
            continue;
        int rc = generation_emit_base(target, generation, generation->seen_ms, NULL);
        if (rc < 0)
            return rc;
        generation->row_ms = generation->seen_ms;
        generation->flags &= (uint8_t)~GENERATION_WANTS_BASE;
    }
    return 0;
}

int totals_emit(struct observe_target *target)
{
    for (size_t i = 0; i < target->totals.capacity; i++) {
        struct generation *generation = target->totals.slots[i];
        if (!generation || generation->seen_ms != target->t_ms)
            continue;
        int rc = total_emit(target, generation);
        if (rc < 0)
            return rc;
    }
    return 0;
}
