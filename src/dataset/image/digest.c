/* SPDX-License-Identifier: Apache-2.0 */
/* digest - SHA-256 of bytes, whole or in pieces. */
#include "dataset/image/digest.h"

#include "base/cleanup.h"
#include "base/err.h"

#include <openssl/evp.h>

struct digest_sum {
    EVP_MD_CTX *context;
    bool is_bad;
};

static void sum_begin(struct digest_sum *sum)
{
    sum->is_bad = EVP_DigestInit_ex(sum->context, EVP_sha256(), NULL) != 1;
}

int digest_sum_new(struct digest_sum **ret)
{
    AUTO(digest_sum_free) struct digest_sum *sum = calloc(1, sizeof *sum);
    if (!sum)
        return -ENOMEM;
    sum->context = EVP_MD_CTX_new();
    if (!sum->context)
        return -ENOMEM;
    sum_begin(sum);
    if (sum->is_bad)
        return -ENOMEM;
    *ret = TAKE(sum);
    return 0;
}

void digest_sum_free(struct digest_sum *sum)
{
    if (!sum)
        return;
    EVP_MD_CTX_free(sum->context);
    free(sum);
}

void digest_sum_add(struct digest_sum *sum, const void *data, size_t size)
{
    if (EVP_DigestUpdate(sum->context, data, size) != 1)
        sum->is_bad = true;
}

int digest_sum_end(struct digest_sum *sum, struct digest *ret)
{
    struct digest made;
    bool is_bad =
        sum->is_bad || EVP_DigestFinal_ex(sum->context, made.bytes, NULL) != 1;
    sum_begin(sum);
    if (is_bad)
        return -ENOMEM;
    *ret = made;
    return 0;
}

int digest_of(const void *data, size_t size, struct digest *ret)
{
    struct digest made;
    if (EVP_Digest(data, size, made.bytes, NULL, EVP_sha256(), NULL) != 1)
        return -ENOMEM;
    *ret = made;
    return 0;
}
