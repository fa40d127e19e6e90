/* SPDX-License-Identifier: Apache-2.0 */
/* json_reader - JSON taken in as it arrives, piece by piece, without building a tree.
 *
 *     feed("{\"a\": [1, 2") feed("3]}") finish()
 *     events: OBJECT  KEY a  ARRAY  NUMBER 1  NUMBER 23  ARRAY_END  OBJECT_END
 *
 * Strict RFC 8259: one value, no comments, no trailing commas, UTF-8 checked, duplicate
 * keys left to the caller.  A token that lies across two pieces is buffered; it may
 * be token_bytes_max long.  Numbers arrive as their text, so that 64 bits stay 64 bits.
 */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdint.h>

enum json_event {
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY,    /* text: decoded */
    JSON_STRING, /* text: decoded */
    JSON_NUMBER, /* text: as written */
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
};

/* text is valid during the call only.  depth is 0 for the outermost value and one more
 * for what stands inside; a KEY has the depth of its object, its value one more:
 *     {        "a" : 1        ,  "b" : [ 2 ]    }
 *     OBJECT 0 KEY 0 NUMBER 1    KEY 0 ARRAY 1 NUMBER 2 ARRAY_END 1 OBJECT_END 0
 * A negative return ends the reading and is returned by feed(). */
typedef int json_event_fn(void *arg, enum json_event event, struct span text,
                          unsigned depth);

struct json_reader_opts {
    unsigned depth_max;     /* 1 .. 64; 0 means 32 */
    size_t token_bytes_max; /* 0 means 64 KiB */
};

struct json_reader {
    json_event_fn *fn;
    void *arg;
    unsigned depth_max;
    size_t token_bytes_max;
    unsigned state;
    unsigned depth;
    uint64_t is_object; /* bit n: the container at depth n is an object */
    struct strbuf token;
    unsigned unicode_digits; /* of \uXXXX: how many are still due */
    unsigned unicode_code;
    unsigned surrogate; /* the high half that waits for its low one; 0: none */
    bool token_is_key;
    uint64_t offset; /* bytes taken so far */
    uint64_t line;   /* from 1 */
};

void json_reader_init(struct json_reader *r, const struct json_reader_opts *opts,
                      json_event_fn *fn, void *arg);
void json_reader_done(struct json_reader *r);
DEFINE_AUTO_DONE(struct json_reader, json_reader_done);

/* Errors: -EBADMSG (not JSON, or too deep: err names byte and reason), -EMSGSIZE (a
 * token over the limit), -ENOMEM, or what fn returned.  After an error only _done is
 * legal. */
int json_reader_feed(struct json_reader *r, const void *data, size_t size,
                     struct err *err);
/* The text has ended.  Errors: -EBADMSG (cut off). */
int json_reader_finish(struct json_reader *r, struct err *err);

/* All of it at once. */
int json_read(struct span text, json_event_fn *fn, void *arg, struct err *err);

#endif
