/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_protocol - the reader of line protocol and its decimals. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "wire/decimal.h"
#include "wire/line_protocol.h"
#include "wire/line_value.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define DEFAULT_NS INT64_C(946815194123456789)

static struct line_reader reader;

/* One line of text, printed back: "name tag=value field=type:value @time". */
static void print_point(const struct line_point *p, char *out, size_t size)
{
    static const char letters[] = "diubs";
    int n = snprintf(out, size, SPAN_FMT, SPAN_ARG(p->name));
    for (size_t i = 0; i < p->tag_count; i++)
        n += snprintf(out + n, size - (size_t)n, " " SPAN_FMT "=" SPAN_FMT,
                      SPAN_ARG(p->tags[i].key), SPAN_ARG(p->tags[i].value));
    for (size_t i = 0; i < p->field_count; i++) {
        const struct line_field *f = &p->fields[i];
        double value = 0;
        (void)line_field_double(f, &value);
        n += snprintf(out + n, size - (size_t)n, " " SPAN_FMT "=%c:", SPAN_ARG(f->key),
                      letters[f->type]);
        if (f->type == LINE_STRING)
            n += snprintf(out + n, size - (size_t)n, SPAN_FMT, SPAN_ARG(f->string));
        else
            n += snprintf(out + n, size - (size_t)n, "%.17g", value);
    }
    if (p->has_time)
        (void)snprintf(out + n, size - (size_t)n, " @%lld", (long long)p->t_ns);
}

static void a_line_is_read_as_it_was_meant(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "cpu_load,cluster=c,hostname=h value=1.5 7", "cpu_load cluster=c hostname=h "
                                                       "value=d:1.5 @7" },
        { "m v=1i", "m v=i:1" },
        { "m v=-0,w=18u,x=t,y=False", "m v=d:-0 w=u:18 x=b:1 y=b:0" },
        { "m s=\"a b,c=d\\\"\" 1", "m s=s:a b,c=d\\\" @1" },
        { "m v=1.7976931348623157e308", "m v=d:1.7976931348623157e+308" },
        { "m v=.5,w=5.,x=+5e-1", "m v=d:0.5 w=d:5 x=d:0.5" },
        { "  m   v=1   5   ", "m v=d:1 @5" },
        { "# a comment\n\r\nm v=1\r\n", "m v=d:1" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct line_point p;
        char got[256] = "";
        line_reader_init(&reader, span_of(cases[i].text), 1, DEFAULT_NS);
        assert_int_equal(line_reader_next(&reader, &p), LINE_POINT);
        print_point(&p, got, sizeof got);
        assert_string_equal(got, cases[i].want);
        assert_int_equal(line_reader_next(&reader, &p), LINE_END);
    }
}

static void a_bad_line_costs_that_line(void **state)
{
    (void)state;
    static const char text[] = "a v=1\n"
                               "b v=x\n"
                               "c v=2\n"
                               "d,t v=1\n"
                               "e v=\"two\nlines\"\n"
                               "f v=\"open\n"
                               "g v=3\n"
                               "h v=1 12 13\n"
                               "i v=4";
    static const struct {
        char name; /* 0: a fault */
        uint64_t line, column;
    } want[] = {
        { 'a', 1, 0 }, { 0, 2, 5 },   { 'c', 3, 0 }, { 0, 4, 3 },    { 'e', 5, 0 },
        { 0, 7, 5 },   { 'g', 8, 0 }, { 0, 9, 10 },  { 'i', 10, 0 },
    };
    struct line_point p;
    line_reader_init(&reader, span_of(text), 1, DEFAULT_NS);
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        enum line_outcome outcome = line_reader_next(&reader, &p);
        assert_int_equal(outcome, want[i].name ? LINE_POINT : LINE_FAULT);
        if (want[i].name) {
            assert_int_equal(*p.name.data, want[i].name);
            assert_int_equal(p.line, want[i].line);
        } else {
            assert_int_equal(reader.fault.line, want[i].line);
            assert_int_equal(reader.fault.column, want[i].column);
            assert_non_null(reader.fault.reason);
        }
    }
    assert_int_equal(line_reader_next(&reader, &p), LINE_END);
}

/* Where a line is bad and what is said of it; a line behind it is read. */
static void a_fault_has_its_place_and_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t column;
        const char *reason;
    } cases[] = {
        { ",a=b v=1", 1, "a measurement cannot begin so" },
        { "m, v=1", 3, "expected a tag after the comma, got white space" },
        { "m,a v=1", 3, "expected '=' after the tag's name" },
        { "m,a,b=c v=1", 3, "expected '=' after the tag's name" },
        { "m,,b=c v=1", 3, "expected a tag or a field" },
        { "m,=b v=1", 3, "a tag without a name" },
        { "m,a= v=1", 5, "a tag without a value" },
        { "m,a=b,c=d,a=e v=1", 11, "a tag that this line has already" },
        { "m,a=b,c=d,c=e v=1", 11, "a tag that this line has already" },
        { "m =1", 3, "a field cannot begin so" },
        { "m v 1", 4, "expected '=' after the field's name" },
        { "m v=x", 5, "a value of no known type" },
        { "m v=true1", 5, "not a bool" },
        { "m v=1.5i", 5, "not a number" },
        { "m v=+-1i", 5, "not a number" },
        { "m v=9223372036854775808i", 5, "a number out of range" },
        { "m v=18446744073709551616u", 5, "a number out of range" },
        { "m v=1\tw=2", 6, "expected a comma or a blank after the field" },
        { "m v=\"a\"w=2", 8, "expected a comma or a blank after the field" },
        { "m v=1 x", 7, "not a time" },
        { "m v=1 9223372036854775808", 7, "a time out of range" },
        { "m v=1 1 2", 9, "text after the time" },
        { "m\xff v=1", 2, "not UTF-8" },
        { "m v=\"\xc3\x28\"", 6, "not UTF-8" },
        { "# a comment\x01", 1, "a control character in a comment" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[128];
        struct line_point p;
        int size = snprintf(text, sizeof text, "%s\nn v=2\n", cases[i].text);
        line_reader_init(&reader, (struct span){ text, (size_t)size }, 1, DEFAULT_NS);
        enum line_outcome outcome = line_reader_next(&reader, &p);
        const struct line_fault *f = &reader.fault;
        if (outcome != LINE_FAULT || f->line != 1 || f->column != cases[i].column ||
            strcmp(f->reason, cases[i].reason) != 0)
            fail_msg("%s: %d, column %llu, %s", cases[i].text, (int)outcome,
                     (unsigned long long)f->column, f->reason ? f->reason : "");
        /* The text is the line and its end: a rejected line is shown to its sender. */
        assert_ptr_equal(f->text.data, text);
        assert_int_equal(f->text.size, strlen(cases[i].text) + 1);
        assert_int_equal(line_reader_next(&reader, &p), LINE_POINT);
        assert_true(span_is(p.name, "n") && p.line == 2);
        assert_int_equal(line_reader_next(&reader, &p), LINE_END);
    }
}

static void a_text_that_ends_too_early_is_a_fault(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t column;
        const char *reason;
    } cases[] = {
        { "m", 2, "expected a field, got the end" },
        { "m,", 3, "expected a tag after the comma, got the end" },
        { "m,a", 3, "expected '=' after the tag's name, got the end" },
        { "m,a=", 5, "a tag without a value" },
        { "m,a=b", 6, "expected a field, got the end" },
        { "m v", 4, "expected '=' after the field's name, got the end" },
        { "m v=", 5, "expected a value, got the end" },
        { "m v=\"a", 5, "a string without its closing quote" },
        { "m v=1,", 7, "expected a field, got the end" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct line_point p;
        line_reader_init(&reader, span_of(cases[i].text), 1, DEFAULT_NS);
        assert_int_equal(line_reader_next(&reader, &p), LINE_FAULT);
        const struct line_fault *f = &reader.fault;
        if (f->column != cases[i].column || strcmp(f->reason, cases[i].reason) != 0)
            fail_msg("%s: column %llu, %s", cases[i].text,
                     (unsigned long long)f->column, f->reason);
        assert_int_equal(line_reader_next(&reader, &p), LINE_END);
        /* With more to come it is none yet. */
        line_reader_init(&reader, span_of(cases[i].text), 1, DEFAULT_NS);
        reader.has_more = true;
        assert_int_equal(line_reader_next(&reader, &p), LINE_MORE);
        assert_ptr_equal(reader.next, cases[i].text);
    }
}

static size_t known_size(void *arg, struct span text)
{
    const char *key = arg;
    return span_starts(text, key) ? strlen(key) : 0;
}

static void a_known_key_is_not_read_again(void **state)
{
    (void)state;
    static char known[] = "m,a=\\,b",
                text[] = "m,a=\\,b  v=1 5\nm,a=\\,c v=2\nm,a=\\,b v=3";
    static const struct {
        const char *key, *name;
        size_t tag_count;
        double value;
        bool is_known, is_escaped;
    } want[] = {
        { "m,a=\\,b", "", 0, 1, true, false },
        { "m,a=\\,c", "m", 1, 2, false, true },
        { "m,a=\\,b", "", 0, 3, true, false },
    };
    struct line_point p;
    line_reader_init(&reader, span_of(text), 1, DEFAULT_NS);
    reader.known = known_size;
    reader.known_arg = known;
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        assert_int_equal(line_reader_next(&reader, &p), LINE_POINT);
        if (!span_is(p.key, want[i].key) || !span_is(p.name, want[i].name) ||
            p.tag_count != want[i].tag_count || p.is_known != want[i].is_known ||
            p.is_escaped != want[i].is_escaped || p.fields[0].number != want[i].value)
            fail_msg("%zu: key " SPAN_FMT ", name " SPAN_FMT ", %zu tags", i,
                     SPAN_ARG(p.key), SPAN_ARG(p.name), p.tag_count);
    }
    assert_int_equal(line_reader_next(&reader, &p), LINE_END);
}

static void more_than_the_limits_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *begin, *each, *end, *reason;
        int most;
    } cases[] = {
        { "m", ",t%d=x", " v=1\n", "too many tags", LINE_TAGS_MAX },
        { "m v=1", ",f%d=1", "\n", "too many fields", LINE_FIELDS_MAX - 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int over = 0; over < 2; over++) {
            static char text[8192];
            int n = snprintf(text, sizeof text, "%s", cases[i].begin);
            for (int k = 0; k < cases[i].most + over; k++) {
                char number[12];
                (void)snprintf(number, sizeof number, "%d", k);
                const char *hole = strchr(cases[i].each, '%');
                n += snprintf(text + n, sizeof text - (size_t)n, "%.*s%s%s",
                              (int)(hole - cases[i].each), cases[i].each, number,
                              hole + 2);
            }
            n += snprintf(text + n, sizeof text - (size_t)n, "%s", cases[i].end);
            struct line_point p;
            line_reader_init(&reader, (struct span){ text, (size_t)n }, 1, DEFAULT_NS);
            assert_int_equal(line_reader_next(&reader, &p),
                             over ? LINE_FAULT : LINE_POINT);
            if (over)
                assert_string_equal(reader.fault.reason, cases[i].reason);
        }
    }
}

/* The line is lost up to its first line end; the lines of its string are read as lines.
 */
static void a_fault_behind_a_string_of_lines_has_its_own_line(void **state)
{
    (void)state;
    static const struct {
        uint64_t line, column; /* of the fault; 0: a point */
    } want[] = { { 4, 10 }, { 3, 5 }, { 4, 11 }, { 5, 0 } };
    struct line_point p;
    line_reader_init(&reader, span_of("\nj v=\"two\nmore\nlines\",w=x\nk v=5"), 1,
                     DEFAULT_NS);
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        bool is_point = line_reader_next(&reader, &p) == LINE_POINT;
        if (is_point != (want[i].column == 0) ||
            (is_point ? p.line : reader.fault.line) != want[i].line ||
            (!is_point && reader.fault.column != want[i].column))
            fail_msg("%zu: line %llu, column %llu", i,
                     (unsigned long long)(is_point ? p.line : reader.fault.line),
                     (unsigned long long)(is_point ? 0 : reader.fault.column));
    }
}

static void a_text_in_pieces_reads_as_one(void **state)
{
    (void)state;
    static const char text[] = "a,t=u v=1 5\nb v=x y\nb v=x yyyyyyyyyyyyyyyyyyyy\n# c\n"
                               "c s=\"x\ny\",w=2 6\nd v=1";
    for (size_t piece = 1; piece < sizeof text; piece++) {
        char buffer[sizeof text], got[64] = "";
        size_t held = 0, taken = 0, n = 0;
        line_reader_init(&reader, (struct span){ buffer, 0 }, 1, DEFAULT_NS);
        for (enum line_outcome outcome = LINE_MORE; outcome != LINE_END;) {
            struct line_point p;
            if (outcome == LINE_MORE) {
                held = (size_t)(reader.end - reader.next);
                memmove(buffer, reader.next, held);
                size_t left = sizeof text - 1 - taken;
                size_t size = piece < left ? piece : left;
                memcpy(buffer + held, text + taken, size);
                taken += size;
                line_reader_refill(&reader, (struct span){ buffer, held + size });
                reader.has_more = taken < sizeof text - 1;
            }
            outcome = line_reader_next(&reader, &p);
            if (outcome == LINE_POINT)
                n += (size_t)snprintf(got + n, sizeof got - n, "%c%zu%llu ",
                                      *p.name.data, p.field_count,
                                      (unsigned long long)p.line);
            if (outcome == LINE_FAULT)
                n += (size_t)snprintf(got + n, sizeof got - n, "!%llu:%llu ",
                                      (unsigned long long)reader.fault.line,
                                      (unsigned long long)reader.fault.column);
        }
        assert_string_equal(got, "a11 !2:5 !3:5 c25 d17 ");
    }
}

static void times_are_of_the_unit_or_told_by_their_size(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t unit_ns, want_ns;
    } cases[] = {
        { "m v=1 1700000000", 1000000000, INT64_C(1700000000000000000) },
        { "m v=1 1700000000", LINE_UNIT_AUTO, INT64_C(1700000000000000000) },
        { "m v=1 1700000000001", LINE_UNIT_AUTO, INT64_C(1700000000001000000) },
        { "m v=1 1700000000000001", LINE_UNIT_AUTO, INT64_C(1700000000000001000) },
        { "m v=1 1700000000000000001", LINE_UNIT_AUTO, INT64_C(1700000000000000001) },
        /* The same instant, as the least number of each unit but seconds. */
        { "m v=1 100000000000", LINE_UNIT_AUTO, INT64_C(100000000000000000) },
        { "m v=1 100000000000000", LINE_UNIT_AUTO, INT64_C(100000000000000000) },
        { "m v=1 100000000000000000", LINE_UNIT_AUTO, INT64_C(100000000000000000) },
        { "m v=1 9223372036", LINE_UNIT_AUTO, INT64_C(9223372036000000000) },
        { "m v=1", 1, DEFAULT_NS },
        { "m v=1", 1000000000, INT64_C(946815194000000000) },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct line_point p;
        line_reader_init(&reader, span_of(cases[i].text), cases[i].unit_ns, DEFAULT_NS);
        assert_int_equal(line_reader_next(&reader, &p), LINE_POINT);
        assert_true(p.t_ns == cases[i].want_ns);
    }
}

/* The greatest number of each unit lies beyond what nanoseconds can hold: it is not the
 * next unit's. */
static void the_greatest_of_a_unit_is_not_of_the_next(void **state)
{
    (void)state;
    static const char *const cases[] = { "m v=1 99999999999", "m v=1 99999999999999",
                                         "m v=1 99999999999999999",
                                         "m v=1 -99999999999" };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct line_point p;
        line_reader_init(&reader, span_of(cases[i]), LINE_UNIT_AUTO, DEFAULT_NS);
        assert_int_equal(line_reader_next(&reader, &p), LINE_FAULT);
        assert_string_equal(reader.fault.reason, "a time out of range");
    }
}

/* What stands behind the text in memory is none of it. */
static void a_backslash_at_the_end_escapes_nothing(void **state)
{
    (void)state;
    static const struct {
        size_t (*unescape)(struct span, char *);
        const char *text, *want;
        size_t size; /* of the text; more stands behind it */
    } cases[] = {
        { string_unescape, "a\\n", "a\\", 2 },
        { string_unescape, "a\\n", "a\n", 3 },
        { string_unescape, "\\\"\\\\x\\q", "\"\\x\\q", 7 },
        { token_unescape, "a\\,", "a\\", 2 },
        { token_unescape, "a\\,", "a,", 3 },
        { token_unescape, "\\=\\ \\n", "= \\n", 6 },
        { measurement_unescape, "a\\ ", "a\\", 2 },
        { measurement_unescape, "a\\ \\=", "a \\=", 5 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char out[16];
        size_t n =
            cases[i].unescape((struct span){ cases[i].text, cases[i].size }, out);
        if (!span_is((struct span){ out, n }, cases[i].want))
            fail_msg("case %zu: '%.*s'", i, (int)n, out);
    }
}

static void a_line_is_at_most_so_long(void **state)
{
    (void)state;
    static char text[LINE_BYTES_MAX + 16];
    for (size_t size = LINE_BYTES_MAX - 1; size <= LINE_BYTES_MAX + 1; size++) {
        struct line_point p;
        /* m s="xxx...x" of that size, and another line. */
        memset(text, 'x', size);
        memcpy(text, "m s=\"", 5);
        memcpy(text + size - 1, "\"\nn v=1\n", 9);
        line_reader_init(&reader, span_of(text), 1, DEFAULT_NS);
        assert_int_equal(line_reader_next(&reader, &p),
                         size <= LINE_BYTES_MAX ? LINE_POINT : LINE_FAULT);
        assert_int_equal(line_reader_next(&reader, &p), LINE_POINT);
        assert_true(span_is(p.name, "n"));
        assert_int_equal(line_reader_next(&reader, &p), LINE_END);
    }
}

static void only_integers_a_double_can_hold_become_one(void **state)
{
    (void)state;
    static const struct {
        struct line_field field;
        int want;
    } cases[] = {
        { { .type = LINE_INT, .integer = INT64_C(1) << 53 }, 0 },
        { { .type = LINE_INT, .integer = (INT64_C(1) << 53) + 1 }, -ERANGE },
        { { .type = LINE_INT, .integer = INT64_MAX }, -ERANGE },
        { { .type = LINE_INT, .integer = INT64_MIN }, 0 },
        { { .type = LINE_UINT, .uinteger = UINT64_MAX }, -ERANGE },
        { { .type = LINE_UINT, .uinteger = UINT64_C(1) << 63 }, 0 },
        { { .type = LINE_STRING }, -EDOM },
        { { .type = LINE_FLOAT, .number = 0.5 }, 0 },
        { { .type = LINE_BOOL, .boolean = true }, 0 },
        { { .type = LINE_BOOL, .boolean = false }, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value;
        assert_int_equal(line_field_double(&cases[i].field, &value), cases[i].want);
    }
}

/* Against strtod, which glibc rounds correctly. */
static void decimals_are_rounded_as_strtod_does(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint64_t bits = seed ^ seed >> 29;
        double value;
        memcpy(&value, &bits, sizeof value);
        static const int digits[] = { 17, 16, 3, 19 };
        if (i & 1)
            value = (double)(int64_t)(bits >> 20) / (double)(1 + (bits & 0xFFFF));
        int n = snprintf(text, sizeof text, "%.*g", digits[bits >> 8 & 3], value);
        if (n >= (int)sizeof text || strpbrk(text, "in"))
            continue;
        double got = 0;
        int rc = decimal_parse(span_of(text), &got);
        double want = strtod(text, NULL);
        if (rc < 0 || memcmp(&got, &want, sizeof got) != 0)
            fail_msg("%s: %d, %.17g, want %.17g", text, rc, got, want);
    }
}

/* The ends of what is computed without strtod, and what is just beyond them. */
static void decimals_at_the_limits_are_rounded_as_strtod_does(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "9007199254740991e22",
        "9007199254740992e22",
        "9007199254740993e22",
        "9007199254740992e23",
        "9007199254740993e-22",
        "9007199254740992e-23",
        "9007199254740993",
        "9007199254740995e1",
        "1e22",
        "1e23",
        "123456789012345678e27",
        "123456789012345678e28",
        "123456789012345678e-27",
        "123456789012345678e-28",
        "1234567890123456789",
        "12345678901234567890",
        "12345678901234567800",
        "1234567890123456789000000000",
        "0.1234567890123456789",
        "0.12345678901234567891",
        "9999999999999999999",
        "99999999999999999999",
        "1000000000000000000",
        "10000000000000000001",
        "0.00000000000000000000000000000000000000012345678901234567890123",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "1.7976931348623157e308",
        "1e-400",
        "0e400",
        "-0e-400",
        "1e100000",
        "1e-100000",
        "0.0000000001e10",
        "1000000000000000000000e-21",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double got = 0, want = strtod(cases[i], NULL);
        int rc = decimal_parse(span_of(cases[i]), &got);
        if (isfinite(want) ? rc < 0 || memcmp(&got, &want, sizeof got) != 0
                           : rc != -ERANGE)
            fail_msg("%s: %d, %.17g, want %.17g", cases[i], rc, got, want);
    }
    /* As long as the copy for strtod may be on the stack, and longer. */
    char text[200];
    for (size_t size = 120; size < 140; size++) {
        memset(text, '0', size);
        memcpy(text, "0.", 2);
        memcpy(text + size - 25, "1234567890123456789012345", 25);
        text[size] = '\0';
        double got = 0, want = strtod(text, NULL);
        text[size] = '7'; /* what stands behind it is none of it */
        assert_int_equal(decimal_parse((struct span){ text, size }, &got), 0);
        assert_memory_equal(&got, &want, sizeof got);
    }
}

static void what_is_no_decimal_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = { "",      ".",    "-",   "1e",    "e1",
                                         "1.2.3", "0x10", "inf", "nan",   "1_0",
                                         "--1",   "1e+",  "1 ",  "1e1.5", "+-1" };
    double value;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(decimal_parse(span_of(cases[i]), &value), -EINVAL);
    assert_int_equal(decimal_parse(SPAN("1e309"), &value), -ERANGE);
    assert_int_equal(decimal_parse(SPAN("1e99999999999"), &value), -ERANGE);
    assert_int_equal(decimal_parse(SPAN("1e-99999999999"), &value), 0);
    assert_true(value == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_read_as_it_was_meant),
        cmocka_unit_test(a_bad_line_costs_that_line),
        cmocka_unit_test(a_fault_has_its_place_and_its_reason),
        cmocka_unit_test(a_text_that_ends_too_early_is_a_fault),
        cmocka_unit_test(a_known_key_is_not_read_again),
        cmocka_unit_test(more_than_the_limits_is_refused),
        cmocka_unit_test(a_fault_behind_a_string_of_lines_has_its_own_line),
        cmocka_unit_test(a_text_in_pieces_reads_as_one),
        cmocka_unit_test(times_are_of_the_unit_or_told_by_their_size),
        cmocka_unit_test(the_greatest_of_a_unit_is_not_of_the_next),
        cmocka_unit_test(a_backslash_at_the_end_escapes_nothing),
        cmocka_unit_test(a_line_is_at_most_so_long),
        cmocka_unit_test(only_integers_a_double_can_hold_become_one),
        cmocka_unit_test(decimals_are_rounded_as_strtod_does),
        cmocka_unit_test(decimals_at_the_limits_are_rounded_as_strtod_does),
        cmocka_unit_test(what_is_no_decimal_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
