/* SPDX-License-Identifier: Apache-2.0 */
/* batch_response - what barod reports of a batch of rows: how many it stored, had
 * already or refused, and why.
 *
 *     {"accepted":4997,"duplicate":1,"refused":2,"replayed":false,
 *      "errors":[{"entry":17,"reason":"read: sum is not a count of 64 bits"}]}
 *
 * Threads  any: nothing is remembered.
 */
#ifndef WIRE_BATCH_RESPONSE_H
#define WIRE_BATCH_RESPONSE_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BATCH_RESPONSE_ERRORS_MAX = 10 };

struct batch_error {
    uint64_t entry; /* index over the whole batch, from 0 */
    char reason[120];
};

struct batch_response {
    uint64_t accepted;  /* rows that are new, and durable */
    uint64_t duplicate; /* rows whose key was there: the first write wins */
    uint64_t refused;   /* entries that are not stored, here or ever */
    bool replayed;      /* the batch was known: this is the first response, again */
    size_t error_count;
    struct batch_error errors[BATCH_RESPONSE_ERRORS_MAX]; /* the first of the refused */
};

/* Append the JSON text to out; a failure of its memory is out's. */
void batch_response_print(const struct batch_response *response, struct strbuf *out);

/* A reason that is too long is cut, errors beyond the first ten are passed over, and so
 * are members that this version does not know.  Errors: -EBADMSG (not JSON, or not such
 * a response: "accepted" is missing or no count of 64 bits), -EMSGSIZE (a token over
 * 64 KiB), -ENOMEM; then *ret is untouched. */
int batch_response_parse(struct span text, struct batch_response *ret, struct err *err);

#endif
