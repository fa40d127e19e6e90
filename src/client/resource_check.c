/* SPDX-License-Identifier: Apache-2.0 */
/* resource_check - which of these hosts must not be used, and why. */
#include "client/resource_check.h"

#include "client/http.h"
#include "net/net.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { HOST, HEALTH, SINCE, REASON, COMPONENT, COLUMN_COUNT };

int resource_check_fetch(const struct client_endpoint *endpoint, const char *hosts,
                         const char *cluster, struct table *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    char own[HOST_NAME_MAX + 1] = "";
    if (!hosts && gethostname(own, sizeof own) < 0)
        return err_set(err, errno, "the name of this host: %s", strerror(errno));
    own[strcspn(own, ".")] = '\0';
    net_url_init(&url, "/v1/resources/check");
    net_url_add(&url, "hosts", hosts ? hosts : own);
    if (cluster)
        net_url_add(&url, "cluster", cluster);
    int rc = client_http_fetch_table(endpoint, &url, ret, err);
    return rc == 0 && ret->column_count < COLUMN_COUNT
               ? err_set(err, EBADMSG, "the response is no table of hosts")
               : rc;
}

static const char *host_text(const struct table *table, size_t row, size_t column)
{
    const struct table_cell *cell = table_at(table, row, column);
    return cell->is_null || table->columns[column].type != TABLE_TEXT ? "" : cell->text;
}

void resource_check_print(const struct table *table, FILE *out, FILE *notes)
{
    for (size_t i = 0; i < table->row_count; i++) {
        const char *reason = host_text(table, i, REASON);
        fprintf(out, "%s: %s: %s (%s)\n", host_text(table, i, HOST),
                host_text(table, i, HEALTH), *reason ? reason : "no reason is given",
                host_text(table, i, COMPONENT));
    }
    for (size_t i = 0; i < table->note_count; i++)
        fprintf(notes, "baro resource check: %s\n", table->notes[i]);
}
