/* SPDX-License-Identifier: Apache-2.0 */
/* list - baro event list: the last events of the session, or as they come. */
#include "base/span.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"
#include "net/net.h"

#include <unistd.h>

#define WAIT "30s"
#define PAUSE_S 1

struct event_list_args {
    struct client_args client;
    const char *after;
    uint64_t limit;
    bool follow;
};

/* Where the next request begins: behind the last row. */
static int next_after(const struct table *table, struct strbuf *after)
{
    int column = table_find_column(table, "id");
    if (table->row_count == 0 || column < 0)
        return 0;
    const struct table_cell *cell =
        table_at(table, table->row_count - 1, (size_t)column);
    if (cell->is_null)
        return -EBADMSG;
    strbuf_clear(after);
    strbuf_adds(after, cell->text);
    return strbuf_error(after);
}

static int fetch(const struct event_list_args *args, struct strbuf *after, bool waits,
                 struct table *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, "/v1/events");
    if (after->size > 0)
        net_url_add_span(&url, "after", strbuf_span(after));
    if (args->limit > 0)
        net_url_add_u64(&url, "limit", args->limit);
    if (waits)
        net_url_add(&url, "wait", WAIT);
    int rc = client_http_fetch_table(&args->client.endpoint, &url, ret, err);
    return rc < 0 ? rc : next_after(ret, after);
}

/* barod starts again, or has as many that wait as can. */
static bool is_to_be_repeated(int rc)
{
    return rc == -ENOTCONN || rc == -EAGAIN;
}

static void pause_for(int rc, bool is_first, const struct err *err)
{
    if (rc < 0 && is_first)
        fprintf(stderr, "baro event list: %s; trying again\n", err->text);
    (void)sleep(PAUSE_S);
}

static int event_list(const struct event_list_args *args, struct err *err)
{
    AUTO(strbuf_done) struct strbuf after = STRBUF_INIT;
    struct result_form form;
    bool is_away = false;
    int rc = output_form(&form, args->client.output, args->client.raw, err);
    if (args->after)
        strbuf_adds(&after, args->after);
    for (bool waits = false; rc == 0; waits = true) {
        AUTO(table_done) struct table table;
        table_init(&table);
        rc = fetch(args, &after, waits, &table, err);
        if (waits && is_to_be_repeated(rc)) {
            pause_for(rc, !is_away, err);
            is_away = true;
            rc = 0;
            continue;
        }
        is_away = false;
        if (rc == 0 && (!waits || table.row_count > 0 || table.note_count > 0))
            rc = output_table(&table, &form, err);
        if (!args->follow)
            break;
        if (rc == 0 && table.row_count == 0 && table.note_count > 0)
            pause_for(0, false, NULL); /* nothing to go on from */
        form.print.no_header |= table.row_count > 0;
        /* There was none yet: the next request waits for the first. */
        if (after.size == 0)
            strbuf_adds(&after, "0.0");
    }
    return rc;
}

static int event_list_run(void *arg, int operand_count, char **operands)
{
    struct event_list_args *args = arg;
    struct err err = { 0 };
    (void)operands;
    if (operand_count > 0) {
        fprintf(stderr, "baro event list: it has no operands; see --help\n");
        return EXIT_USAGE;
    }
    if (request_session(&args->client, "event list") != EXIT_OK)
        return EXIT_FAILED;
    int rc = event_list(args, &err);
    return rc < 0 ? request_failed("event list", rc, &err) : EXIT_OK;
}

static const struct option event_list_options[] = {
    { "after", 'a', OPTION_TEXT, offsetof(struct event_list_args, after), "ID",
      "Only events after this one, such as 3.17." },
    { "limit", 'l', OPTION_LIMIT, offsetof(struct event_list_args, limit), "COUNT",
      "So many events at most, up to 1000; default: 100." },
    { "follow", 'f', OPTION_FLAG, offsetof(struct event_list_args, follow), NULL,
      "Go on with events as they come, until interrupted." },
    CLIENT_SESSION_OPTION,
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_event_list = {
    .name = "event list",
    .operands = "",
    .help = "The last events of the session, or as they come.",
    .options = event_list_options,
    .option_count = COUNT_OF(event_list_options),
    .args_size = sizeof(struct event_list_args),
    .run = event_list_run,
    .prints_times = true,
};
