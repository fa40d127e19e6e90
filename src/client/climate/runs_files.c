/* SPDX-License-Identifier: Apache-2.0 */
/* runs_files - tables of runs that a command was given: files, or a barod. */
#include "client/climate/runs_files.h"

#include "analysis/climate/climate.h"
#include "base/file.h"
#include "base/span.h"
#include "client/client.h"

static int server_read(struct runs_files *files, const char *name,
                       const struct client_endpoint *endpoint, size_t i,
                       struct err *err)
{
    char path[FILE_OF_TEXT_PATH_SIZE];
    AUTO(client_http_close) struct client_http *http = NULL;
    AUTO(net_url_done) struct net_url url = { 0 };
    const struct client_endpoint none = { 0 };
    const struct client_endpoint named =
        client_endpoint_named(name, endpoint ? endpoint : &none);
    struct span csv;
    net_url_init(&url, "/v1/summaries");
    net_url_add(&url, "format", "csv");
    net_url_add_u64(&url, "limit", RUNS_STORED_MAX);
    int rc = client_http_open(&named, &http, err);
    if (rc == 0)
        rc = client_http_get_url(http, &url, &csv, err);
    if (rc < 0)
        return err_prefix(err, rc, "the runs of %s", name);
    if (client_http_has_more(http))
        files->truncated = name;
    rc = file_of_text(csv, &files->fds[i], path, err);
    files->paths[i] = rc == 0 ? span_dup(span_of(path)) : NULL;
    return rc < 0 || files->paths[i] ? rc : err_set(err, ENOMEM, "out of memory");
}

static int path_make(struct runs_files *files, size_t i, const char *name,
                     const struct client_endpoint *endpoint, struct err *err)
{
    files->fds[i] = -1;
    files->count++;
    if (!client_endpoint_is_server(name)) {
        files->paths[i] = span_dup(span_of(name));
        return files->paths[i] ? 0 : err_set(err, ENOMEM, "out of memory");
    }
    return server_read(files, name, endpoint, i, err);
}

int runs_files_open(const char *const *names, size_t count,
                    const struct client_endpoint *endpoint, struct runs_files *ret,
                    struct err *err)
{
    struct runs_files *files = ret;
    *files = (struct runs_files){ 0 };
    files->paths = calloc(count + 1, sizeof *files->paths);
    files->fds = calloc(count + 1, sizeof *files->fds);
    if (!files->paths || !files->fds)
        return err_set(err, ENOMEM, "out of memory");
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = path_make(files, i, names[i], endpoint, err);
    return rc;
}

void runs_files_done(struct runs_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        if (files->fds[i] >= 0)
            (void)close(files->fds[i]);
        free(files->paths[i]);
    }
    free(files->paths);
    free(files->fds);
    *files = (struct runs_files){ 0 };
}

void runs_files_truncated_text(const char *name, char *out, size_t size)
{
    (void)snprintf(out, size,
                   "%s has more runs than it gives at once: the newest %d are used",
                   name, RUNS_STORED_MAX);
}
