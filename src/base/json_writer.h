/* SPDX-License-Identifier: Apache-2.0 */
/* json_writer - JSON onto a strbuf, with the commas in the right places.
 *
 * Counters are printed as integers of 64 bits, never through a double.  Text that is
 * not UTF-8 is written with U+FFFD for each bad byte: whoever must keep bytes writes
 * their text form (model/entry_id) first.
 */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

#define JSON_DEPTH_MAX 32

struct json_writer {
    struct strbuf *out;
    unsigned depth;
    bool has_member[JSON_DEPTH_MAX + 1]; /* a comma is due before the next one */
    bool after_key;
};

void json_writer_init(struct json_writer *w, struct strbuf *out);

void json_object(struct json_writer *w);
void json_object_end(struct json_writer *w);
void json_array(struct json_writer *w);
void json_array_end(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);
void json_key_span(struct json_writer *w, struct span key);

void json_null(struct json_writer *w);
void json_bool(struct json_writer *w, bool value);
void json_u64(struct json_writer *w, uint64_t value);
void json_i64(struct json_writer *w, int64_t value);
/* Shortest text that reads back as the same double; null for NaN and infinities. */
void json_double(struct json_writer *w, double value);
void json_text(struct json_writer *w, const char *value); /* NULL writes null */
void json_span(struct json_writer *w, struct span value);
/* RFC 3339 with milliseconds; seconds with decimals as a number. */
void json_time_ms(struct json_writer *w, int64_t t_ms);
void json_seconds(struct json_writer *w, int64_t t_ns);
/* A JSON string that can stand within HTML, spelled as Go's encoder does it: < > & and
 * the line separators of Unicode are escaped, DEL is not. */
void json_add_html_safe(struct strbuf *out, struct span text);
/* Something that is JSON already. */
void json_raw(struct json_writer *w, struct span json);

#endif
