/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_token - what comes in an Authorization header, and the list of revoked ids.
 *
 * An even first byte: the rest is a token's text.  An odd one: the rest is a payload
 * that is put into base64url with a signature of zeros, so that the reader of the
 * payload is reached; then the list.
 */
#include "net/token/token.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

#include <errno.h>

static const struct token_key *key(void)
{
    static struct token_key *made; /* for the life of the process */
    if (!made)
        fuzz_check(token_key_new(&made, NULL) == 0);
    return made;
}

static void check_token(struct span text)
{
    struct token token;
    struct err err = { 0 };
    fuzz_check(token_verify(key(), text, 1669014000, &token, &err) < 0);
    fuzz_check(err.text[0] != '\0');
    if (token_parse(text, &token, &err) < 0)
        return;
    fuzz_check(token.target_count <= TOKEN_TARGETS_MAX);
    fuzz_check(memchr(token.host, 0, sizeof token.host) != NULL);
    fuzz_check(memchr(token.id, 0, sizeof token.id) != NULL);
    (void)token_may_target(&token, SPAN("scratch-OST0001"));

    /* Signed by us it is believed, and says the same. */
    AUTO(strbuf_done) struct strbuf ours = STRBUF_INIT;
    struct token back;
    if (token_sign(key(), &token, &ours, NULL) < 0)
        return;
    fuzz_check(token_parse(strbuf_span(&ours), &back, &err) == 0);
    fuzz_check(back.role == token.role && strcmp(back.host, token.host) == 0 &&
               back.target_count == token.target_count &&
               back.expires_s == token.expires_s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct span rest = { (const char *)data + 1, size - 1 };
    if (!(data[0] & 1)) {
        check_token(rest);
        return 0;
    }
    static const char zeros[64];
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    base64_print(&text, rest);
    strbuf_addc(&text, '.');
    base64_print(&text, (struct span){ zeros, sizeof zeros });
    fuzz_check(strbuf_error(&text) == 0);
    check_token(strbuf_span(&text));

    AUTO(hashmap_done) struct hashmap revoked = { 0 };
    (void)token_revoked_parse(rest, &revoked, NULL);
    return 0;
}
