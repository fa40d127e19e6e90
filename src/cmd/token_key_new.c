/* SPDX-License-Identifier: Apache-2.0 */
/* token_key_new - baro token key new: the key pair that signs a site's tokens. */
#include "base/file.h"
#include "cmd/commands.h"
#include "net/net.h"

enum { PRIVATE_MODE = 0600, PUBLIC_MODE = 0644 };

static int write_new(const char *path, const struct strbuf *text, mode_t mode,
                     struct err *err)
{
    /* A key that is replaced by accident makes every token of the site worthless. */
    if (access(path, F_OK) == 0)
        return err_set(err, EEXIST, "'%s' exists: remove it first, if you mean to",
                       path);
    return file_replace(path, text->data, text->size, mode, err);
}

static int make(const char *path, struct err *err)
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
    rc = write_new(strbuf_text(&public_path), &public, PUBLIC_MODE, err);
    if (rc == 0)
        rc = write_new(path, &private, PRIVATE_MODE, err);
    explicit_bzero(private.data, private.size);
    return rc;
}

static int run(void *args, int operand_count, char **operands)
{
    (void)args;
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro token key new: name the FILE for the private key\n");
        return EXIT_USAGE;
    }
    int rc = make(operands[0], &err);
    if (rc < 0) {
        fprintf(stderr, "baro token key new: %s\n", err.text);
        return EXIT_FAILED;
    }
    printf("%s: signs tokens; keep it where only administrators read\n"
           "%s.pub: checks them; give it to barod as \"key\" in [net]\n",
           operands[0], operands[0]);
    return EXIT_OK;
}

const struct command cmd_token_key_new = {
    .name = "token key new",
    .operands = "FILE",
    .help = "Make the key pair that signs tokens: FILE and FILE.pub.",
    .run = run,
};
