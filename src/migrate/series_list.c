/* SPDX-License-Identifier: Apache-2.0 */
/* series_list - every series that a barod has, by GET /v1/series. */
#include "migrate/series_list.h"

#include "base/span.h"

#include "base/table/csv_field.h"
#include "net/net.h"

#include <stdlib.h>

void series_list_done(struct series_list *list)
{
    free(list->items);
    arena_done(&list->names);
    *list = (struct series_list){ 0 };
}

static int add_listed(struct series_list *list, const struct strbuf *component,
                      const struct strbuf *metric, bool has_step)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        struct listed_series *items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return -ENOMEM;
        list->items = items;
        list->capacity = capacity;
    }
    const char *path = arena_dup(&list->names, strbuf_span(component));
    const char *name = arena_dup(&list->names, strbuf_span(metric));
    if (!path || !name)
        return -ENOMEM;
    list->items[list->count++] = (struct listed_series){ { path, component->size },
                                                         { name, metric->size },
                                                         has_step };
    return 0;
}

/* "component,metric,step", and a line of names above. */
static int read_list(struct series_list *list, struct span csv, struct err *err)
{
    AUTO(strbuf_done) struct strbuf component = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf metric = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf rest = STRBUF_INIT;
    struct span names;
    int rc = 0;
    (void)span_cut(&csv, '\n', &names);
    if (!span_starts(names, "component,metric,"))
        return err_set(err, EBADMSG, "barod's list of series has no components");
    while (rc == 0 && csv.size > 0) {
        csv_field_cut(&csv, &component);
        csv_field_cut(&csv, &metric);
        csv_field_cut(&csv, &rest);
        rc = component.error | metric.error | rest.error;
        if (rc == 0)
            rc = add_listed(list, &component, &metric, rest.size > 0);
    }
    return rc < 0 ? err_set(err, -rc, "out of memory") : 0;
}

int series_list_get(const struct http_peer *barod, const char *component,
                    struct series_list *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    AUTO(series_list_done) struct series_list list = { 0 };
    struct span body;
    net_url_init(&url, "/v1/series");
    net_url_add(&url, "component", component && *component ? component : NULL);
    net_url_add(&url, "format", "csv");
    if (strbuf_error(&url.text) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc =
        barod->get(barod->arg, strbuf_text(&url.text), (struct span){ 0 }, &body, err);
    if (rc == 0)
        rc = read_list(&list, body, err);
    if (rc < 0)
        return rc;
    *ret = list;
    list = (struct series_list){ 0 };
    return 0;
}
