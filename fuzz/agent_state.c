/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_agent_state - what an observer remembers, from bytes that it did not write.
 *
 * The input: the size of the list (two bytes), the list, a target's state.  What loads
 * must be saved as what loads again, and must stand a round.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "observe/observe.h"

#include <errno.h>

static const struct observe_opts opts = { .interval_ms = 120000,
                                          .generations_max = 100 };

static int count_row(void *arg, const struct entry *entry,
                     const struct observation *seen)
{
    size_t *rows = arg;
    (void)entry;
    fuzz_check(seen->t_ms != 0 || seen->is_zero);
    (*rows)++;
    return 0;
}

/* Two rounds, in which the second entry appears and the first one moves on. */
static void play_rounds(struct observe_target *target)
{
    size_t rows = 0;
    for (uint64_t round = 1; round <= 2; round++) {
        int64_t t_ms = INT64_C(1669014000000) + (int64_t)round * 120000;
        if (observe_round_begin(target, t_ms, count_row, &rows) < 0)
            return;
        static const char *const ids[] = { "a", "job.17" };
        for (uint64_t i = 0; i < round; i++) {
            struct entry entry = {
                .target = observe_target_name(target),
                .id = span_of(ids[i]),
                .kind = observe_target_kind(target),
                .snapshot_ns = t_ms * 1000000,
                .start_ns = i ? T_NONE : t_ms * 1000000 - 60000000000,
                .elapsed_ns = T_NONE,
                .ops = { { .name = SPAN("write_bytes"),
                           .unit_text = SPAN("bytes"),
                           .unit = OP_UNIT_BYTES,
                           .has = OP_HAS_SAMPLES | OP_HAS_SUM,
                           .samples = round,
                           .sum = round * 4096 } },
                .op_count = 1,
            };
            fuzz_check(observe_entry(target, &entry) == 0);
        }
        fuzz_check(observe_round_end(target) == 0);
    }
}

/* A state that was taken is saved as one that is taken again, and saved the same. */
static void check_again(const struct observe_target *target)
{
    AUTO(observe_free) struct observe *other = NULL;
    AUTO(strbuf_done) struct strbuf saved = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    observe_save_target(target, &saved);
    fuzz_check(strbuf_error(&saved) == 0 && observe_new(&opts, &other) == 0);
    fuzz_check(observe_load_target(other, strbuf_span(&saved), NULL) == 0);
    const struct observe_target *copy = observe_target_at(other, 0);
    fuzz_check(observe_target_generation_count(copy) ==
               observe_target_generation_count(target));
    fuzz_check(observe_target_round_ms(copy) == observe_target_round_ms(target));
    observe_save_target(copy, &again);
    fuzz_check(again.size == saved.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct span rest = { (const char *)data + 2, size - 2 };
    size_t list_size = (size_t)data[0] << 8 | data[1];
    if (list_size > rest.size)
        list_size = rest.size;
    struct span list = { rest.data, list_size };
    AUTO(observe_free) struct observe *observe = NULL;
    struct err err = { 0 };
    fuzz_check(observe_new(&opts, &observe) == 0);
    if (observe_load_list(observe, list, &err) < 0)
        fuzz_check(err.text[0] != '\0');
    size_t known = observe_target_count(observe);
    if (observe_load_target(observe, span_skip(rest, list_size), NULL) < 0)
        fuzz_check(observe_target_count(observe) == known);
    for (size_t i = 0; i < observe_target_count(observe); i++) {
        struct observe_target *target = observe_target_at(observe, i);
        check_again(target);
        play_rounds(target);
    }
    return 0;
}
