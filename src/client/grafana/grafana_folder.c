/* SPDX-License-Identifier: Apache-2.0 */
/* grafana_folder - a folder that Grafana reads. */
#include "client/grafana/grafana_folder.h"

#include "base/file.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/span.h"
#include "client/grafana/grafana_files.h"

#include <limits.h>
#include <stdlib.h>

/* As the files of etc/grafana have them. */
#define URL_IN_FILES "http://localhost:8091"
#define PATH_IN_FILES "/etc/grafana/dashboards"
#define HOST_IN_FILES "localhost:5432"
#define DATABASE_IN_FILES "database: barograph"
#define NO_VALUE "\"current\": {}"
/* barod's own series, no cluster of nodes. */
#define OWN_CLUSTER "barograph"

void grafana_site_done(struct grafana_site *site)
{
    strbuf_done(&site->cluster);
    strbuf_done(&site->fs);
}

/* ---- what is there ---- */

struct value_list {
    struct strbuf *first;
    size_t count;
};

static int note_value(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct value_list *list = arg;
    if (event != JSON_STRING || depth != 2 || span_is(text, OWN_CLUSTER))
        return 0;
    if (list->count++ == 0)
        strbuf_add(list->first, text.data, text.size);
    return strbuf_error(list->first);
}

static int find_values(const struct client_endpoint *endpoint, const char *label,
                       struct strbuf *ret_first, size_t *ret_count, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT, body = STRBUF_INIT;
    struct value_list list = { .first = ret_first };
    strbuf_addf(&path, "/api/v1/label/%s/values", label);
    int rc = strbuf_error(&path);
    if (rc == 0)
        rc = client_http_fetch(endpoint, strbuf_text(&path), &body, err);
    if (rc == 0)
        rc = json_read(strbuf_span(&body), note_value, &list, err);
    *ret_count = list.count;
    return rc;
}

int grafana_site_find(const struct client_endpoint *endpoint, struct grafana_site *site,
                      struct err *err)
{
    int rc =
        find_values(endpoint, "cluster", &site->cluster, &site->cluster_count, err);
    return rc < 0 ? rc : find_values(endpoint, "fs", &site->fs, &site->fs_count, err);
}

/* ---- texts ---- */

static void add_replaced(struct strbuf *out, struct span text, const char *from,
                         struct span to)
{
    size_t from_size = strlen(from);
    const char *found;
    while ((found = memmem(text.data, text.size, from, from_size))) {
        size_t before = (size_t)(found - text.data);
        strbuf_add(out, text.data, before);
        strbuf_add(out, to.data, to.size);
        text = span_skip(text, before + from_size);
    }
    strbuf_add(out, text.data, text.size);
}

static void replace(struct strbuf *text, const char *from, const char *to)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    add_replaced(&out, strbuf_span(text), from, span_of(to));
    struct strbuf old = *text;
    *text = out;
    out = old;
}

/* A variable's name stands before its value. */
static void set_variable(struct strbuf *text, const char *name, struct span shown,
                         struct span value)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT, start = STRBUF_INIT;
    struct span rest = strbuf_span(text);
    if (value.size == 0)
        return;
    strbuf_addf(&start, "\"name\": \"%s\",", name);
    const char *found = memmem(rest.data, rest.size, strbuf_text(&start), start.size);
    const char *empty = found ? memmem(found, rest.size - (size_t)(found - rest.data),
                                       NO_VALUE, strlen(NO_VALUE))
                              : NULL;
    if (!empty || empty - found > 64)
        return;
    strbuf_add(&out, rest.data, (size_t)(empty - rest.data));
    strbuf_adds(&out, "\"current\": {\"selected\": false, \"text\": ");
    json_add_html_safe(&out, shown);
    strbuf_adds(&out, ", \"value\": ");
    json_add_html_safe(&out, value);
    strbuf_addc(&out, '}');
    rest = span_skip(rest, (size_t)(empty - rest.data) + strlen(NO_VALUE));
    strbuf_add(&out, rest.data, rest.size);
    struct strbuf old = *text;
    *text = out;
    out = old;
}

/* A text inside of a file of YAML: what would end it, or begin another line, does not
 * stand in an address. */
static int check_address(const char *what, const char *text, struct err *err)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c <= ' ' || strchr("\"'#${}[]", *c))
            return err_set(err, EINVAL, "%s: invalid address '%s'", what, text);
    return 0;
}

static int check_site(const struct grafana_site *site, struct err *err)
{
    struct span url = span_of(site->url);
    if (!span_starts(url, "http://") && !span_starts(url, "https://"))
        return err_set(err, EINVAL,
                       "Grafana does not reach barod at '%s': give its address with "
                       "--url, such as http://control:8091",
                       site->url);
    int rc = check_address("--url", site->url, err);
    if (rc < 0 || !site->postgresql)
        return rc;
    if (!strchr(site->postgresql, '/'))
        return err_set(err, EINVAL, "--postgresql: '%s' is not HOST[:PORT]/DATABASE",
                       site->postgresql);
    return check_address("--postgresql", site->postgresql, err);
}

static int set_postgresql(struct strbuf *text, const char *address)
{
    AUTO(strbuf_done) struct strbuf host = STRBUF_INIT, database = STRBUF_INIT;
    const char *slash = strchr(address, '/');
    strbuf_add(&host, address, (size_t)(slash - address));
    if (!memchr(address, ':', (size_t)(slash - address)))
        strbuf_adds(&host, ":5432");
    strbuf_addf(&database, "database: %s", slash + 1);
    if (strbuf_error(&host) < 0 || strbuf_error(&database) < 0)
        return -ENOMEM;
    replace(text, HOST_IN_FILES, strbuf_text(&host));
    replace(text, DATABASE_IN_FILES, strbuf_text(&database));
    return strbuf_error(text);
}

/* ---- files ---- */

struct writing {
    const char *dir; /* absolute */
    const struct grafana_site *site;
    grafana_written_fn *fn;
    void *arg;
    struct err *err;
};

static int make_text(const struct writing *w, const struct embedded_file *file,
                     struct strbuf *ret)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    bool is_postgresql = strstr(file->name, "postgresql");
    strbuf_add(ret, file->text.data, file->text.size);
    strbuf_addf(&path, "%s/dashboards", w->dir);
    if (span_starts(span_of(file->name), "provisioning/")) {
        replace(ret, URL_IN_FILES, w->site->url);
        replace(ret, PATH_IN_FILES, strbuf_text(&path));
        return is_postgresql ? set_postgresql(ret, w->site->postgresql)
                             : strbuf_error(ret);
    }
    set_variable(ret, "cluster", strbuf_span(&w->site->cluster),
                 strbuf_span(&w->site->cluster));
    set_variable(ret, "fs", strbuf_span(&w->site->fs), strbuf_span(&w->site->fs));
    set_variable(ret, "datasource",
                 is_postgresql ? SPAN("Barograph (PostgreSQL)") : SPAN("Barograph"),
                 is_postgresql ? SPAN("barograph-postgresql") : SPAN("barograph"));
    return strbuf_error(&path) < 0 ? -ENOMEM : strbuf_error(ret);
}

/* "prometheus/job.json" is dashboards/job.json, "postgresql/job.json"
 * dashboards/job-postgresql.json. */
static void path_of(const struct writing *w, const char *name, struct strbuf *ret)
{
    const char *base = strrchr(name, '/') + 1;
    bool is_postgresql = span_starts(span_of(name), "postgresql/");
    if (span_starts(span_of(name), "provisioning/"))
        strbuf_addf(ret, "%s/%s", w->dir, name);
    else
        strbuf_addf(ret, "%s/dashboards/%.*s%s.json", w->dir,
                    (int)(strlen(base) - strlen(".json")), base,
                    is_postgresql ? "-postgresql" : "");
}

static int write_file(const struct writing *w, const struct embedded_file *file)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT, path = STRBUF_INIT;
    if (strstr(file->name, "postgresql") && !w->site->postgresql)
        return 0;
    path_of(w, file->name, &path);
    int rc = make_text(w, file, &text);
    if (rc < 0 || strbuf_error(&path) < 0)
        return -ENOMEM;
    rc = file_replace(strbuf_text(&path), text.data, text.size, 0644, w->err);
    if (rc == 0)
        w->fn(w->arg, strbuf_text(&path));
    return rc;
}

int grafana_folder_write(const char *dir, const struct grafana_site *site,
                         grafana_written_fn *fn, void *arg, struct err *err)
{
    static const char *const folders[] = { "dashboards", "provisioning/datasources",
                                           "provisioning/dashboards" };
    char absolute[PATH_MAX];
    int rc = check_site(site, err);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(folders); i++) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        strbuf_addf(&path, "%s/%s", dir, folders[i]);
        rc = strbuf_error(&path) < 0 ? -ENOMEM
                                     : file_make_dirs(strbuf_text(&path), 0755, err);
    }
    if (rc == 0 && !realpath(dir, absolute))
        rc = err_set(err, errno, "%s: %s", dir, strerror(errno));
    struct writing w = {
        .dir = absolute, .site = site, .fn = fn, .arg = arg, .err = err
    };
    for (size_t i = 0; rc == 0 && i < grafana_files_count; i++)
        rc = write_file(&w, &grafana_files[i]);
    return rc;
}
