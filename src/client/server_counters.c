/* SPDX-License-Identifier: Apache-2.0 */
/* server_counters - the daemon's own counters, as a table. */
#include "client/server_counters.h"

#include "base/number.h"
#include "base/span.h"
#include "client/http.h"

#define RESPONSE_SHOWN_MAX 60 /* bytes of what is not a barod's page */

enum { COLUMN_NAME, COLUMN_VALUE, COLUMN_HELP };

static void read_counter(struct span line, struct span help, struct table *ret)
{
    struct span name;
    double value;
    if (span_starts(line, "#") || !span_cut(&line, ' ', &name) ||
        number_parse_double(line, &value) < 0)
        return;
    table_add_row(ret);
    table_set_text(ret, COLUMN_NAME, name);
    table_set_double(ret, COLUMN_VALUE, value);
    table_set_text(ret, COLUMN_HELP, help);
}

int server_counters_read(struct span text, struct table *ret)
{
    struct span help = { 0 };
    table_add_column(ret, "metric", TABLE_TEXT, "");
    table_add_column(ret, "value", TABLE_DOUBLE, "count");
    table_add_column(ret, "meaning", TABLE_TEXT, "");
    while (text.size) {
        struct span line, name;
        (void)span_cut(&text, '\n', &line);
        if (span_starts(line, "# HELP ")) {
            help = span_skip(line, strlen("# HELP "));
            (void)span_cut(&help, ' ', &name);
        } else {
            read_counter(line, help, ret);
        }
    }
    return table_error(ret);
}

bool server_counters_are_of_barod(struct span text)
{
    while (text.size) {
        struct span line;
        (void)span_cut(&text, '\n', &line);
        if (span_starts(line, "baro_net_"))
            return true;
    }
    return false;
}

/* What responded: the first line that is no comment helps an administrator most. */
static int not_barod(struct span text, struct err *err)
{
    struct span line = { 0 };
    while (text.size && line.size == 0) {
        (void)span_cut(&text, '\n', &line);
        if (span_starts(line, "#"))
            line = (struct span){ 0 };
    }
    if (line.size > RESPONSE_SHOWN_MAX)
        line.size = RESPONSE_SHOWN_MAX;
    if (line.size == 0)
        return err_set(
            err, EBADMSG,
            "the response is not of barod: its /metrics is empty (--server or "
            "BARO_SERVER names another address)");
    return err_set(
        err, EBADMSG,
        "the response is not of barod: its /metrics has no counter of barod and "
        "begins with '" SPAN_FMT "' (--server or BARO_SERVER names another address)",
        SPAN_ARG(line));
}

int server_counters_fetch(const struct client_endpoint *endpoint, struct table *ret,
                          struct err *err)
{
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    int rc = client_http_fetch(endpoint, "/metrics", &page, err);
    if (rc < 0)
        return rc;
    if (!server_counters_are_of_barod(strbuf_span(&page)))
        return not_barod(strbuf_span(&page), err);
    return server_counters_read(strbuf_span(&page), ret);
}
