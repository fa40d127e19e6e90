/* SPDX-License-Identifier: Apache-2.0 */
/* token_key_new - baro token key new: the key pair that signs a site's tokens. */
#include "cmd/commands.h"
#include "net/net.h"

static int token_key_new_run(void *args, int operand_count, char **operands)
{
    (void)args;
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro token key new: name the FILE for the private key\n");
        return EXIT_USAGE;
    }
    int rc = token_key_create(operands[0], &err);
    if (rc < 0) {
        fprintf(stderr, "baro token key new: %s\n", err.text);
        return err_exit_status(rc);
    }
    printf("%s: signs tokens; only administrators may read it\n"
           "%s.pub: checks them; give it to barod as \"key\" in [net]\n",
           operands[0], operands[0]);
    return EXIT_OK;
}

const struct command cmd_token_key_new = {
    .name = "token key new",
    .operands = "FILE",
    .help = "Make the key pair that signs tokens: FILE and FILE.pub.",
    .run = token_key_new_run,
};
