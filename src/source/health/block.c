/* SPDX-License-Identifier: Apache-2.0 */
/* block - one reading out of a file of many, and the one that holds at a moment. */
#include "source/health/block.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#define BEGIN_WORD "BEGIN "

void health_blocks_init(struct health_blocks *blocks, struct span text)
{
    *blocks = (struct health_blocks){ text, 1 };
}

/* Take the BEGIN line that rest starts with. */
static void take_begin(struct health_blocks *blocks, struct health_block *ret)
{
    struct span line;
    int64_t t_ns;
    (void)span_cut(&blocks->rest, '\n', &line);
    blocks->line++;
    struct span time = span_trim(span_skip(line, sizeof BEGIN_WORD - 1));
    if (number_parse_seconds(time, &t_ns) == 0 && t_ns >= 0) {
        ret->has_time = true;
        ret->t_ns = t_ns;
    }
}

bool health_blocks_next(struct health_blocks *blocks, struct health_block *ret)
{
    if (blocks->rest.size == 0)
        return false;
    struct health_block block = { 0 };
    if (span_starts(blocks->rest, BEGIN_WORD))
        take_begin(blocks, &block);
    block.line = blocks->line;
    block.text = (struct span){ blocks->rest.data, 0 };
    while (blocks->rest.size > 0 && !span_starts(blocks->rest, BEGIN_WORD)) {
        struct span line;
        (void)span_cut(&blocks->rest, '\n', &line);
        blocks->line++;
    }
    block.text.size = (size_t)(blocks->rest.data - block.text.data);
    *ret = block;
    return true;
}

int health_block_at(struct span text, int64_t t_ns, int64_t age_max_ns,
                    struct health_block *ret, int64_t *ret_age_ns, struct err *err)
{
    struct health_blocks blocks;
    struct health_block block, best = { 0 };
    int64_t first_ns = INT64_MAX;
    char asked[TIMETEXT_SIZE], found[TIMETEXT_SIZE];
    health_blocks_init(&blocks, text);
    while (health_blocks_next(&blocks, &block)) {
        if (!block.has_time)
            continue;
        if (block.t_ns < first_ns)
            first_ns = block.t_ns;
        if (block.t_ns <= t_ns && (!best.has_time || block.t_ns >= best.t_ns))
            best = block;
    }
    timetext_print(asked, t_ns);
    if (first_ns == INT64_MAX)
        return err_set(err, ENOENT, "no line 'BEGIN <seconds>' with a time");
    if (!best.has_time) {
        timetext_print(found, first_ns);
        return err_set(err, ENOENT,
                       "nothing at or before %s: the first sample is of %s", asked,
                       found);
    }
    timetext_print(found, best.t_ns);
    /* Both lie in 0 .. INT64_MAX here or t_ns is negative and nothing is as old. */
    int64_t age_ns = t_ns - best.t_ns;
    if (age_ns > age_max_ns)
        return err_set(err, ESTALE,
                       "the last sample before %s is of %s: %lld s older, over the "
                       "limit of %lld s",
                       asked, found, (long long)(age_ns / NS_PER_S),
                       (long long)(age_max_ns / NS_PER_S));
    *ret = best;
    if (ret_age_ns)
        *ret_age_ns = age_ns;
    return 0;
}
