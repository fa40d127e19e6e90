/* SPDX-License-Identifier: Apache-2.0 */
/* token_list - baro token list: when tokens end, of files or of those a barod saw. */
#include "base/clock.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"
#include "net/net.h"

struct token_list_args {
    struct client_args client;
    int64_t expiring_ns; /* 0: all */
};

static int token_list_read(const struct token_list_args *args, int count, char **files,
                           struct table *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, "/v1/tokens");
    if (count == 0)
        return client_http_fetch_table(&args->client.endpoint, &url, ret, err);
    return token_files_read(files, (size_t)count, ret, err);
}

static int token_list_run(void *arg, int operand_count, char **operands)
{
    const struct token_list_args *args = arg;
    AUTO(table_done) struct table table;
    struct result_form form;
    struct err err = { 0 };
    table_init(&table);
    int rc = output_form(&form, args->client.output, args->client.raw, &err);
    if (rc == 0)
        rc = token_list_read(args, operand_count, operands, &table, &err);
    if (rc == 0 && args->expiring_ns)
        token_report_expiring(&table, clock_now_ms(), args->expiring_ns);
    if (rc == 0)
        rc = output_table(&table, &form, &err);
    return rc < 0 ? request_failed("token list", rc, &err) : EXIT_OK;
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
    .prints_times = true,
};
