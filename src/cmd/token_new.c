/* SPDX-License-Identifier: Apache-2.0 */
/* token_new - baro token new: a signed token for an agent, a reader or an admin. */
#include "base/clock.h"
#include "base/number.h"
#include "base/secret.h"
#include "base/uuid.h"
#include "cmd/commands.h"
#include "net/net.h"

#define EXPIRES_NS (365 * 86400 * NS_PER_S)

struct args {
    const char *role;
    const char *host;
    const char *cluster;
    struct option_list targets;
    int64_t expires_ns;
    const char *key;
    const char *output;
};

static const struct option options[] = {
    { "role", 'r', OPTION_TEXT, offsetof(struct args, role), "ROLE",
      "What the bearer may: agent, reader or admin." },
    { "host", 'H', OPTION_TEXT, offsetof(struct args, host), "HOST",
      "The host whose observations an agent may send." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct args, cluster), "CLUSTER",
      "The cluster whose metrics, jobs and summaries the bearer may write." },
    { "targets", 't', OPTION_LIST, offsetof(struct args, targets), "PATTERN",
      "The targets an agent may send; may be repeated; default: every one." },
    { "expires", 'e', OPTION_DURATION, offsetof(struct args, expires_ns), "DURATION",
      "For how long the token holds; default 365d." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FILE",
      "Write it to a new FILE that only you may read; default: print it." },
    { "key", 'k', OPTION_TEXT, offsetof(struct args, key), "FILE",
      "The private key that baro token key new made." },
};

static int copy(char *to, size_t size, const char *from, const char *what,
                struct err *err)
{
    size_t length = strlen(from);
    if (length >= size)
        return err_set(err, EINVAL, "--%s: longer than %zu bytes", what, size - 1);
    memcpy(to, from, length + 1);
    return 0;
}

static int fill(const struct args *args, struct token *token, struct err *err)
{
    struct uuid id;
    int rc = 0;
    if (!args->role || net_role_parse(span_of(args->role), &token->role) < 0)
        return err_set(err, EINVAL, "--role is one of agent, reader, scheduler, admin");
    if (!args->key)
        return err_set(err, EINVAL, "--key FILE is needed: baro token key new");
    if (token->role == NET_ROLE_AGENT && !args->host && !args->cluster)
        return err_set(err, EINVAL,
                       "an agent's token needs --host, or --cluster for a gateway");
    if (args->targets.count > TOKEN_TARGETS_MAX)
        return err_set(err, EINVAL, "--targets: %d patterns at most",
                       TOKEN_TARGETS_MAX);
    if (args->host)
        rc = copy(token->host, sizeof token->host, args->host, "host", err);
    if (rc == 0 && args->cluster)
        rc = copy(token->cluster, sizeof token->cluster, args->cluster, "cluster", err);
    for (size_t i = 0; rc == 0 && i < args->targets.count; i++)
        rc = copy(token->targets[token->target_count++], sizeof token->targets[0],
                  args->targets.items[i], "targets", err);
    if (rc < 0)
        return rc;
    if (uuid_new(&id) < 0)
        return err_set(err, EIO, "no randomness to be had");
    uuid_print(token->id, &id);
    token->issued_s = clock_now_ns() / NS_PER_S;
    int64_t expires_ns = args->expires_ns ? args->expires_ns : EXPIRES_NS;
    token->expires_s = token->issued_s + expires_ns / NS_PER_S;
    return 0;
}

static int run(void *arg, int operand_count, char **operands)
{
    (void)operands;
    struct token token = { 0 };
    struct err err = { 0 };
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct args *args = arg;
    int rc = operand_count ? err_set(&err, EINVAL, "takes no operands")
                           : fill(args, &token, &err);
    if (rc == 0)
        rc = token_key_load(args->key, &key, &err);
    if (rc == 0)
        rc = token_sign(key, &token, &text, &err);
    if (rc == 0 && args->output)
        rc = secret_create(args->output, strbuf_span(&text), &err);
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
    .help = "Make a signed token for an agent, a reader or an admin.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run,
    .prints_data = true,
};
