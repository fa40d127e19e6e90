/* SPDX-License-Identifier: Apache-2.0 */
/* token_show - baro token show: what a token says, and whether it holds. */
#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "net/net.h"

struct args {
    const char *key;
};

static const struct option options[] = {
    { "key", 'k', OPTION_TEXT, offsetof(struct args, key), "FILE",
      "Check the token with this key, private or public." },
};

static void print(const struct token *token, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "role");
    json_text(&w, net_role_name(token->role));
    json_key(&w, "id");
    json_text(&w, token->id);
    json_key(&w, "host");
    json_text(&w, token->host[0] ? token->host : NULL);
    json_key(&w, "cluster");
    json_text(&w, token->cluster[0] ? token->cluster : NULL);
    json_key(&w, "targets");
    json_array(&w);
    for (size_t i = 0; i < token->target_count; i++)
        json_text(&w, token->targets[i]);
    json_array_end(&w);
    json_key(&w, "issued");
    json_time_ms(&w, token->issued_s * MS_PER_S);
    json_key(&w, "expires");
    json_time_ms(&w, token->expires_s * MS_PER_S);
    json_object_end(&w);
}

static int show(const struct args *args, struct span text, struct strbuf *out,
                struct err *err)
{
    AUTO(token_key_free) struct token_key *key = NULL;
    struct token token;
    int rc = token_parse(text, &token, err);
    if (rc == 0 && args->key)
        rc = token_key_load(args->key, &key, err);
    if (rc == 0 && key)
        rc = token_verify(key, text, clock_now_ns() / NS_PER_S, &token, err);
    if (rc == 0)
        print(&token, out);
    return rc < 0 ? rc : strbuf_error(out);
}

static int run(void *arg, int operand_count, char **operands)
{
    struct err err = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (operand_count != 1) {
        fprintf(stderr, "baro token show: give a TOKEN, or - to read it\n");
        return EXIT_USAGE;
    }
    int rc = 0;
    if (strcmp(operands[0], "-") == 0)
        rc = file_read_fd(STDIN_FILENO, TOKEN_TEXT_MAX, &text);
    else
        strbuf_adds(&text, operands[0]);
    if (rc < 0)
        (void)err_set(&err, rc, "reading the token: %s", strerror(-rc));
    else
        rc = show(arg, span_trim(strbuf_span(&text)), &out, &err);
    if (rc < 0) {
        fprintf(stderr, "baro token show: %s\n", err.text);
        return EXIT_FAILED;
    }
    return puts(strbuf_text(&out)) < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_token_show = {
    .name = "token show",
    .operands = "TOKEN|-",
    .help = "Print what a token says; with --key, whether it holds.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run,
    .prints_data = true,
};
