/* SPDX-License-Identifier: Apache-2.0 */
/* request_run - the whole of a command that sends one request and prints one table. */
#include "cmd/request_run.h"

#include "base/clock.h"
#include "cmd/output.h"
#include "jobsession/jobsession.h"
#include "net/net.h"

#include <stdio.h>

int request_failed(const char *command, int rc, const struct err *err)
{
    fprintf(stderr, "baro %s: %s\n", command, err->text[0] ? err->text : strerror(-rc));
    return err_exit_status(rc);
}

int request_session(struct client_args *args, const char *command)
{
    static struct tree_session session = { .fd = -1 }; /* a process has one */
    struct err err = { 0 };
    if (!args->session)
        return EXIT_OK;
    int rc = session_tree_find(args->session, &args->endpoint, &session, &err);
    if (rc < 0)
        return request_failed(command, rc, &err);
    args->endpoint.server = session.url;
    args->endpoint.token_file = "";
    return EXIT_OK;
}

static int jobstats_fetch(const struct client_args *args, enum client_request request,
                          struct table *ret, struct err *err)
{
    AUTO(client_close) struct client *client = NULL;
    AUTO(selection_done) struct selection sel;
    selection_init(&sel, clock_now_ms());
    int rc = client_args_select(args, &sel, err);
    if (rc == 0)
        rc = client_open(&args->endpoint, &client, err);
    return rc < 0 ? rc : client_table(client, request, &sel, ret, err);
}

int request_run(const struct client_args *args, enum client_request request,
                const char *command)
{
    AUTO(table_done) struct table table;
    struct result_form form;
    struct err err = { 0 };
    table_init(&table);
    int rc = output_form(&form, args->output, args->raw, &err);
    if (rc == 0)
        rc = jobstats_fetch(args, request, &table, &err);
    if (rc == 0)
        rc = output_table(&table, &form, &err);
    return rc < 0 ? request_failed(command, rc, &err) : EXIT_OK;
}

int request_run_url(const struct client_args *args, const struct net_url *url,
                    const char *command)
{
    AUTO(table_done) struct table table;
    struct result_form form;
    struct err err = { 0 };
    table_init(&table);
    int rc = output_form(&form, args->output, args->raw, &err);
    if (rc == 0)
        rc = client_http_fetch_table(&args->endpoint, url, &table, &err);
    /* An empty table without a word reads as if there were nothing to find. */
    if (rc == 0 && table.row_count == 0 && table.note_count == 0)
        table_add_note(&table, "nothing that is stored fits");
    if (rc == 0)
        rc = output_table(&table, &form, &err);
    return rc < 0 ? request_failed(command, rc, &err) : EXIT_OK;
}

int request_run_params(const struct client_args *args, const char *path,
                       const struct request_param *params, size_t count, uint64_t limit,
                       const char *command)
{
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, path);
    for (size_t i = 0; i < count; i++)
        if (params[i].value)
            net_url_add(&url, params[i].name, params[i].value);
    if (limit > 0)
        net_url_add_u64(&url, "limit", limit);
    return request_run_url(args, &url, command);
}
