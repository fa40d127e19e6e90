/* SPDX-License-Identifier: Apache-2.0 */
/* record - one batch of samples as a record of the log. */
#include "blocks/record.h"

#include "blocks/bits.h"
#include "blocks/codec.h"

#include <errno.h>

#define EXPONENT_MAX 6
#define TAG_BITS 3
#define TAG_OTHER 7
#define CODE_RAW TAG_OTHER
#define CODE_MISSING (1 << TAG_BITS | TAG_OTHER)
#define INTEGER_MAX 35184372088832.0 /* 2^45: a code of at most seven bytes */
#define NAME_BYTES_MAX 40            /* beside path and metric */
#define SAMPLE_BYTES_MAX 48
#define TEXT_MAX 4096

static const double powers[EXPONENT_MAX + 1] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
static const int64_t units[] = { 1000000000, 1000000, 1000, 1 };

void record_done(struct record *record)
{
    free(record->names);
    free(record->numbers);
    free(record->times);
    free(record->values);
    *record = (struct record){ 0 };
}

int record_reserve(struct record *record, size_t names, size_t samples)
{
    if (names > record->name_capacity) {
        struct record_name *p = realloc(record->names, 2 * names * sizeof *p);
        if (!p)
            return -ENOMEM;
        record->names = p;
        record->name_capacity = 2 * names;
    }
    if (samples <= record->capacity)
        return 0;
    size_t capacity = samples + samples / 2;
    uint32_t *numbers = realloc(record->numbers, capacity * sizeof *numbers);
    record->numbers = numbers ? numbers : record->numbers;
    int64_t *times = realloc(record->times, capacity * sizeof *times);
    record->times = times ? times : record->times;
    double *values = realloc(record->values, capacity * sizeof *values);
    record->values = values ? values : record->values;
    if (!numbers || !times || !values)
        return -ENOMEM;
    record->capacity = capacity;
    return 0;
}

static void put_names(struct bits_writer *w, const struct record *record)
{
    bits_put_varint(w, record->name_count);
    for (size_t i = 0; i < record->name_count; i++) {
        const struct record_name *n = &record->names[i];
        bits_put_varint(w, n->number);
        bits_put_varint(w, (uint64_t)n->step_ns);
        bits_put_varint(w, n->path.size);
        bits_put(w, n->path.data, n->path.size);
        bits_put_varint(w, n->metric.size);
        bits_put(w, n->metric.data, n->metric.size);
    }
}

/* Runs of numbers that follow each other: how far the first is from what would have
 * been the next, and how many there are. */
static void put_numbers(struct bits_writer *w, const struct record *record)
{
    uint32_t expected = 0;
    for (size_t i = 0; i < record->count;) {
        uint32_t first = record->numbers[i];
        size_t run = 1;
        while (i + run < record->count && record->numbers[i + run] == first + run)
            run++;
        bits_put_varint(w, zigzag((int64_t)first - expected));
        bits_put_varint(w, run);
        expected = first + (uint32_t)run;
        i += run;
    }
}

/* The largest that divides every time. */
static unsigned find_unit(const struct record *record)
{
    unsigned unit = 0;
    int64_t last_ns = 0;
    for (size_t i = 0; i < record->count; i++) {
        int64_t t_ns = record->times[i];
        while (t_ns != last_ns && t_ns % units[unit] != 0)
            unit++;
        last_ns = t_ns;
    }
    return unit;
}

static void put_times(struct bits_writer *w, const struct record *record)
{
    unsigned unit = find_unit(record);
    int64_t last_ns = 0;
    bits_put_u8(w, unit);
    for (size_t i = 0; i < record->count;) {
        int64_t t_ns = record->times[i];
        size_t run = 1;
        while (i + run < record->count && record->times[i + run] == t_ns)
            run++;
        bits_put_varint(w, zigzag((t_ns - last_ns) / units[unit]));
        bits_put_varint(w, run);
        last_ns = t_ns;
        i += run;
    }
}

static uint64_t value_code(double value)
{
    uint64_t bits = double_bits(value);
    if (bits == MISSING_BITS)
        return CODE_MISSING;
    for (unsigned e = 0; e <= EXPONENT_MAX; e++) {
        double scaled = value * powers[e];
        /* Also what is no number goes this way. */
        if (!(scaled < INTEGER_MAX && scaled > -INTEGER_MAX))
            break;
        int64_t integer = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
        if (double_bits((double)integer / powers[e]) == bits)
            return zigzag(integer) << TAG_BITS | e;
    }
    return CODE_RAW;
}

static void put_values(struct bits_writer *w, const struct record *record)
{
    for (size_t i = 0; i < record->count; i++) {
        uint64_t code = value_code(record->values[i]);
        bits_put_varint(w, code);
        if (code == CODE_RAW)
            bits_put_u64(w, double_bits(record->values[i]));
    }
}

int record_encode(const struct record *record, struct strbuf *out)
{
    size_t room = NAME_BYTES_MAX + record->count * SAMPLE_BYTES_MAX;
    for (size_t i = 0; i < record->name_count; i++)
        room +=
            NAME_BYTES_MAX + record->names[i].path.size + record->names[i].metric.size;
    int rc = strbuf_reserve(out, room);
    if (rc < 0)
        return rc;
    struct bits_writer w = { (uint8_t *)out->data + out->size, 0 };
    bits_put_varint(&w, record->sequence);
    put_names(&w, record);
    bits_put_varint(&w, record->count);
    put_numbers(&w, record);
    put_times(&w, record);
    put_values(&w, record);
    out->size += w.size;
    return 0;
}

static struct span read_text(struct bits_reader *r)
{
    uint64_t size = bits_read_varint(r);
    r->is_bad |= size > TEXT_MAX;
    const uint8_t *data = r->is_bad ? NULL : bits_read(r, size);
    return (struct span){ (const char *)data, data ? size : 0 };
}

static int read_names(struct bits_reader *r, struct record *record)
{
    uint64_t count = bits_read_varint(r);
    /* A name takes four bytes and more. */
    if (r->is_bad || count > (r->size - r->at) / 4)
        return -EBADMSG;
    int rc = record_reserve(record, count, 0);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        uint64_t number = bits_read_varint(r);
        uint64_t step_ns = bits_read_varint(r);
        struct span path = read_text(r);
        struct span metric = read_text(r);
        if (r->is_bad || number == 0 || number > SERIES_NUMBER_MAX ||
            step_ns > INT64_MAX / 4)
            return -EBADMSG;
        record->names[i] =
            (struct record_name){ (uint32_t)number, path, metric, (int64_t)step_ns };
    }
    record->name_count = rc == 0 ? count : 0;
    return rc;
}

static int read_numbers(struct bits_reader *r, struct record *record)
{
    int64_t expected = 0;
    for (size_t i = 0; i < record->count;) {
        int64_t delta = unzigzag(bits_read_varint(r));
        uint64_t run = bits_read_varint(r);
        if (r->is_bad || run == 0 || run > record->count - i ||
            delta > SERIES_NUMBER_MAX || delta < -(int64_t)SERIES_NUMBER_MAX)
            return -EBADMSG;
        int64_t first = expected + delta;
        if (first < 1 || first + (int64_t)run > (int64_t)SERIES_NUMBER_MAX + 1)
            return -EBADMSG;
        for (uint64_t n = 0; n < run; n++)
            record->numbers[i++] = (uint32_t)(first + (int64_t)n);
        expected = first + (int64_t)run;
    }
    return 0;
}

static int read_times(struct bits_reader *r, struct record *record)
{
    int64_t t_ns = 0;
    unsigned unit = bits_read_u8(r);
    if (r->is_bad || unit >= COUNT_OF(units))
        return -EBADMSG;
    for (size_t i = 0; i < record->count;) {
        int64_t delta = unzigzag(bits_read_varint(r));
        uint64_t run = bits_read_varint(r);
        if (r->is_bad || run == 0 || run > record->count - i ||
            __builtin_mul_overflow(delta, units[unit], &delta) ||
            __builtin_add_overflow(t_ns, delta, &t_ns))
            return -EBADMSG;
        for (uint64_t n = 0; n < run; n++)
            record->times[i++] = t_ns;
    }
    return 0;
}

static int read_values(struct bits_reader *r, struct record *record)
{
    for (size_t i = 0; i < record->count; i++) {
        uint64_t code = bits_read_varint(r);
        unsigned tag = code & ((1U << TAG_BITS) - 1);
        int64_t integer = unzigzag(code >> TAG_BITS);
        if (tag <= EXPONENT_MAX)
            record->values[i] =
                tag == 0 ? (double)integer : (double)integer / powers[tag];
        else if (code == CODE_MISSING)
            record->values[i] = bits_double(MISSING_BITS);
        else if (code == CODE_RAW)
            record->values[i] = bits_double(bits_read_u64(r));
        else
            return -EBADMSG;
    }
    return r->is_bad ? -EBADMSG : 0;
}

int record_decode(struct span payload, struct record *record)
{
    struct bits_reader r = { .data = (const uint8_t *)payload.data,
                             .size = payload.size };
    record->count = 0;
    record->sequence = bits_read_varint(&r);
    int rc = read_names(&r, record);
    uint64_t count = rc == 0 ? bits_read_varint(&r) : 0;
    /* A sample takes a byte and more for its value. */
    if (rc == 0 && (r.is_bad || count > RECORD_SAMPLES_MAX || count > r.size - r.at))
        rc = -EBADMSG;
    if (rc == 0)
        rc = record_reserve(record, 0, count);
    if (rc < 0)
        return rc;
    record->count = count;
    rc = read_numbers(&r, record);
    if (rc == 0)
        rc = read_times(&r, record);
    if (rc == 0)
        rc = read_values(&r, record);
    return rc == 0 && r.at != r.size ? -EBADMSG : rc;
}
