/* SPDX-License-Identifier: Apache-2.0 */
/* config_grafana - baro config grafana: dashboards and data sources for a site's
 * Grafana.
 */
#include "client/client.h"
#include "client/grafana/grafana.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"

#include <stdio.h>

struct config_grafana_args {
    struct client_args client;
    const char *url, *postgresql;
};

static const struct option config_grafana_options[] = {
    { "url", 0, OPTION_TEXT, offsetof(struct config_grafana_args, url), "URL",
      "The address at which Grafana reaches barod; default: that of --server." },
    { "postgresql", 0, OPTION_TEXT, offsetof(struct config_grafana_args, postgresql),
      "HOST[:PORT]/DATABASE",
      "Also the data source and the dashboards that read barod's database." },
    CLIENT_SERVER_OPTIONS,
};

static void print_written(void *arg, const char *path)
{
    (void)arg;
    printf("%s\n", path);
}

static void print_found(const struct grafana_site *site)
{
    fprintf(
        stderr,
        "baro config grafana: %zu clusters (%s), %zu file systems (%s); give Grafana "
        "a token of the role reader in its environment: BARO_TOKEN\n",
        site->cluster_count, site->cluster_count ? strbuf_text(&site->cluster) : "none",
        site->fs_count, site->fs_count ? strbuf_text(&site->fs) : "none");
}

static int config_grafana_run(void *arg, int operand_count, char **operands)
{
    const struct config_grafana_args *args = arg;
    const struct client_endpoint *endpoint = &args->client.endpoint;
    AUTO(grafana_site_done)
    struct grafana_site site = { .postgresql = args->postgresql };
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro config grafana: give the DIR that the files go into\n");
        return EXIT_USAGE;
    }
    site.url = args->url ? args->url : client_endpoint_url(endpoint);
    int rc = grafana_site_find(endpoint, &site, &err);
    if (rc == 0)
        rc = grafana_folder_write(operands[0], &site, print_written, NULL, &err);
    if (rc < 0)
        return request_failed("config grafana", rc, &err);
    print_found(&site);
    return EXIT_OK;
}

const struct command cmd_config_grafana = {
    .name = "config grafana",
    .operands = "DIR",
    .help = "Write data sources and dashboards for Grafana, for this site.",
    .options = config_grafana_options,
    .option_count = COUNT_OF(config_grafana_options),
    .args_size = sizeof(struct config_grafana_args),
    .run = config_grafana_run,
};
