/* SPDX-License-Identifier: Apache-2.0 */
/* token_key_file - a new key pair in two files. */
#include "net/token/token_key_file.h"

#include "base/file.h"
#include "net/token/access_token.h"

#include <string.h>
#include <unistd.h>

enum { PRIVATE_MODE = 0600, PUBLIC_MODE = 0644 };

static int write_new_file(const char *path, const struct strbuf *text, mode_t mode,
                          struct err *err)
{
    /* A key that is replaced by accident makes every token of the site worthless. */
    if (access(path, F_OK) == 0)
        return err_set(err, EEXIST, "'%s' exists: remove it first, if you mean to",
                       path);
    return file_replace(path, text->data, text->size, mode, err);
}

int token_key_create(const char *path, struct err *err)
{
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(strbuf_done) struct strbuf private = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf public = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf public_path = STRBUF_INIT;
    strbuf_addf(&public_path, "%s.pub", path);
    int rc = token_key_new(&key, err);
    if (rc < 0)
        return rc;
    if (token_key_print_private(key, &private) < 0 ||
        token_key_print_public(key, &public) < 0 || strbuf_error(&public_path) < 0)
        return err_set(err, EIO, "the key could not be written as text");
    rc = write_new_file(strbuf_text(&public_path), &public, PUBLIC_MODE, err);
    if (rc == 0)
        rc = write_new_file(path, &private, PRIVATE_MODE, err);
    explicit_bzero(private.data, private.size);
    return rc;
}
