/* SPDX-License-Identifier: Apache-2.0 */
/* codec - up to 256 doubles as few bytes, without losing a bit. */
#include "blocks/codec.h"

#include "blocks/bits.h"

#include <errno.h>
#include <math.h>

#define HAS_GAPS 0x80 /* in the kind's byte: a presence follows */
#define DECIMALS_MAX 15
#define INTEGER_MAX \
    0x1p51         /* integers up to here are exact, and so are their differences */
#define SAMPLES 24 /* that are looked at to choose the decimals */
#define DICTIONARY_MAX 8
#define SPLIT_MIN 48 /* lower bits: what is above them fits 16 bits */
#define SPLIT_MAX 60

#define INTS_DELTA 1 /* in the ints' flags */

static const double powers[DECIMALS_MAX + 1] = { 1e0,  1e1,  1e2,  1e3, 1e4,  1e5,
                                                 1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15 };

/* A way to write integers: each as base + residual, residuals of width bits at most
 * packed, the others apart. */
struct ints_plan {
    bool is_delta;
    int64_t first; /* when is_delta */
    int64_t base;
    unsigned width;
    size_t wide_count;
    size_t size; /* bytes in all */
    uint64_t residuals[CODEC_VALUES_MAX];
};

static size_t wide_size(unsigned bits)
{
    return 1 + (bits + 6) / 7;
}

/* The width at which packed and wide ones together are smallest. */
static void choose_width(struct ints_plan *plan, size_t count)
{
    size_t of_bits[65] = { 0 };
    for (size_t i = 0; i < count; i++)
        of_bits[bits_needed(plan->residuals[i])]++;
    size_t wide_count = 0, wide_bytes = 0;
    plan->size = SIZE_MAX;
    for (unsigned width = 64; width <= 64; width--) {
        size_t size = bits_packed_size(count, width) + wide_bytes;
        if (size < plan->size) {
            plan->size = size;
            plan->width = width;
            plan->wide_count = wide_count;
        }
        wide_count += of_bits[width];
        wide_bytes += of_bits[width] * wide_size(width);
    }
    plan->size += 2 + bits_varint_size(plan->wide_count) +
                  bits_varint_size(zigzag(plan->base)) +
                  (plan->is_delta ? bits_varint_size(zigzag(plan->first)) : 0);
}

/* Residuals above the smallest of the integers, or of their differences. */
static void plan_ints(const int64_t *values, size_t count, bool is_delta,
                      struct ints_plan *plan)
{
    plan->is_delta = is_delta;
    plan->first = values[0];
    int64_t last = values[0], base = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        int64_t v =
            is_delta ? (int64_t)((uint64_t)values[i] - (uint64_t)last) : values[i];
        last = values[i];
        plan->residuals[i] = (uint64_t)v;
        if ((i > 0 || !is_delta) && v < base)
            base = v;
    }
    if (is_delta)
        plan->residuals[0] = (uint64_t)base;
    plan->base = base;
    for (size_t i = 0; i < count; i++)
        plan->residuals[i] -= (uint64_t)base;
    choose_width(plan, count);
}

static void write_ints(struct bits_writer *w, const struct ints_plan *plan,
                       size_t count)
{
    bits_put_u8(w, plan->is_delta ? INTS_DELTA : 0);
    bits_put_u8(w, plan->width);
    bits_put_varint(w, plan->wide_count);
    bits_put_varint(w, zigzag(plan->base));
    if (plan->is_delta)
        bits_put_varint(w, zigzag(plan->first));
    bits_pack(w, plan->residuals, count, plan->width);
    for (size_t i = 0; i < count && plan->wide_count > 0; i++) {
        if (bits_needed(plan->residuals[i]) > plan->width) {
            bits_put_u8(w, (unsigned)i);
            bits_put_varint(w, plan->residuals[i]);
        }
    }
}

static void plan_best_ints(const int64_t *values, size_t count, struct ints_plan *ret)
{
    struct ints_plan delta;
    plan_ints(values, count, false, ret);
    if (count < 3)
        return;
    plan_ints(values, count, true, &delta);
    if (delta.size < ret->size)
        *ret = delta;
}

static void read_ints(struct bits_reader *r, int64_t *ret, size_t count)
{
    uint64_t residuals[CODEC_VALUES_MAX];
    unsigned flags = bits_read_u8(r);
    unsigned width = bits_read_u8(r);
    uint64_t wide_count = bits_read_varint(r);
    uint64_t base = (uint64_t)unzigzag(bits_read_varint(r));
    uint64_t last = 0;
    if (flags & INTS_DELTA)
        last = (uint64_t)unzigzag(bits_read_varint(r)) - base;
    if (flags > INTS_DELTA || width > 64 || wide_count > count)
        r->is_bad = true;
    bits_unpack(r, residuals, count, width <= 64 ? width : 0);
    for (uint64_t i = 0; i < wide_count && !r->is_bad; i++) {
        unsigned at = bits_read_u8(r);
        uint64_t value = bits_read_varint(r);
        if (at >= count)
            r->is_bad = true;
        else
            residuals[at] = value;
    }
    for (size_t i = 0; i < count && !r->is_bad; i++) {
        uint64_t value = residuals[i] + base;
        if (flags & INTS_DELTA)
            value = last += value;
        ret[i] = (int64_t)value;
    }
}

/* Whether value is exactly *ret / 10^decimals. */
static inline bool is_decimal(double value, unsigned decimals, int64_t *ret)
{
    double scaled = value * powers[decimals];
    if (!(fabs(scaled) < INTEGER_MAX))
        return false;
    int64_t integer = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    *ret = integer;
    return double_bits((double)integer / powers[decimals]) == double_bits(value);
}

/* The fewest decimals that fit as many of some samples as any. */
static unsigned choose_decimals(const double *values, size_t count)
{
    size_t stride = count > SAMPLES ? count / SAMPLES : 1;
    unsigned best = 0;
    size_t best_fits = 0, looked = (count + stride - 1) / stride;
    for (unsigned decimals = 0; decimals <= DECIMALS_MAX; decimals++) {
        size_t fits = 0;
        for (size_t i = 0; i < count; i += stride) {
            int64_t integer;
            fits += is_decimal(values[i], decimals, &integer);
        }
        if (fits > best_fits) {
            best = decimals;
            best_fits = fits;
        }
        if (fits == looked)
            break;
    }
    return best;
}

struct decimal_plan {
    unsigned decimals;
    size_t raw_count;
    uint8_t raw[CODEC_VALUES_MAX]; /* indices of what is no decimal */
    struct ints_plan ints;
    size_t size;
};

static void plan_decimal(const double *values, size_t count, struct decimal_plan *plan)
{
    int64_t integers[CODEC_VALUES_MAX] = { 0 };
    plan->decimals = choose_decimals(values, count);
    plan->raw_count = 0;
    int64_t last = 0;
    size_t leading = 0; /* raw ones before the first decimal take its integer */
    for (size_t i = 0; i < count; i++) {
        if (is_decimal(values[i], plan->decimals, &integers[i])) {
            last = integers[i];
            while (leading > 0)
                integers[--leading] = last;
        } else {
            if (plan->raw_count == i)
                leading = i + 1;
            plan->raw[plan->raw_count++] = (uint8_t)i;
            integers[i] = last;
        }
    }
    plan_best_ints(integers, count, &plan->ints);
    plan->size =
        1 + bits_varint_size(plan->raw_count) + plan->ints.size + plan->raw_count * 9;
}

static void write_decimal(struct bits_writer *w, const double *values, size_t count,
                          const struct decimal_plan *plan)
{
    bits_put_u8(w, plan->decimals);
    bits_put_varint(w, plan->raw_count);
    write_ints(w, &plan->ints, count);
    for (size_t i = 0; i < plan->raw_count; i++) {
        bits_put_u8(w, plan->raw[i]);
        bits_put_u64(w, double_bits(values[plan->raw[i]]));
    }
}

static void read_decimal(struct bits_reader *r, double *ret, size_t count)
{
    int64_t integers[CODEC_VALUES_MAX];
    unsigned decimals = bits_read_u8(r);
    uint64_t raw_count = bits_read_varint(r);
    if (decimals > DECIMALS_MAX || raw_count > count)
        r->is_bad = true;
    read_ints(r, integers, count);
    if (r->is_bad)
        return;
    double power = powers[decimals];
    for (size_t i = 0; i < count; i++)
        ret[i] = (double)integers[i] / power;
    for (uint64_t i = 0; i < raw_count && !r->is_bad; i++) {
        unsigned at = bits_read_u8(r);
        uint64_t bits = bits_read_u64(r);
        if (at >= count)
            r->is_bad = true;
        else
            ret[at] = bits_double(bits);
    }
}

/* Upper bits by dictionary, lower bits as they are. */
struct split_plan {
    unsigned lower_bits;
    unsigned code_bits;
    size_t entry_count;
    uint16_t entries[DICTIONARY_MAX];
    size_t odd_count; /* whose upper bits are not in the dictionary */
    size_t size;
};

static size_t find_entry(const uint16_t *entries, size_t count, uint64_t upper)
{
    size_t i = 0;
    while (i < count && entries[i] != upper)
        i++;
    return i;
}

static void plan_split(const double *values, size_t count, unsigned lower_bits,
                       struct split_plan *plan)
{
    *plan = (struct split_plan){ .lower_bits = lower_bits };
    for (size_t i = 0; i < count; i++) {
        uint64_t upper = double_bits(values[i]) >> lower_bits;
        if (find_entry(plan->entries, plan->entry_count, upper) < plan->entry_count)
            continue;
        if (plan->entry_count < DICTIONARY_MAX)
            plan->entries[plan->entry_count++] = (uint16_t)upper;
        else
            plan->odd_count++;
    }
    plan->code_bits = bits_needed(plan->entry_count - 1);
    plan->size = 2 + 2 * plan->entry_count + bits_varint_size(plan->odd_count) +
                 bits_packed_size(count, plan->code_bits) +
                 bits_packed_size(count, lower_bits) + plan->odd_count * 3;
}

static void plan_best_split(const double *values, size_t count, struct split_plan *ret)
{
    ret->size = SIZE_MAX;
    for (unsigned bits = SPLIT_MIN; bits <= SPLIT_MAX; bits += 2) {
        struct split_plan plan;
        plan_split(values, count, bits, &plan);
        if (plan.size < ret->size)
            *ret = plan;
    }
}

static void write_split(struct bits_writer *w, const double *values, size_t count,
                        const struct split_plan *plan)
{
    uint64_t codes[CODEC_VALUES_MAX], lower[CODEC_VALUES_MAX];
    bits_put_u8(w, plan->lower_bits);
    bits_put_u8(w, (unsigned)plan->entry_count);
    for (size_t i = 0; i < plan->entry_count; i++) {
        bits_put_u8(w, plan->entries[i] & 0xFF);
        bits_put_u8(w, plan->entries[i] >> 8);
    }
    bits_put_varint(w, plan->odd_count);
    for (size_t i = 0; i < count; i++) {
        lower[i] = double_bits(values[i]);
        size_t code =
            find_entry(plan->entries, plan->entry_count, lower[i] >> plan->lower_bits);
        codes[i] = code < plan->entry_count ? code : 0;
    }
    bits_pack(w, codes, count, plan->code_bits);
    bits_pack(w, lower, count, plan->lower_bits);
    for (size_t i = 0; i < count && plan->odd_count > 0; i++) {
        uint64_t upper = lower[i] >> plan->lower_bits;
        if (find_entry(plan->entries, plan->entry_count, upper) == plan->entry_count) {
            bits_put_u8(w, (unsigned)i);
            bits_put_u8(w, upper & 0xFF);
            bits_put_u8(w, (unsigned)(upper >> 8));
        }
    }
}

static uint64_t take_u16(struct bits_reader *r)
{
    unsigned low = bits_read_u8(r);
    return low | bits_read_u8(r) << 8;
}

static void read_split(struct bits_reader *r, double *ret, size_t count)
{
    uint64_t codes[CODEC_VALUES_MAX], lower[CODEC_VALUES_MAX];
    uint64_t entries[DICTIONARY_MAX] = { 0 };
    unsigned lower_bits = bits_read_u8(r);
    unsigned entry_count = bits_read_u8(r);
    if (lower_bits < SPLIT_MIN || lower_bits > SPLIT_MAX || entry_count == 0 ||
        entry_count > DICTIONARY_MAX) {
        r->is_bad = true;
        return;
    }
    for (unsigned i = 0; i < entry_count; i++)
        entries[i] = take_u16(r);
    uint64_t odd_count = bits_read_varint(r);
    bits_unpack(r, codes, count, bits_needed(entry_count - 1));
    bits_unpack(r, lower, count, lower_bits);
    r->is_bad |= odd_count > count;
    if (r->is_bad)
        return;
    for (size_t i = 0; i < count; i++)
        ret[i] = bits_double(entries[codes[i]] << lower_bits | lower[i]);
    for (uint64_t i = 0; i < odd_count; i++) {
        unsigned at = bits_read_u8(r);
        uint64_t upper = take_u16(r);
        if (at >= count || r->is_bad) {
            r->is_bad = true;
            return;
        }
        ret[at] = bits_double(upper << lower_bits | lower[at]);
    }
}

static bool is_constant(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (double_bits(values[i]) != double_bits(values[0]))
            return false;
    }
    return true;
}

/* What is there, moved together; presence gets a bit a slot. */
static size_t gather(const double *values, size_t count, double *ret, uint8_t *presence)
{
    size_t present = 0;
    memset(presence, 0, (count + 7) / 8);
    for (size_t i = 0; i < count; i++) {
        if (double_bits(values[i]) == MISSING_BITS)
            continue;
        presence[i / 8] |= (uint8_t)(1u << (i % 8));
        ret[present++] = values[i];
    }
    return present;
}

static enum codec_kind write_body(struct bits_writer *w, const double *values,
                                  size_t count)
{
    struct decimal_plan decimal;
    struct split_plan split = { .size = SIZE_MAX };
    if (is_constant(values, count)) {
        bits_put_u64(w, double_bits(values[0]));
        return CODEC_CONSTANT;
    }
    plan_decimal(values, count, &decimal);
    if (decimal.raw_count > count / 16 || decimal.size > count * 6)
        plan_best_split(values, count, &split);
    if (decimal.size <= split.size && decimal.size < count * 8) {
        write_decimal(w, values, count, &decimal);
        return CODEC_DECIMAL;
    }
    if (split.size < count * 8) {
        write_split(w, values, count, &split);
        return CODEC_SPLIT;
    }
    for (size_t i = 0; i < count; i++)
        bits_put_u64(w, double_bits(values[i]));
    return CODEC_RAW;
}

size_t codec_encode(const double *values, size_t count, uint8_t out[CODEC_BYTES_MAX])
{
    double present[CODEC_VALUES_MAX];
    uint8_t presence[CODEC_VALUES_MAX / 8];
    struct bits_writer w = { out, 1 };
    size_t n = gather(values, count, present, presence);
    out[0] = n < count ? HAS_GAPS : 0;
    if (n == 0) {
        out[0] = CODEC_EMPTY;
        return w.size;
    }
    if (n < count)
        bits_put(&w, presence, (count + 7) / 8);
    out[0] = (uint8_t)(out[0] | write_body(&w, present, n));
    return w.size;
}

enum codec_kind codec_kind_of(const uint8_t *data)
{
    unsigned kind = data[0] & 0x7F;
    return kind < CODEC_KIND_COUNT ? (enum codec_kind)kind : CODEC_KIND_COUNT;
}

static void read_body(struct bits_reader *r, unsigned kind, double *ret, size_t count)
{
    uint64_t bits;
    switch (kind) {
    case CODEC_CONSTANT:
        bits = bits_read_u64(r);
        for (size_t i = 0; i < count; i++)
            ret[i] = bits_double(bits);
        break;
    case CODEC_DECIMAL:
        read_decimal(r, ret, count);
        break;
    case CODEC_SPLIT:
        read_split(r, ret, count);
        break;
    case CODEC_RAW:
        for (size_t i = 0; i < count; i++)
            ret[i] = bits_double(bits_read_u64(r));
        break;
    default:
        r->is_bad = true;
    }
}

/* Spread the first values of ret over the slots that have one, from the back. */
static void scatter(double *ret, size_t count, size_t present, const uint8_t *presence)
{
    for (size_t i = count; i-- > 0;) {
        bool is_there = presence[i / 8] >> (i % 8) & 1;
        ret[i] = is_there ? ret[--present] : bits_double(MISSING_BITS);
    }
}

static size_t count_present(const uint8_t *presence, size_t count)
{
    size_t present = 0;
    for (size_t i = 0; i < count; i++)
        present += presence[i / 8] >> (i % 8) & 1;
    return present;
}

int codec_decode(const uint8_t *data, size_t size, double *ret, size_t count)
{
    struct bits_reader r = { .data = data, .size = size };
    unsigned kind = bits_read_u8(&r);
    const uint8_t *presence = NULL;
    size_t present = count;
    if (count == 0 || count > CODEC_VALUES_MAX)
        return -EBADMSG;
    if (kind == CODEC_EMPTY && !r.is_bad && size == 1) {
        for (size_t i = 0; i < count; i++)
            ret[i] = bits_double(MISSING_BITS);
        return 0;
    }
    if (kind & HAS_GAPS) {
        presence = bits_read(&r, (count + 7) / 8);
        present = presence ? count_present(presence, count) : 0;
        if (present == 0)
            return -EBADMSG;
    }
    read_body(&r, kind & ~(unsigned)HAS_GAPS, ret, present);
    if (r.is_bad || r.at != r.size)
        return -EBADMSG;
    if (presence)
        scatter(ret, count, present, presence);
    return 0;
}

size_t codec_encode_times(const int64_t *times, size_t count,
                          uint8_t out[CODEC_BYTES_MAX])
{
    static const int64_t units[] = { 1000000000, 1000000, 1000, 1 };
    int64_t scaled[CODEC_VALUES_MAX] = { 0 };
    struct ints_plan plan;
    struct bits_writer w = { out, 0 };
    unsigned unit = 0;
    for (size_t i = 0; i < count; i++) {
        while (times[i] % units[unit] != 0)
            unit++;
    }
    for (size_t i = 0; i < count; i++)
        scaled[i] = times[i] / units[unit];
    plan_best_ints(scaled, count, &plan);
    bits_put_u8(&w, unit);
    write_ints(&w, &plan, count);
    return w.size;
}

int codec_decode_times(const uint8_t *data, size_t size, int64_t *ret, size_t count)
{
    static const int64_t units[] = { 1000000000, 1000000, 1000, 1 };
    struct bits_reader r = { .data = data, .size = size };
    unsigned unit = bits_read_u8(&r);
    if (count == 0 || count > CODEC_VALUES_MAX || unit > 3)
        return -EBADMSG;
    read_ints(&r, ret, count);
    if (r.is_bad || r.at != r.size)
        return -EBADMSG;
    for (size_t i = 0; i < count; i++) {
        if (__builtin_mul_overflow(ret[i], units[unit], &ret[i]))
            return -EBADMSG;
    }
    return 0;
}
