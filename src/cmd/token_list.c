/* SPDX-License-Identifier: Apache-2.0 */
/* token_list - baro token list: when tokens end, of files or of those a barod saw. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "cmd/asking.h"
#include "cmd/commands.h"
#include "net/net.h"

struct args {
    struct asking_args asking;
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

static int ask(const struct asking_args *args, struct table *table, struct err *err)
{
    AUTO(net_answer_done) struct net_answer answer = { 0 };
    int rc = asking_get(args, "/v1/tokens", &answer, err);
    return rc < 0 ? rc : table_from_json(strbuf_span(&answer.body), table, err);
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
    struct asking_form form;
    struct err err = { 0 };
    table_init(&table);
    int rc = asking_form_init(&args->asking, &form, &err);
    if (operand_count)
        token_add_columns(&table);
    for (int i = 0; rc == 0 && i < operand_count; i++)
        rc = take_file(operands[i], &table, &err);
    if (rc == 0 && operand_count == 0)
        rc = ask(&args->asking, &table, &err);
    if (rc < 0) {
        fprintf(stderr, "baro token list: %s\n",
                err.text[0] ? err.text : strerror(-rc));
        return err_exit_status(rc);
    }
    leave_out(&table, args->expiring_ns);
    asking_print(&table, &form, &out, &notes);
    return fputs(strbuf_text(&out), stdout) < 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "expiring", 'e', OPTION_DURATION, offsetof(struct args, expiring_ns), "DURATION",
      "Only tokens that end within this time, such as 30d, or have ended." },
    ASKING_SERVER_OPTIONS,
    ASKING_FORM_OPTIONS,
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
