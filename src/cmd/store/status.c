/* SPDX-License-Identifier: Apache-2.0 */
/* store_status - baro store status: what the metric store holds, and what it did. */
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

#include <stdio.h>

struct args {
    struct client_args client;
    bool senders;
};

static int status_fetch(const struct client_args *args, struct table *table,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int rc = client_http_fetch(&args->endpoint, "/v1/status", &body, err);
    return rc < 0 ? rc : store_status_read(strbuf_span(&body), table, err);
}

static int senders_fetch(const struct client_args *args, struct table *table,
                         struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int rc = client_http_fetch(&args->endpoint, "/v1/store/senders", &body, err);
    return rc < 0 ? rc : table_from_json(strbuf_span(&body), table, err);
}

static int store_status_run(void *arg, int operand_count, char **operands)
{
    const struct args *own = arg;
    const struct client_args *args = &own->client;
    AUTO(table_done) struct table table;
    struct result_form form;
    struct err err = { 0 };
    table_init(&table);
    if (operand_count) {
        fprintf(stderr, "baro store status: '%s' is not wanted here\n", operands[0]);
        return EXIT_USAGE;
    }
    int rc = output_form(&form, args->output, args->raw, &err);
    if (rc == 0)
        rc = own->senders ? senders_fetch(args, &table, &err)
                          : status_fetch(args, &table, &err);
    if (rc == 0)
        rc = output_table(&table, &form, &err);
    return rc < 0 ? request_failed("store status", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    { "senders", 0, OPTION_FLAG, offsetof(struct args, senders), NULL,
      "Who has created how many series and metrics, and how many each may." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_store_status = {
    .name = "store status",
    .operands = "",
    .help = "What the metric store holds, and what it did.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = store_status_run,
};
