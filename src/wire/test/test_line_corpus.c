/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_corpus - the shared corpus of line protocol: every case as recorded. */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "wire/line_protocol.h"
#include "wire/line_value.h"

#include <jansson.h>
#include <openssl/evp.h>

#define CASES_MIN 3308
#define TEXT_MAX 65536
#define FILE_MAX (16u << 20)

/* Every case is taken or refused as recorded.  Of the refused ones, so many are refused
 * at another place of the line, on purpose: doc/formats/line-protocol.md says why. */
#define PLACES_MAX 122

static const char *const places[] = {
    "../shared/data/metric-store/influx-line-protocol/corpus.json",
    "../../shared/data/metric-store/influx-line-protocol/corpus.json",
};

struct decoded {
    char text[TEXT_MAX];
    size_t size;
};

/* A JSON value that is text, or { "binary": base64 }. */
static void decode_text(const json_t *value, struct decoded *ret)
{
    const json_t *binary = json_object_get(value, "binary");
    if (!binary) {
        ret->size = json_string_length(value);
        assert_true(json_is_string(value) && ret->size < sizeof ret->text);
        memcpy(ret->text, json_string_value(value), ret->size);
        return;
    }
    size_t size = json_string_length(binary);
    const char *text = json_string_value(binary);
    assert_true(size < sizeof ret->text);
    int n = EVP_DecodeBlock((unsigned char *)ret->text, (const unsigned char *)text,
                            (int)size);
    assert_true(n >= 0);
    ret->size = (size_t)n;
    while (size > 0 && text[--size] == '=')
        ret->size--;
}

static bool text_is(const json_t *want, struct span got)
{
    static struct decoded w;
    decode_text(want, &w);
    return span_eq((struct span){ w.text, w.size }, got);
}

static bool token_is(const json_t *want, struct span got,
                     size_t (*unescape)(struct span, char *))
{
    static char out[TEXT_MAX];
    assert_true(got.size <= sizeof out);
    return text_is(want, (struct span){ out, unescape(got, out) });
}

static bool value_is(const json_t *want, const struct line_field *f)
{
    const json_t *v;
    if ((v = json_object_get(want, "string")))
        return f->type == LINE_STRING && token_is(v, f->string, string_unescape);
    if ((v = json_object_get(want, "bool")))
        return f->type == LINE_BOOL && json_is_true(v) == f->boolean;
    if ((v = json_object_get(want, "int")))
        return f->type == LINE_INT && json_integer_value(v) == f->integer;
    if ((v = json_object_get(want, "float")))
        return f->type == LINE_FLOAT && json_number_value(v) == f->number;
    v = json_object_get(want, "uint"); /* above INT64_MAX the file has a double */
    return v && f->type == LINE_UINT && json_number_value(v) == (double)f->uinteger;
}

static const struct line_tag *find_tag(const struct line_point *p, const json_t *key)
{
    for (size_t i = 0; i < p->tag_count; i++) {
        if (token_is(key, p->tags[i].key, token_unescape))
            return &p->tags[i];
    }
    return NULL;
}

static bool point_is(const json_t *want, const struct line_point *p)
{
    const json_t *tags = json_object_get(want, "tags");
    const json_t *fields = json_object_get(want, "fields");
    if (!token_is(json_object_get(want, "name"), p->name, measurement_unescape) ||
        json_integer_value(json_object_get(want, "time")) != p->t_ns ||
        json_array_size(tags) != p->tag_count ||
        json_array_size(fields) != p->field_count)
        return false;
    size_t i;
    json_t *item;
    json_array_foreach(tags, i, item)
    {
        const struct line_tag *tag = find_tag(p, json_object_get(item, "key"));
        if (!tag ||
            !token_is(json_object_get(item, "value"), tag->value, token_unescape))
            return false;
    }
    json_array_foreach(fields, i, item)
    {
        if (!token_is(json_object_get(item, "key"), p->fields[i].key, token_unescape) ||
            !value_is(json_object_get(item, "value"), &p->fields[i]))
            return false;
    }
    return true;
}

static int64_t unit_of(const char *precision)
{
    if (strcmp(precision, "1ns") == 0)
        return 1;
    if (strcmp(precision, "1s") == 0)
        return INT64_C(1000000000);
    return strcmp(precision, "1ms") == 0 ? 1000000 : 1000;
}

/* Recorded errors name their place as "at line 1:18", most of them. */
static bool place_is(const json_t *output, const struct line_fault *fault)
{
    char place[48];
    const char *error = json_string_value(json_object_get(output, "error"));
    (void)snprintf(place, sizeof place,
                   "at line %llu:%llu:", (unsigned long long)fault->line,
                   (unsigned long long)fault->column);
    return !strstr(error, "at line ") || strstr(error, place);
}

/* The recorded decoder gives up at its first error; so does this look. */
static bool case_holds(const json_t *row, char *note, size_t note_size,
                       size_t *elsewhere)
{
    static struct decoded text;
    static struct line_reader reader;
    const json_t *input = json_object_get(row, "input");
    const json_t *output = json_object_get(row, "output");
    const json_t *result = json_object_get(output, "result");
    decode_text(json_object_get(input, "text"), &text);
    line_reader_init(&reader, (struct span){ text.text, text.size },
                     unit_of(json_string_value(json_object_get(input, "precision"))),
                     json_integer_value(json_object_get(input, "defaultTime")));
    struct line_point p;
    enum line_outcome outcome;
    size_t count = 0;
    while ((outcome = line_reader_next(&reader, &p)) == LINE_POINT) {
        if (result && !point_is(json_array_get(result, count), &p)) {
            (void)snprintf(note, note_size, "point %zu differs", count);
            return false;
        }
        count++;
    }
    if (outcome == LINE_FAULT)
        (void)snprintf(note, note_size, "%llu:%llu: %s",
                       (unsigned long long)reader.fault.line,
                       (unsigned long long)reader.fault.column, reader.fault.reason);
    else
        (void)snprintf(note, note_size, "no fault, %zu points", count);
    if (result)
        return outcome == LINE_END && count == json_array_size(result);
    *elsewhere += outcome == LINE_FAULT && !place_is(output, &reader.fault);
    return outcome == LINE_FAULT;
}

/* jansson has no integers above INT64_MAX; as a double the largest will do. */
static json_t *load_corpus(struct strbuf *text)
{
    static const char large[] = "18446744073709551615", real[] = "184467440737095516e2";
    for (size_t i = 0; text->size == 0 && i < COUNT_OF(places); i++)
        (void)file_read(places[i], FILE_MAX, text, NULL);
    for (char *p = text->data; p && (p = strstr(p, large)); p += sizeof real - 1) {
        if (p[-1] == ' ' || p[-1] == ':') /* else it is part of a text */
            memcpy(p, real, sizeof real - 1);
    }
    return text->size ? json_loadb(text->data, text->size, JSON_ALLOW_NUL, NULL) : NULL;
}

static void every_case_is_as_recorded(void **state)
{
    (void)state;
    struct strbuf text = STRBUF_INIT;
    json_t *corpus = load_corpus(&text);
    if (!corpus) {
        strbuf_done(&text);
        skip();
    }
    const char *key;
    json_t *row;
    size_t cases = 0, wrong = 0, elsewhere = 0;
    json_object_foreach(json_object_get(corpus, "decode"), key, row)
    {
        char note[128] = "";
        if (!case_holds(row, note, sizeof note, &elsewhere)) {
            char *dump = json_dumps(row, JSON_COMPACT);
            print_message("# %s: %s\n#   %.400s\n", key, note, dump);
            free(dump);
            wrong++;
        }
        cases++;
    }
    json_decref(corpus);
    strbuf_done(&text); /* before the assertions, which leave by longjmp */
    print_message("# %zu cases, %zu refused elsewhere in the line\n", cases, elsewhere);
    assert_true(cases >= CASES_MIN);
    assert_int_equal(wrong, 0);
    assert_true(elsewhere <= PLACES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_as_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
