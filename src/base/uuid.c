/* SPDX-License-Identifier: Apache-2.0 */
/* uuid - RFC 4122 identifiers. */
#include "base/uuid.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

static void set_version(struct uuid *uuid, unsigned version)
{
    uuid->bytes[6] = (uint8_t)((uuid->bytes[6] & 0x0f) | version << 4);
    uuid->bytes[8] = (uint8_t)((uuid->bytes[8] & 0x3f) | 0x80);
}

int uuid_new(struct uuid *ret)
{
    struct uuid uuid;
    if (RAND_bytes(uuid.bytes, sizeof uuid.bytes) != 1)
        return -EIO;
    set_version(&uuid, 4);
    *ret = uuid;
    return 0;
}

int uuid_v5(const struct uuid *ns, struct span name, struct span name_rest,
            struct uuid *ret)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool good = md && EVP_DigestInit_ex(md, EVP_sha1(), NULL) == 1 &&
                EVP_DigestUpdate(md, ns->bytes, sizeof ns->bytes) == 1 &&
                EVP_DigestUpdate(md, name.data, name.size) == 1 &&
                EVP_DigestUpdate(md, name_rest.data, name_rest.size) == 1 &&
                EVP_DigestFinal_ex(md, digest, NULL) == 1;
    EVP_MD_CTX_free(md);
    if (!good)
        return -EIO;
    struct uuid uuid;
    memcpy(uuid.bytes, digest, sizeof uuid.bytes);
    set_version(&uuid, 5);
    *ret = uuid;
    return 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool dash_follows(size_t byte)
{
    return byte == 3 || byte == 5 || byte == 7 || byte == 9;
}

int uuid_parse(struct span text, struct uuid *ret)
{
    struct uuid uuid;
    if (text.size != UUID_TEXT_SIZE - 1)
        return -EINVAL;
    const char *at = text.data;
    for (size_t i = 0; i < sizeof uuid.bytes; i++) {
        int high = hex_digit(*at++);
        int low = hex_digit(*at++);
        if (high < 0 || low < 0 || (dash_follows(i) && *at++ != '-'))
            return -EINVAL;
        uuid.bytes[i] = (uint8_t)(high << 4 | low);
    }
    *ret = uuid;
    return 0;
}

void uuid_print(char out[static UUID_TEXT_SIZE], const struct uuid *uuid)
{
    static const char digits[] = "0123456789abcdef";
    char *at = out;
    for (size_t i = 0; i < sizeof uuid->bytes; i++) {
        *at++ = digits[uuid->bytes[i] >> 4];
        *at++ = digits[uuid->bytes[i] & 0x0f];
        if (dash_follows(i))
            *at++ = '-';
    }
    *at = '\0';
}
