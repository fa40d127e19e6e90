/* SPDX-License-Identifier: Apache-2.0 */
/* test_described_routes - the OpenAPI document against the routes of a whole barod:
 * each that is registered is described and no other, with its roles and statuses.
 */
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "daemon/test/house.h"

#include <ctype.h>
#include <errno.h>

#define STORE "[store]\ndirectory = none\n[metric load]\nstep = 10s\n"

enum { OPERATIONS_MAX = 128, STATUSES_MAX = 24 };

/* A path with a method, as the document describes it. */
struct operation {
    char path[100], method[8];
    unsigned roles;
    unsigned statuses[STATUSES_MAX];
    size_t status_count;
    bool is_registered;
};

struct document {
    struct operation operations[OPERATIONS_MAX];
    size_t count;
    char keys[8][100]; /* those that lead to the value that is read */
};

static struct house house;
static struct document document;

static unsigned role_bit(struct span name)
{
    static const enum net_role all[] = { NET_ROLE_READER,  NET_ROLE_USER,
                                         NET_ROLE_AGENT,   NET_ROLE_SCHEDULER,
                                         NET_ROLE_SUPPORT, NET_ROLE_ADMIN };
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (span_is(name, net_role_name(all[i])))
            return all[i];
    return 0;
}

static void begin_operation(struct document *d, struct span method)
{
    assert_true(d->count < OPERATIONS_MAX && method.size < sizeof d->keys[0]);
    struct operation *operation = &d->operations[d->count++];
    (void)snprintf(operation->path, sizeof operation->path, "%s", d->keys[1]);
    for (size_t i = 0; i < method.size && i + 1 < sizeof operation->method; i++)
        operation->method[i] = (char)toupper((unsigned char)method.data[i]);
}

static int add_status(struct operation *operation, struct span status)
{
    uint64_t number = 0;
    if (!operation || operation->status_count == STATUSES_MAX ||
        number_parse_u64(status, &number) < 0)
        return -EBADMSG;
    operation->statuses[operation->status_count++] = (unsigned)number;
    return 0;
}

static int read_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct document *d = arg;
    struct operation *last = d->count ? &d->operations[d->count - 1] : NULL;
    bool is_path = strcmp(d->keys[0], "paths") == 0;
    if (event == JSON_KEY && depth < COUNT_OF(d->keys)) {
        (void)snprintf(d->keys[depth], sizeof d->keys[depth], SPAN_FMT, SPAN_ARG(text));
        if (is_path && depth == 2)
            begin_operation(d, text);
        if (is_path && depth == 4 && strcmp(d->keys[3], "responses") == 0)
            return add_status(last, text);
    }
    if (event == JSON_STRING && last && is_path && depth == 5 &&
        strcmp(d->keys[3], "x-roles") == 0)
        last->roles |= role_bit(text);
    return 0;
}

static int house_make(void **state)
{
    struct err err = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf more = STRBUF_INIT;
    if (scratch_make(state) < 0)
        return -1;
    /* A session, for its routes. */
    strbuf_addf(
        &more,
        STORE
        "[session]\nsize = 1\nrank = 0\naddress = unix:%s.%%r\nstate = %s.state\n",
        scratch_path("session"), scratch_path("session"));
    house_load(&house, scratch_path("routes"), strbuf_text(&more));
    if (house_start(&house, &err) < 0)
        fail_msg("%s", err.text);
    api_openapi(&text);
    return json_read(strbuf_span(&text), read_event, &document, &err);
}

static int house_remove(void **state)
{
    house_stop(&house);
    return scratch_remove(state);
}

static struct operation *find_operation(const char *method, struct span path)
{
    for (size_t i = 0; i < document.count; i++)
        if (strcmp(document.operations[i].method, method) == 0 &&
            span_is(path, document.operations[i].path))
            return &document.operations[i];
    return NULL;
}

/* The pattern; a slash at its end is another writing of the same route. */
static struct span path_of(const struct net_route *route)
{
    struct span path = span_of(route->pattern);
    if (span_ends(path, "/"))
        path.size--;
    return path;
}

static void every_registered_route_is_described(void **state)
{
    size_t count;
    const struct net_route *routes = net_server_routes(house.d.parts.server, &count);
    (void)state;
    assert_true(count > 30);
    for (size_t i = 0; i < count; i++) {
        struct operation *operation =
            find_operation(routes[i].method, path_of(&routes[i]));
        unsigned roles = routes[i].roles ? routes[i].roles | NET_ROLE_ADMIN : 0;
        if (!operation)
            fail_msg("%s %s is not in the table of src/api/routes.c", routes[i].method,
                     routes[i].pattern);
        else if (operation->roles != roles)
            fail_msg("%s %s: roles %x, described as %x", routes[i].method,
                     routes[i].pattern, roles, operation->roles);
        else
            operation->is_registered = true;
    }
}

static void no_other_route_is_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < document.count; i++)
        if (!document.operations[i].is_registered)
            fail_msg("there is no %s %s", document.operations[i].method,
                     document.operations[i].path);
}

/* Of this method of the operation's path; where the path has none, of any. */
static void expect_described(const struct operation *operation, const char *method,
                             unsigned status)
{
    const struct operation *asked = find_operation(method, span_of(operation->path));
    if (!asked && status != 405)
        fail_msg("%s %s: %u, not 405", method, operation->path, status);
    asked = asked ? asked : operation;
    for (size_t i = 0; i < asked->status_count; i++)
        if (asked->statuses[i] == status)
            return;
    fail_msg("%s %s: %u is not described", method, asked->path, status);
}

/* What a client can request: {id} becomes a name. */
static void print_path(const struct operation *operation, const char *query, char *out,
                       size_t size)
{
    const char *brace = strchr(operation->path, '{');
    const char *end = brace ? strchr(brace, '}') : NULL;
    if (brace && end)
        (void)snprintf(out, size, "%.*sx%s%s", (int)(brace - operation->path),
                       operation->path, end + 1, query);
    else
        (void)snprintf(out, size, "%s%s", operation->path, query);
}

static void every_status_that_a_client_gets_is_described(void **state)
{
    static const char *const queries[] = {
        "",
        "?colour=red",
        "?limit=x&to=x&format=x&by=x&metric=nope&hosts=h",
        "?cluster=c&hosts=h&until=%2B1h&last=1h&to=now",
    };
    char path[200];
    (void)state;
    for (size_t i = 0; i < document.count; i++) {
        const struct operation *operation = &document.operations[i];
        for (size_t q = 0; q < COUNT_OF(queries); q++) {
            print_path(operation, queries[q], path, sizeof path);
            expect_described(operation, "GET", house_get(&house, path));
            expect_described(operation, "POST",
                             house_post(&house, path, "image/png", "what"));
            expect_described(operation, "POST",
                             house_post(&house, path, "application/json", "[1"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_registered_route_is_described),
        cmocka_unit_test(no_other_route_is_described),
        cmocka_unit_test(every_status_that_a_client_gets_is_described),
    };
    return cmocka_run_group_tests(tests, house_make, house_remove);
}
