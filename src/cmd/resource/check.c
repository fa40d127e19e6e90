/* SPDX-License-Identifier: Apache-2.0 */
/* check - baro resource check: which of these hosts must not be used, and why.
 *
 * For a scheduler's prolog and its health check program: a barod that is away is no
 * reason against a host, and has an exit status of its own.
 */
#include "base/span.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"
#include "net/net.h"

#include <limits.h>
#include <unistd.h>

#define EXIT_NOT_KNOWN 3 /* barod could not be queried */

struct resource_check_args {
    struct client_args client;
    const char *hosts, *cluster;
};

/* This host, by the first label of its name. */
static int own_host(char name[static HOST_NAME_MAX + 1], struct err *err)
{
    if (gethostname(name, HOST_NAME_MAX + 1) < 0)
        return err_set(err, errno, "the name of this host: %s", strerror(errno));
    name[strcspn(name, ".")] = '\0';
    return 0;
}

static void lines_print(const struct table *table)
{
    enum { HOST, HEALTH, SINCE, REASON, COMPONENT };
    for (size_t i = 0; i < table->row_count; i++) {
        const struct table_cell *reason = table_at(table, i, REASON);
        printf("%s: %s: %s (%s)\n", table_at(table, i, HOST)->text,
               table_at(table, i, HEALTH)->text,
               reason->is_null ? "no reason is given" : reason->text,
               table_at(table, i, COMPONENT)->text);
    }
    for (size_t i = 0; i < table->note_count; i++)
        fprintf(stderr, "baro resource check: %s\n", table->notes[i]);
}

static int check_print(const struct resource_check_args *args,
                       const struct table *table, struct err *err)
{
    struct result_form form;
    if (!args->client.output) {
        lines_print(table);
        return 0;
    }
    int rc = output_form(&form, args->client.output, args->client.raw, err);
    return rc < 0 ? rc : output_table(table, &form, err);
}

static int check_fetch(const struct resource_check_args *args, struct table *ret,
                       struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    char own[HOST_NAME_MAX + 1] = "";
    int rc = args->hosts ? 0 : own_host(own, err);
    if (rc < 0)
        return rc;
    net_url_init(&url, "/v1/resources/check");
    net_url_add(&url, "hosts", args->hosts ? args->hosts : own);
    if (args->cluster)
        net_url_add(&url, "cluster", args->cluster);
    rc = client_http_fetch_table(&args->client.endpoint, &url, ret, err);
    return rc == 0 && ret->column_count < 5
               ? err_set(err, EBADMSG, "the response is no table of hosts")
               : rc;
}

static int resource_check_run(void *arg, int operand_count, char **operands)
{
    const struct resource_check_args *args = arg;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    (void)operands;
    table_init(&table);
    if (operand_count > 0) {
        fprintf(stderr, "baro resource check: --hosts names them; see --help\n");
        return EXIT_USAGE;
    }
    int rc = check_fetch(args, &table, &err);
    if (rc == 0)
        rc = check_print(args, &table, &err);
    if (rc == 0)
        return table.row_count > 0 ? EXIT_FAILED : EXIT_OK;
    int status = request_failed("resource check", rc, &err);
    return status == EXIT_USAGE ? EXIT_USAGE : EXIT_NOT_KNOWN;
}

static const struct option resource_check_options[] = {
    { "hosts", 'n', OPTION_TEXT, offsetof(struct resource_check_args, hosts), "SET",
      "Which hosts: a[0901-0964]; default: this one." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct resource_check_args, cluster),
      "NAME", "Of this cluster; default: of each that has such a host." },
    CLIENT_SERVER_OPTIONS,
    { "output", 'o', OPTION_TEXT, offsetof(struct resource_check_args, client.output),
      "table|json|csv", "table, json or csv; default: a line a host." },
};

const struct command cmd_resource_check = {
    .name = "resource check",
    .operands = "",
    .help = "Which of these hosts must not be used, and why.",
    .options = resource_check_options,
    .option_count = COUNT_OF(resource_check_options),
    .args_size = sizeof(struct resource_check_args),
    .run = resource_check_run,
};
