/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_line_protocol - what the reader of line protocol hands out stays within its
 * text, and does not depend on how the text was cut.
 *
 * The first byte says how long the pieces are.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "wire/wire.h"

#include <xxhash.h>

#define TEXT_MAX 4096 /* below the length at which a line is given up */

static uint64_t hear(uint64_t hash, struct span s)
{
    return XXH3_64bits_withSeed(s.data, s.size, hash + s.size);
}

static void check_within(const struct line_reader *r, const char *begin, struct span s)
{
    fuzz_check(s.data >= begin && s.data + s.size <= r->end);
}

static uint64_t hear_point(const struct line_reader *r, const char *begin,
                           uint64_t hash, const struct line_point *p)
{
    char out[TEXT_MAX];
    fuzz_check(p->field_count > 0 && p->name.size > 0);
    check_within(r, begin, p->key);
    hash = hear(hash + p->line + (uint64_t)p->t_ns, p->key);
    for (size_t i = 0; i < p->tag_count; i++) {
        check_within(r, begin, p->tags[i].key);
        check_within(r, begin, p->tags[i].value);
        fuzz_check(token_unescape(p->tags[i].value, out) <= p->tags[i].value.size);
    }
    for (size_t i = 0; i < p->field_count; i++) {
        const struct line_field *f = &p->fields[i];
        double value = 0;
        check_within(r, begin, f->key);
        hash = hear(hash + f->type, f->key);
        if (f->type == LINE_STRING)
            hash = hear(hash, (struct span){ out, string_unescape(f->string, out) });
        else if (line_field_double(f, &value) == 0)
            hash = hear(hash, (struct span){ (const char *)&value, sizeof value });
    }
    return hash;
}

static uint64_t parse(const char *text, size_t size, size_t piece)
{
    static struct line_reader r;
    char buffer[TEXT_MAX];
    size_t taken = 0;
    uint64_t hash = 0;
    enum line_outcome outcome = LINE_MORE;
    line_reader_init(&r, (struct span){ buffer, 0 }, LINE_UNIT_AUTO, 1);
    while (outcome != LINE_END) {
        struct line_point p;
        if (outcome == LINE_MORE) {
            size_t held = (size_t)(r.end - r.next);
            size_t n = piece < size - taken ? piece : size - taken;
            memmove(buffer, r.next, held);
            memcpy(buffer + held, text + taken, n);
            taken += n;
            line_reader_refill(&r, (struct span){ buffer, held + n });
            r.has_more = taken < size;
        }
        outcome = line_reader_next(&r, &p);
        fuzz_check(outcome != LINE_MORE || r.has_more);
        if (outcome == LINE_POINT)
            hash = hear_point(&r, buffer, hash, &p);
        else if (outcome == LINE_FAULT)
            hash = hear(hash + r.fault.line * 977 + r.fault.column,
                        span_of(r.fault.reason));
    }
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > TEXT_MAX)
        return 0;
    const char *text = (const char *)data + 1;
    fuzz_check(parse(text, size - 1, TEXT_MAX) ==
               parse(text, size - 1, 1 + data[0] % 61));
    return 0;
}
