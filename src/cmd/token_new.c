/* SPDX-License-Identifier: Apache-2.0 */
/* token_new - baro token new: a signed token for a program or a person. */
#include "base/clock.h"
#include "base/number.h"
#include "base/system/secret.h"
#include "cmd/commands.h"
#include "net/net.h"

struct token_new_args {
    const char *role;
    const char *host;
    const char *cluster;
    struct option_list targets;
    const char *user;
    struct option_list accounts;
    const char *node_key;
    int64_t expires_ns;
    const char *key;
    const char *output;
};

static const struct option token_new_options[] = {
    { "role", 'r', OPTION_TEXT, offsetof(struct token_new_args, role),
      "agent|reader|scheduler|user|manager|support|api|admin|node",
      "Permissions granted by the token; of a node: its name and key in a session." },
    { "host", 'H', OPTION_TEXT, offsetof(struct token_new_args, host), "HOST",
      "The host whose observations an agent may send; the node's name in sessions." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct token_new_args, cluster), "CLUSTER",
      "The cluster whose metrics and jobs the bearer may write; of users: see." },
    { "targets", 't', OPTION_LIST, offsetof(struct token_new_args, targets), "PATTERN",
      "The targets an agent may send; may be repeated; default: every one." },
    { "user", 'u', OPTION_TEXT, offsetof(struct token_new_args, user), "USER",
      "The user whose jobs a user or manager sees, as the batch system names them." },
    { "account", 'a', OPTION_LIST, offsetof(struct token_new_args, accounts), "ACCOUNT",
      "An account whose jobs a manager sees; may be repeated." },
    { "node-key", 'n', OPTION_TEXT, offsetof(struct token_new_args, node_key), "FILE",
      "The public key of the node: session.identity_key, with .pub." },
    { "expires", 'e', OPTION_DURATION, offsetof(struct token_new_args, expires_ns),
      "DURATION", "How long the token is valid; default 365d." },
    { "output", 'o', OPTION_TEXT, offsetof(struct token_new_args, output), "FILE",
      "Write it to a new FILE that only you may read; default: print it." },
    { "key", 'k', OPTION_TEXT, offsetof(struct token_new_args, key), "FILE",
      "The private key that baro token key new made." },
};

static int token_new_make(const struct token_new_args *args, struct strbuf *text,
                          struct err *err)
{
    AUTO(token_key_free) struct token_key *key = NULL;
    const struct token_request request = {
        .role = args->role,
        .host = args->host,
        .cluster = args->cluster,
        .targets = args->targets.items,
        .target_count = args->targets.count,
        .user = args->user,
        .accounts = args->accounts.items,
        .account_count = args->accounts.count,
        .node_key = args->node_key,
        .lifetime_ns = args->expires_ns,
    };
    struct token token;
    if (!args->key)
        return err_set(err, EINVAL, "--key FILE is needed: baro token key new");
    int rc = token_request_fill(&request, clock_now_ns() / NS_PER_S, &token, err);
    if (rc == 0)
        rc = token_key_load(args->key, &key, err);
    if (rc == 0)
        rc = token_sign(key, &token, text, err);
    if (rc == 0 && args->output)
        rc = secret_create(args->output, strbuf_span(text), err);
    return rc;
}

static int token_new_run(void *arg, int operand_count, char **operands)
{
    (void)operands;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct token_new_args *args = arg;
    struct err err = { 0 };
    int rc = operand_count ? err_set(&err, EINVAL, "no operands are accepted")
                           : token_new_make(args, &text, &err);
    if (rc < 0) {
        fprintf(stderr, "baro token new: %s\n", err.text);
        return err_exit_status(rc);
    }
    if (args->output)
        return EXIT_OK;
    return puts(strbuf_text(&text)) < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_token_new = {
    .name = "token new",
    .operands = "",
    .help = "Make a signed token for an agent, another program or a person.",
    .options = token_new_options,
    .option_count = COUNT_OF(token_new_options),
    .args_size = sizeof(struct token_new_args),
    .run = token_new_run,
    .prints_data = true,
};
