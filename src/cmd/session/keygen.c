/* SPDX-License-Identifier: Apache-2.0 */
/* keygen - baro session keygen: the key that admits nodes to a session. */
#include "cmd/commands.h"
#include "session/session.h"

static int session_keygen_run(void *args, int operand_count, char **operands)
{
    (void)args;
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro session keygen: name the FILE for the key\n");
        return EXIT_USAGE;
    }
    int rc = session_key_create(operands[0], &err);
    if (rc < 0) {
        fprintf(stderr, "baro session keygen: %s\n", err.text);
        return err_exit_status(rc);
    }
    printf("%s: admits to the session; copy it to every node, readable by its agent "
           "alone\n",
           operands[0]);
    return EXIT_OK;
}

const struct command cmd_session_keygen = {
    .name = "session keygen",
    .operands = "FILE",
    .help = "Make the key that admits nodes to a session.",
    .run = session_keygen_run,
};
