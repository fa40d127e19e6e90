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

int session_key_draw(struct session_key *ret)
{
    return RAND_bytes(ret->bytes, sizeof ret->bytes) == 1 ? 0 : -EIO;
}

void session_key_print(const struct session_key *key, struct strbuf *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof key->bytes; i++) {
        strbuf_addc(out, digits[key->bytes[i] >> 4]);
        strbuf_addc(out, digits[key->bytes[i] & 0xf]);
    }
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int session_key_parse(struct span text, struct session_key *ret)
{
    if (text.size != KEY_DIGITS)
        return -EINVAL;
    for (size_t i = 0; i < sizeof ret->bytes; i++) {
        int high = digit_value(text.data[2 * i]),
            low = digit_value(text.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return -EINVAL;
        ret->bytes[i] = (uint8_t)((unsigned)high << 4 | (unsigned)low);
    }
    return 0;
}

int session_key_create(const char *path, struct err *err)
{
    AUTO(session_key_done) struct session_key key;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (session_key_draw(&key) < 0)
        return err_set(err, EIO, "'%s': there are no random bytes", path);
    int rc = strbuf_reserve(&text, KEY_DIGITS + 1); /* no copy is left behind */
    if (rc < 0)
        return rc;
    session_key_print(&key, &text);
    rc = secret_create(path, strbuf_span(&text), err);
    OPENSSL_cleanse(text.data, text.size);
    return rc;
}

int session_key_read(const char *path, struct session_key *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf buf = STRBUF_INIT;
    int rc = secret_read(path, 4096, &buf, err);
    if (rc < 0)
        return rc;
    bool is_key = session_key_parse(span_trim(strbuf_span(&buf)), ret) == 0;
    OPENSSL_cleanse(buf.data, buf.size);
    return is_key ? 0
                  : err_set(err, EINVAL,
                            "'%s' is not a session's key: make one with 'baro session "
                            "keygen'",
                            path);
}
