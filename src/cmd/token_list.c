/* SPDX-License-Identifier: Apache-2.0 */
/* token_list - baro token list: when tokens end, of files or of those a barod saw. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"
#include "net/net.h"

struct args {
    struct client_args client;
    int64_t expiring_ns; /* 0: all */
};

static int take_file(const char *path, struct table *table, struct err *err)
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

static int ask(const struct client_args *args, struct table *table, struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int rc = client_http_fetch(&args->endpoint, "/v1/tokens", &body, err);
    return rc < 0 ? rc : table_from_json(strbuf_span(&body), table, err);
}

/* Rows that end later go; what has ended is of interest, too. */
static void leave_out(struct table *table, int64_t expiring_ns)
{
    int64_t until_ms = clock_now_ms() + expiring_ns / NS_PER_MS;
    size_t kept = 0;
    for (size_t i = 0; expiring_ns && i < table->row_count; i++) {
        if (table_at(table, i, 0)->i64 > until_ms)
            continue;
        memmove(table->cells + kept * table->column_count,
                table->cells + i * table->column_count,
                table->column_count * sizeof *table->cells);
        kept++;
    }
    if (expiring_ns)
        table->row_count = kept;
}

static int run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
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
        rc = take_file(operands[i], &table, &err);
    if (rc == 0 && operand_count == 0)
        rc = ask(&args->client, &table, &err);
    if (rc < 0) {
        return request_failed("token list", rc, &err);
    }
    leave_out(&table, args->expiring_ns);
    result_print(&table, &form, &out, &notes);
    return fputs(strbuf_text(&out), stdout) < 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "expiring", 'e', OPTION_DURATION, offsetof(struct args, expiring_ns), "DURATION",
      "Only tokens that end within this time, such as 30d, or have ended." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_token_list = {
    .name = "token list",
    .operands = "[FILE]...",
    .help = "When tokens end: those in files, or those that barod saw lately.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run,
};
