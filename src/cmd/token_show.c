/* SPDX-License-Identifier: Apache-2.0 */
/* token_show - baro token show: what a token states, and whether it is valid. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "cmd/commands.h"
#include "net/net.h"

struct token_show_args {
    const char *key;
};

static const struct option token_show_options[] = {
    { "key", 'k', OPTION_TEXT, offsetof(struct token_show_args, key), "KEY",
      "Check the token with this key, private or public." },
};

static int token_show(const struct token_show_args *args, struct span text,
                      struct strbuf *out, struct err *err)
{
    AUTO(token_key_free) struct token_key *key = NULL;
    struct token token;
    int rc = token_parse(text, &token, err);
    if (rc == 0 && args->key)
        rc = token_key_load(args->key, &key, err);
    if (rc == 0 && key)
        rc = token_verify(key, text, clock_now_ns() / NS_PER_S, &token, err);
    if (rc == 0)
        token_print_json(&token, out);
    return rc < 0 ? rc : strbuf_error(out);
}

/* A token holds no '/' and is no file's name. */
static int token_text_read(const char *operand, struct strbuf *ret, struct err *err)
{
    if (strcmp(operand, "-") == 0) {
        int rc = file_read_fd(STDIN_FILENO, TOKEN_TEXT_MAX, ret);
        return rc < 0 ? err_set(err, -rc, "standard input: %s", strerror(-rc)) : 0;
    }
    if (strchr(operand, '/') || access(operand, F_OK) == 0)
        return file_read(operand, TOKEN_TEXT_MAX, ret, err);
    strbuf_adds(ret, operand);
    return 0;
}

static int token_show_run(void *arg, int operand_count, char **operands)
{
    struct err err = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (operand_count != 1) {
        fprintf(
            stderr,
            "baro token show: give a token, the FILE that holds it, or - to read it\n");
        return EXIT_USAGE;
    }
    int rc = token_text_read(operands[0], &text, &err);
    if (rc == 0)
        rc = token_show(arg, span_trim(strbuf_span(&text)), &out, &err);
    if (rc < 0 && access(operands[0], F_OK) == 0 && !strstr(err.text, operands[0]))
        rc = err_prefix(&err, rc, "%s", operands[0]);
    if (rc < 0) {
        fprintf(stderr, "baro token show: %s\n", err.text);
        return err_exit_status(rc);
    }
    return puts(strbuf_text(&out)) < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_token_show = {
    .name = "token show",
    .operands = "FILE|TOKEN|-",
    .help = "Print what a token states; with --key, whether it is valid.",
    .options = token_show_options,
    .option_count = COUNT_OF(token_show_options),
    .args_size = sizeof(struct token_show_args),
    .run = token_show_run,
    .prints_data = true,
    .prints_times = true,
};
