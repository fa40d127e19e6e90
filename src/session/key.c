/* SPDX-License-Identifier: Apache-2.0 */
/* key - the session's key: 32 bytes drawn at random, as 64 digits in a file. */
#include "session/key.h"

#include "base/span.h"
#include "base/strbuf.h"
#include "base/system/secret.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#define KEY_DIGITS (2 * SESSION_KEY_BYTES)

void session_key_done(struct session_key *key)
{
    OPENSSL_cleanse(key, sizeof *key);
}

int session_key_create(const char *path, struct err *err)
{
    static const char digits[] = "0123456789abcdef";
    AUTO(session_key_done) struct session_key key;
    char text[KEY_DIGITS];
    if (RAND_bytes(key.bytes, sizeof key.bytes) != 1)
        return err_set(err, EIO, "'%s': there are no random bytes", path);
    for (size_t i = 0; i < sizeof key.bytes; i++) {
        text[2 * i] = digits[key.bytes[i] >> 4];
        text[2 * i + 1] = digits[key.bytes[i] & 0xf];
    }
    int rc = secret_create(path, (struct span){ text, sizeof text }, err);
    OPENSSL_cleanse(text, sizeof text);
    return rc;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int session_key_read(const char *path, struct session_key *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf buf = STRBUF_INIT;
    int rc = secret_read(path, 4096, &buf, err);
    if (rc < 0)
        return rc;
    struct span text = span_trim(strbuf_span(&buf));
    bool is_key = text.size == KEY_DIGITS;
    for (size_t i = 0; is_key && i < sizeof ret->bytes; i++) {
        int high = digit_value(text.data[2 * i]),
            low = digit_value(text.data[2 * i + 1]);
        is_key = high >= 0 && low >= 0;
        if (is_key)
            ret->bytes[i] = (uint8_t)((unsigned)high << 4 | (unsigned)low);
    }
    OPENSSL_cleanse(buf.data, buf.size);
    return is_key ? 0
                  : err_set(err, EINVAL,
                            "'%s' is not a session's key: make one with 'baro session "
                            "keygen'",
                            path);
}
