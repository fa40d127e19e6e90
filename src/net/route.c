/* SPDX-License-Identifier: Apache-2.0 */
/* route - the table of what is served, and taking paths apart. */
#include "net/route.h"

#include "base/span.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int route_decode(struct arena *arena, struct span text, bool is_query, struct span *ret)
{
    char *out = arena_alloc(arena, text.size + 1);
    size_t size = 0;
    if (!out)
        return -EMSGSIZE;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '%') {
            if (text.size - i < 3)
                return -EINVAL;
            int high = hex_digit(text.data[i + 1]);
            int low = hex_digit(text.data[i + 2]);
            if (high < 0 || low < 0 || (high == 0 && low == 0))
                return -EINVAL;
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && is_query) {
            c = ' ';
        }
        out[size++] = c;
    }
    *ret = (struct span){ out, size };
    return 0;
}

/* Does the undecoded path follow the pattern?  Variables are noted undecoded. */
static bool matches(const char *pattern, struct span path, struct net_pair *vars,
                    size_t *ret_count)
{
    struct span rest = span_of(pattern);
    size_t count = 0;
    for (;;) {
        struct span want, got;
        bool has_more = span_cut(&rest, '/', &want);
        if (span_cut(&path, '/', &got) != has_more)
            return false;
        bool is_var = span_starts(want, "{") && span_ends(want, "}");
        if (is_var && got.size && count < VARS_MAX)
            vars[count++] = (struct net_pair){
                .name = { want.data + 1, want.size - 2 },
                .value = got,
            };
        else if (!span_eq(want, got))
            return false;
        if (!has_more) {
            *ret_count = count;
            return true;
        }
    }
}

static bool is_method(const char *wanted, const char *method)
{
    return strcmp(wanted, method) == 0 ||
           (strcmp(method, "HEAD") == 0 && strcmp(wanted, "GET") == 0);
}

const struct net_route *route_find(struct net_request *request, const char *method,
                                   unsigned *ret_status, struct strbuf *allow)
{
    const struct net_server *server = request->server;
    *ret_status = 404;
    for (size_t i = 0; i < server->route_count; i++) {
        const struct net_route *route = &server->routes[i];
        if (!matches(route->pattern, request->raw_path, request->vars,
                     &request->var_count))
            continue;
        if (is_method(route->method, method))
            return route;
        *ret_status = 405;
        if (allow->size)
            strbuf_adds(allow, ", ");
        strbuf_adds(allow, route->method);
    }
    return NULL;
}

int net_server_add_route(struct net_server *server, const struct net_route *route)
{
    if (server->route_count == ROUTES_MAX)
        return -ENOMEM;
    server->routes[server->route_count++] = *route;
    return 0;
}

const struct net_route *net_server_routes(const struct net_server *server,
                                          size_t *ret_count)
{
    *ret_count = server->route_count;
    return server->routes;
}
