/* SPDX-License-Identifier: Apache-2.0 */
/* check - barod --check: all that can be wrong before anything listens. */
#include "daemon/check.h"

#include "base/cleanup.h"
#include "daemon/store.h"

#include <libgen.h>
#include <unistd.h>

/* A file made here would belong to the user who checks, often root, and barod could
 * not write it.
 * Returns 1: there is none yet, and its place is good. */
static int check_file(const struct records_opts *opts, struct err *err)
{
    bool is_file = !opts->engine || strcmp(opts->engine, "sqlite") == 0;
    if (!is_file || !opts->path || access(opts->path, F_OK) == 0)
        return 0;
    AUTO_FREE char *dir = strdup(opts->path);
    if (!dir)
        return err_set(err, ENOMEM, "out of memory");
    const char *parent = dirname(dir);
    if (access(parent, W_OK | X_OK) < 0)
        return err_set(err, errno, "records: '%s' cannot be made: '%s': %s", opts->path,
                       parent, strerror(errno));
    return 1;
}

/* Nothing is made or migrated, and the user who checks need not be barod's role.
 * Returns 1: there is none yet. */
static int check_records(struct daemon *d, struct err *err)
{
    int rc = check_file(&d->setup.opts.records, err);
    if (rc > 0)
        return site_new(d->setup.config, &d->parts.site, err) < 0 ? -EINVAL : rc;
    d->setup.opts.records.access = RECORDS_READ;
    if (rc == 0)
        rc = daemon_start_records(d, err);
    return rc == -ENODATA ? 1 : rc;
}

static void print_report(const struct daemon *d, bool is_absent, struct strbuf *out)
{
    const struct records_opts *records = &d->setup.opts.records;
    strbuf_addf(out, "configuration: good\nrecords: %s%s\nnet: %s\n",
                !is_absent            ? records_describe(d->parts.records)
                : records->connection ? "tables"
                                      : records->path,
                is_absent ? " would be created" : "",
                net_server_describe(d->parts.server));
    if (d->parts.store)
        strbuf_addf(out, "store: %s, %u metrics\n", d->setup.opts.store.directory,
                    metric_count(metric_store_metrics(d->parts.store)));
    const struct daemon_memory_limit limit = { d->setup.memory_limit,
                                               strbuf_text(&d->setup.memory_path) };
    daemon_memory_print(&d->setup.budget, &limit, out);
}

int check_daemon(struct daemon *d, struct strbuf *out, struct err *err)
{
    int absent = check_records(d, err);
    int rc = absent < 0 ? absent : 0;
    if (rc == 0)
        rc = daemon_store_check(d->setup.config, &d->setup.opts.store, &d->parts.store,
                                err);
    if (rc == 0)
        rc = daemon_start_checked(d, err);
    if (rc == 0)
        print_report(d, absent, out);
    return rc;
}
