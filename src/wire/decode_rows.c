/* SPDX-License-Identifier: Apache-2.0 */
/* decode_rows - entries and targets of a batch as they begin and end, and what costs
 * them. */
#include "base/span.h"
#include "wire/decode.h"

#include <stdio.h>

/* ---- what costs an entry, a target, the batch ---- */

void decode_bad_entry(struct jobstats_decoder *d, const char *fmt, ...)
{
    if (d->entry_reason[0])
        return; /* the first reason is the one to report */
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(d->entry_reason, sizeof d->entry_reason, fmt, ap);
    va_end(ap);
}

void decode_bad_target(struct jobstats_decoder *d, const char *reason)
{
    if (!d->target_reason[0])
        (void)snprintf(d->target_reason, sizeof d->target_reason, "%s", reason);
}

int decode_bad_batch(struct jobstats_decoder *d, const char *key, const char *reason)
{
    return err_set(d->err, EBADMSG, "\"%s\" %s (line %llu)", key, reason,
                   (unsigned long long)d->reader.line);
}

static void note_bad(struct jobstats_decoder *d, uint64_t entry, const char *reason)
{
    if (d->bad_count < JOBSTATS_BAD_MAX) {
        struct jobstats_bad *bad = &d->bad[d->bad_count];
        bad->entry = entry;
        memcpy(bad->reason, reason, sizeof bad->reason);
    }
    d->bad_count++;
}

int decode_out_of_memory(struct jobstats_decoder *d)
{
    return err_set(d->err, EMSGSIZE, "a batch that needs over %zu bytes of memory",
                   d->batch->arena.bytes_max);
}

/* ---- entries and targets: begin and end ---- */

void decode_begin_target(struct jobstats_decoder *d)
{
    d->target.size = 0;
    d->kind = -1;
    d->t_ms = T_NONE;
    d->target_reason[0] = '\0';
    d->target_first_row = d->batch->row_count;
    d->target_first_entry = d->entry_count;
}

int decode_begin_entry(struct jobstats_decoder *d)
{
    if (d->entry_count == JOBSTATS_ENTRIES_MAX)
        return err_set(d->err, EMSGSIZE, "a batch of more than %d entries",
                       JOBSTATS_ENTRIES_MAX);
    d->row = jobbatch_add_row(d->batch);
    if (!d->row)
        return decode_out_of_memory(d);
    d->row->reset = RESET_UNKNOWN;
    d->entry_of[d->batch->row_count - 1] = (uint32_t)d->entry_count++;
    d->has_id = false;
    d->op_count = 0;
    d->entry_reason[0] = '\0';
    strbuf_clear(&d->more);
    return 0;
}

int decode_end_entry(struct jobstats_decoder *d)
{
    if (!d->has_id)
        decode_bad_entry(d, "no entry_id");
    if (d->more.size > MORE_MAX)
        decode_bad_entry(d, "more than %d bytes of statistics beside the columns",
                         MORE_MAX);
    if (d->entry_reason[0]) {
        note_bad(d, d->entry_count - 1, d->entry_reason);
        d->batch->row_count--;
        return 0;
    }
    if (jobrow_set_more(d->row, &d->more, &d->batch->arena) < 0)
        return decode_out_of_memory(d);
    return 0;
}

bool decode_is_name(struct span name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool is_good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
        if (!is_good)
            return false;
    }
    return name.size > 0;
}

/* The kind that follows from name and "kind", or -1 with a reason. */
static int settle_kind(struct jobstats_decoder *d)
{
    struct span name = { d->target.data, d->target.size };
    struct target_name parts;
    if (!decode_is_name(name)) {
        decode_bad_target(d, name.size ? "target is not a name" : "no target");
        return -1;
    }
    bool has_form = target_parse(name, &parts) == 0;
    if (!has_form && d->kind < 0)
        decode_bad_target(d,
                          "target is neither an MDT nor an OST, and no kind is given");
    else if (has_form && d->kind >= 0 && d->kind != (int)parts.kind)
        decode_bad_target(d, "kind contradicts the target's name");
    return has_form ? (int)parts.kind : d->kind;
}

/* Complete the target's rows, or drop them all for its reason. */
int decode_end_target(struct jobstats_decoder *d)
{
    struct jobbatch *batch = d->batch;
    int kind = settle_kind(d);
    if (d->t_ms == T_NONE)
        decode_bad_target(d, "no timestamp");
    if (d->target_reason[0]) {
        for (size_t i = d->target_first_row; i < batch->row_count; i++)
            note_bad(d, d->entry_of[i], d->target_reason);
        batch->row_count = d->target_first_row;
        return 0;
    }
    struct span name = { d->target.data, d->target.size };
    if (!span_eq(name, d->target_stored)) {
        char *copy = arena_dup(&batch->arena, name);
        if (!copy)
            return decode_out_of_memory(d);
        d->target_stored = (struct span){ copy, name.size };
    }
    for (size_t i = d->target_first_row; i < batch->row_count; i++) {
        struct jobrow *row = &batch->rows[i];
        row->target = d->target_stored;
        row->kind = (enum target_kind)kind;
        row->t_ms = d->t_ms;
    }
    return 0;
}

void decode_end_op(struct jobstats_decoder *d)
{
    if (d->entry_reason[0])
        return;
    if (++d->op_count > ENTRY_OPS_MAX) {
        decode_bad_entry(d, "more than %d operations", ENTRY_OPS_MAX);
        return;
    }
    d->op.hist = strbuf_span(&d->hist);
    jobrow_add_op(d->row, &d->op, &d->more);
}
