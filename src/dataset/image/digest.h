/* SPDX-License-Identifier: Apache-2.0 */
/* digest - SHA-256 of bytes, whole or in pieces, and its text. */
#ifndef DATASET_IMAGE_DIGEST_H
#define DATASET_IMAGE_DIGEST_H

#include "base/cleanup.h"
#include "base/span_type.h"

#include <stdint.h>

#define DIGEST_SIZE 32
#define DIGEST_TEXT_SIZE 65 /* with its NUL */

struct digest {
    uint8_t bytes[DIGEST_SIZE];
};

struct digest_sum; /* in progress */

/* Errors: -ENOMEM (also where libcrypto has none). */
int digest_sum_new(struct digest_sum **ret);
void digest_sum_free(struct digest_sum *sum);
DEFINE_AUTO(struct digest_sum, digest_sum_free);
void digest_sum_add(struct digest_sum *sum, const void *data, size_t size);
/* The sum so far, after which it is empty again.  Errors: -ENOMEM. */
int digest_sum_end(struct digest_sum *sum, struct digest *ret);

int digest_of(const void *data, size_t size, struct digest *ret);
bool digest_eq(const struct digest *a, const struct digest *b);
void digest_print(const struct digest *digest, char text[static DIGEST_TEXT_SIZE]);
/* 64 digits in lower case.  Errors: -EINVAL. */
int digest_parse(struct span text, struct digest *ret);

#endif
