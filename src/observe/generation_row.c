/* SPDX-License-Identifier: Apache-2.0 */
/* generation_row - rows made of what is remembered of an entry. */
#include "observe/generation_row.h"

#include "base/span.h"

int generation_entry(struct observe_target *target, const struct generation *generation,
                     struct entry *ret)
{
    struct counters *total = &target->observe->total;
    int rc = counters_unpack(generation_counters(generation), generation->counters_size,
                             total);
    if (rc < 0)
        return rc;
    *ret = (struct entry){
        .target = span_of(target->name),
        .kind = target->kind,
        .id = generation_id(generation),
        .flags = memchr(generation->data, '?', generation->id_size)
                     ? 0
                     : (unsigned)ENTRY_ID_QUOTED,
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

int generation_emit_base(struct observe_target *target,
                         const struct generation *generation, int64_t t_ms,
                         const struct entry *like)
{
    AUTO_FREE struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return -ENOMEM;
    int rc = generation_entry(target, generation, entry);
    if (rc < 0)
        return rc;
    entry->flags = like ? like->flags : (unsigned)ENTRY_ID_QUOTED;
    entry->start_ns = generation->start_ns;
    return target_emit(
        target, entry,
        (struct observation){ .t_ms = t_ms, .since_ms = T_NONE, .previous_ms = t_ms });
}
