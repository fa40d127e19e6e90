/* SPDX-License-Identifier: Apache-2.0 */
/* token_list - baro token list: when tokens end, of files or of those a barod saw. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"
#include "net/net.h"

struct token_list_args {
    struct client_args client;
    int64_t expiring_ns; /* 0: all */
};

static int add_token_file(const char *path, struct table *table, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct token token;
    int rc = file_read(path, TOKEN_TEXT_MAX, &text, err);
    if (rc == 0)
        rc = token_parse(span_trim(strbuf_span(&text)), &token, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", path);
    token_add_row(table, &token, 0);
    return 0;
}

static int fetch_tokens(const struct client_args *args, struct table *table,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int rc = client_http_fetch(&args->endpoint, "/v1/tokens", &body, err);
    return rc < 0 ? rc : table_from_json(strbuf_span(&body), table, err);
}

static int token_list_run(void *arg, int operand_count, char **operands)
{
    const struct token_list_args *args = arg;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct result_form form;
    struct err err = { 0 };
    table_init(&table);
    int rc = output_form(&form, args->client.output, args->client.raw, &err);
    if (operand_count)
        token_add_columns(&table);
    for (int i = 0; rc == 0 && i < operand_count; i++)
        rc = add_token_file(operands[i], &table, &err);
    if (rc == 0 && operand_count == 0)
        rc = fetch_tokens(&args->client, &table, &err);
    if (rc < 0) {
        return request_failed("token list", rc, &err);
    }
    if (args->expiring_ns)
        token_report_expiring(&table, clock_now_ms() + args->expiring_ns / NS_PER_MS);
    result_print(&table, &form, &out, &notes);
    return fputs(strbuf_text(&out), stdout) < 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option token_list_options[] = {
    { "expiring", 'e', OPTION_DURATION, offsetof(struct token_list_args, expiring_ns),
      "DURATION",
      "Only tokens that end within this time, such as 30d, or have ended." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_token_list = {
    .name = "token list",
    .operands = "[FILE]...",
    .help = "When tokens end: those in files, or those that barod saw lately.",
    .options = token_list_options,
    .option_count = COUNT_OF(token_list_options),
    .args_size = sizeof(struct token_list_args),
    .run = token_list_run,
};
