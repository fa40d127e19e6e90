/* SPDX-License-Identifier: Apache-2.0 */
/* head - what the head of a request states: path, query, headers, length of the body.
 */
#include "net/head.h"

#include "base/number.h"
#include "base/span.h"
#include "net/route.h"

#include <strings.h>

/* ---- what it says ---- */

const char *net_request_method(const struct net_request *r)
{
    return r->method;
}

struct span net_request_path(const struct net_request *r)
{
    return r->path;
}

static struct span find_pair(const struct net_pair *pairs, size_t count,
                             const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (span_is(pairs[i].name, name))
            return pairs[i].value;
    return (struct span){ 0 };
}

struct span net_request_var(const struct net_request *r, const char *name)
{
    return find_pair(r->vars, r->var_count, name);
}

struct span net_request_query(const struct net_request *r, const char *name)
{
    return find_pair(r->queries, r->query_count, name);
}

bool net_request_query_at(const struct net_request *r, size_t index,
                          struct span *ret_name, struct span *ret_value)
{
    if (index >= r->query_count)
        return false;
    *ret_name = r->queries[index].name;
    *ret_value = r->queries[index].value;
    return true;
}

struct span net_request_header(const struct net_request *r, const char *name)
{
    return span_of(MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name));
}

struct header_count {
    const char *name;
    size_t count;
    struct span value;
};

static enum MHD_Result count_header(void *arg, enum MHD_ValueKind kind, const char *key,
                                    size_t key_size, const char *value,
                                    size_t value_size)
{
    struct header_count *counted = arg;
    (void)kind;
    if (key_size == strlen(counted->name) &&
        strncasecmp(key, counted->name, key_size) == 0) {
        counted->count++;
        counted->value = (struct span){ value ? value : "", value_size };
    }
    return MHD_YES;
}

size_t head_count_header(const struct net_request *r, const char *name,
                         struct span *ret)
{
    struct header_count counted = { .name = name };
    (void)MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND, count_header,
                                      &counted);
    if (counted.count == 1)
        *ret = counted.value;
    return counted.count;
}

struct span net_request_header_last(const struct net_request *r, const char *name)
{
    struct header_count counted = { .name = name };
    (void)MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND, count_header,
                                      &counted);
    return counted.value;
}

/* ---- decoding ---- */

size_t head_unescape_nothing(void *arg, struct MHD_Connection *connection, char *text)
{
    (void)arg;
    (void)connection;
    return strlen(text);
}

struct query_list {
    struct net_request *request;
    size_t count;
    int rc;
};

static enum MHD_Result count_query(void *arg, enum MHD_ValueKind kind, const char *key,
                                   size_t key_size, const char *value,
                                   size_t value_size)
{
    (void)kind;
    struct query_list *list = arg;
    struct net_request *r = list->request;
    if (r->query_count == list->count)
        return MHD_NO;
    struct net_pair *pair = &r->queries[r->query_count];
    list->rc =
        route_decode(&r->arena, (struct span){ key, key_size }, true, &pair->name);
    if (list->rc == 0)
        list->rc =
            route_decode(&r->arena, (struct span){ value ? value : "", value_size },
                         true, &pair->value);
    if (list->rc < 0)
        return MHD_NO;
    r->query_count++;
    return MHD_YES;
}

static int read_queries(struct net_request *r)
{
    int count =
        MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, NULL, NULL);
    if (count <= 0)
        return 0;
    if (count > QUERIES_MAX)
        return -EINVAL;
    struct query_list list = { .request = r, .count = (size_t)count };
    r->queries = arena_alloc(&r->arena, list.count * sizeof *r->queries);
    if (!r->queries)
        return -ENOMEM;
    (void)MHD_get_connection_values_n(r->connection, MHD_GET_ARGUMENT_KIND, count_query,
                                      &list);
    return list.rc;
}

int head_decode(struct net_request *r)
{
    int rc = route_decode(&r->arena, r->raw_path, false, &r->path);
    for (size_t i = 0; rc == 0 && i < r->var_count; i++)
        rc = route_decode(&r->arena, r->vars[i].value, false, &r->vars[i].value);
    return rc < 0 ? rc : read_queries(r);
}

/* ---- the body that follows ---- */

bool head_has_content_type(const struct net_request *r)
{
    struct span got = net_request_header(r, "Content-Type");
    struct span parameters = got;
    (void)span_cut(&parameters, ';', &got);
    got = span_trim(got);
    const char *const *types = r->route->content_types;
    for (size_t i = 0; types && types[i]; i++)
        if (span_is(got, types[i]))
            return true;
    return types == NULL;
}

uint64_t head_body_length(const struct net_request *r)
{
    uint64_t length = 0;
    if (net_request_header(r, "Transfer-Encoding").data)
        return UINT64_MAX;
    struct span text = net_request_header(r, "Content-Length");
    if (text.data && number_parse_u64(span_trim(text), &length) < 0)
        return UINT64_MAX;
    return length;
}
