/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_json - the JSON reader and writer: what is read, written again, reads the same.
 *
 * The first byte is the size of the pieces.
 */
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

static int write_again(void *arg, enum json_event event, struct span text,
                       unsigned depth)
{
    struct json_writer *w = arg;
    fuzz_check(depth <= JSON_DEPTH_MAX); /* a value in the innermost container */
    switch (event) {
    case JSON_OBJECT:
        json_object(w);
        break;
    case JSON_OBJECT_END:
        json_object_end(w);
        break;
    case JSON_ARRAY:
        json_array(w);
        break;
    case JSON_ARRAY_END:
        json_array_end(w);
        break;
    case JSON_KEY:
        json_key_span(w, text);
        break;
    case JSON_STRING:
        json_span(w, text);
        break;
    case JSON_NUMBER:
        json_raw(w, text);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_bool(w, event == JSON_TRUE);
        break;
    case JSON_NULL:
        json_null(w);
        break;
    }
    return 0;
}

static int read_in_pieces(const char *data, size_t size, size_t piece,
                          struct strbuf *out)
{
    AUTO(json_reader_done) struct json_reader reader;
    struct json_writer w;
    struct err err = { 0 };
    int rc = 0;
    json_writer_init(&w, out);
    json_reader_init(&reader, NULL, write_again, &w);
    for (size_t at = 0; rc == 0 && at < size; at += piece) {
        size_t n = size - at < piece ? size - at : piece;
        rc = json_reader_feed(&reader, data + at, n, &err);
    }
    if (rc == 0)
        rc = json_reader_finish(&reader, &err);
    fuzz_check(rc == 0 || err.text[0] != '\0');
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf pieces = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    const char *text = (const char *)data + 1;
    int rc = read_in_pieces(text, size - 1, SIZE_MAX / 2, &whole);
    int rc_pieces = read_in_pieces(text, size - 1, (size_t)data[0] + 1, &pieces);
    fuzz_check(rc == rc_pieces);
    if (rc < 0)
        return 0;
    fuzz_check(span_eq(strbuf_span(&whole), strbuf_span(&pieces)));
    fuzz_check(read_in_pieces(whole.data, whole.size, 1, &again) == 0);
    fuzz_check(span_eq(strbuf_span(&whole), strbuf_span(&again)));
    return 0;
}
