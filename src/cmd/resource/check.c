/* SPDX-License-Identifier: Apache-2.0 */
/* check - baro resource check: which of these hosts must not be used, and why.
 *
 * For a scheduler's prolog and its health check program: a barod that is away is no
 * reason against a host, and has an exit status of its own.
 */
#include "base/number.h"
#include "base/span.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

#define EXIT_NOT_KNOWN 3                  /* barod could not be queried */
#define TIMEOUT_DEFAULT_NS (2 * NS_PER_S) /* a job waits for it */

struct resource_check_args {
    struct client_args client;
    const char *hosts, *cluster;
    bool closed;
};

static int check_print(const struct resource_check_args *args,
                       const struct table *table, struct err *err)
{
    struct result_form form;
    if (!args->client.output) {
        resource_check_print(table, stdout, stderr);
        return 0;
    }
    int rc = output_form(&form, args->client.output, args->client.raw, err);
    return rc < 0 ? rc : output_table(table, &form, err);
}

static int resource_check_run(void *arg, int operand_count, char **operands)
{
    struct resource_check_args *args = arg;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    (void)operands;
    table_init(&table);
    if (operand_count > 0) {
        fprintf(stderr, "baro resource check: --hosts names them; see --help\n");
        return EXIT_USAGE;
    }
    if (args->client.endpoint.timeout_ns == 0)
        args->client.endpoint.timeout_ns = TIMEOUT_DEFAULT_NS;
    int rc = resource_check_fetch(&args->client.endpoint, args->hosts, args->cluster,
                                  &table, &err);
    if (rc == 0)
        rc = check_print(args, &table, &err);
    if (rc == 0)
        return table.row_count > 0 ? EXIT_FAILED : EXIT_OK;
    int status = request_failed("resource check", rc, &err);
    return status == EXIT_USAGE ? EXIT_USAGE
           : args->closed       ? EXIT_FAILED
                                : EXIT_NOT_KNOWN;
}

static const struct option resource_check_options[] = {
    { "hosts", 'n', OPTION_TEXT, offsetof(struct resource_check_args, hosts), "SET",
      "Which hosts: a[0901-0964]; default: this one." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct resource_check_args, cluster),
      "NAME", "Of this cluster; default: the token's, else each with such a host." },
    { "timeout", 0, OPTION_DURATION,
      offsetof(struct resource_check_args, client.endpoint.timeout_ns), "DURATION",
      "How long to wait for barod; default: 2s." },
    { "closed", 0, OPTION_FLAG, offsetof(struct resource_check_args, closed), NULL,
      "A barod that does not respond is a reason: exit status 1 then, not 3." },
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
