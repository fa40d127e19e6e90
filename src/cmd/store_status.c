/* SPDX-License-Identifier: Apache-2.0 */
/* store_status - baro store status: what the metric store holds, and what it did. */
#include "base/json_reader.h"
#include "base/number.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

#include <stdio.h>

enum { COLUMN_NAME, COLUMN_VALUE };

struct args {
    struct client_args client;
    bool senders;
};

struct reading {
    struct table *table;
    bool is_store; /* inside of the member "store" */
    char key[64];
};

static int take_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct reading *r = arg;
    if (event == JSON_KEY && depth == 0)
        r->is_store = span_is(text, "store");
    if (!r->is_store)
        return 0;
    if (event == JSON_KEY && depth == 1)
        (void)snprintf(r->key, sizeof r->key, SPAN_FMT, SPAN_ARG(text));
    if (event == JSON_STRING && depth == 2)
        table_add_note(r->table, "%s: " SPAN_FMT, r->key, SPAN_ARG(text));
    uint64_t value;
    if (event == JSON_NUMBER && depth == 2 && number_parse_u64(text, &value) == 0) {
        table_add_row(r->table);
        table_set_text(r->table, COLUMN_NAME, span_of(r->key));
        table_set_u64(r->table, COLUMN_VALUE, value);
    }
    return 0;
}

static int ask(const struct client_args *args, struct table *table, struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct reading reading = { .table = table };
    int rc = client_http_fetch(&args->endpoint, "/v1/status", &body, err);
    if (rc < 0)
        return rc;
    table_add_column(table, "what", TABLE_TEXT, "");
    table_add_column(table, "value", TABLE_U64, "");
    rc = json_read(strbuf_span(&body), take_event, &reading, err);
    if (rc == 0 && table->row_count == 0)
        return err_set(err, ENOENT,
                       "this barod has no metric store: see barod.conf(5)");
    return rc < 0 ? rc : table_error(table);
}

static int ask_senders(const struct client_args *args, struct table *table,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int rc = client_http_fetch(&args->endpoint, "/v1/store/senders", &body, err);
    return rc < 0 ? rc : table_from_json(strbuf_span(&body), table, err);
}

static int run(void *arg, int operand_count, char **operands)
{
    const struct args *own = arg;
    const struct client_args *args = &own->client;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct result_form form;
    struct err err = { 0 };
    table_init(&table);
    if (operand_count) {
        fprintf(stderr, "baro store status: '%s' is not wanted here\n", operands[0]);
        return EXIT_USAGE;
    }
    int rc = output_form(&form, args->output, args->raw, &err);
    if (rc == 0)
        rc = own->senders ? ask_senders(args, &table, &err) : ask(args, &table, &err);
    if (rc < 0) {
        return request_failed("store status", rc, &err);
    }
    result_print(&table, &form, &out, &notes);
    return fputs(strbuf_text(&out), stdout) < 0 ? EXIT_FAILED : EXIT_OK;
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
    .run = run,
};
