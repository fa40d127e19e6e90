/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_jobstats - the whole parser of job_stats, cut at places the input chooses.
 *
 * The first byte seeds the cuts.  What the parser hears must not depend on them, and
 * everything it hands out must be readable.
 */
#include "fuzz/fuzz.h"
#include "source/lustre/lustre.h"

#include <xxhash.h>

struct heard {
    XXH3_state_t *hash;
    uint64_t entries;
};

static void hear(struct heard *h, struct span s)
{
    (void)XXH3_64bits_update(h->hash, &s.size, sizeof s.size);
    (void)XXH3_64bits_update(h->hash, s.data ? s.data : "", s.size);
}

static void hear_number(struct heard *h, uint64_t number)
{
    (void)XXH3_64bits_update(h->hash, &number, sizeof number);
}

static int hear_entry(void *arg, const struct entry *e)
{
    struct heard *h = arg;
    h->entries++;
    fuzz_check(e->id.size > 0 && e->id.size <= ENTRY_ID_BYTES_MAX);
    fuzz_check(e->op_count <= ENTRY_OPS_MAX);
    hear(h, e->target);
    hear(h, e->id);
    hear_number(h, e->flags | (uint64_t)e->kind << 32);
    hear_number(h, (uint64_t)e->snapshot_ns);
    hear_number(h, (uint64_t)e->start_ns);
    hear_number(h, (uint64_t)e->elapsed_ns);
    hear_number(h, e->line);
    for (size_t i = 0; i < e->op_count; i++) {
        const struct op_stat *op = &e->ops[i];
        fuzz_check(op->name.size > 0 && op->has != 0);
        fuzz_check(entry_find_op(e, op->name) == op);
        hear(h, op->name);
        hear(h, op->unit_text);
        hear(h, op->hist);
        hear_number(h, op->has);
        hear_number(h, op->samples ^ op->min ^ op->max ^ op->sum ^ op->sumsq);
    }
    return 0;
}

static void hear_fault(void *arg, enum jobstats_fault fault, uint64_t line,
                       struct span text)
{
    hear_number(arg, (uint64_t)fault);
    hear_number(arg, line);
    hear(arg, text);
}

/* Returns a hash of all that was heard; cuts is 0 for one whole piece. */
static uint64_t parse(const uint8_t *data, size_t size, uint64_t cuts,
                      struct jobstats_counts *ret)
{
    struct heard h = { .hash = XXH3_createState() };
    AUTO(jobstats_parser_free) struct jobstats_parser *p = NULL;
    fuzz_check(h.hash && jobstats_parser_new(hear_entry, hear_fault, &h, &p) == 0);
    (void)XXH3_64bits_reset(h.hash);
    uint64_t state = cuts;
    while (size > 0) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t piece = cuts ? 1 + (state >> 33) % 97 : size;
        piece = piece < size ? piece : size;
        fuzz_check(jobstats_parser_feed(p, data, piece) == 0);
        data += piece;
        size -= piece;
    }
    fuzz_check(jobstats_parser_finish(p) == 0);
    *ret = *jobstats_parser_counts(p);
    fuzz_check(ret->entries == h.entries);
    uint64_t hash = XXH3_64bits_digest(h.hash);
    (void)XXH3_freeState(h.hash);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct jobstats_counts whole, cut;
    uint64_t whole_hash = parse(data + 1, size - 1, 0, &whole);
    uint64_t cut_hash = parse(data + 1, size - 1, 1 + (uint64_t)data[0], &cut);
    fuzz_check(whole_hash == cut_hash);
    fuzz_check(memcmp(&whole, &cut, sizeof whole) == 0);
    return 0;
}
