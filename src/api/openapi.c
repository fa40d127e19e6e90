/* SPDX-License-Identifier: Apache-2.0 */
/* openapi - the description of the routes, out of their table. */
#include "api/openapi.h"

#include "api/params.h"
#include "base/json_writer.h"
#include "base/span.h"

static void member(struct json_writer *w, const char *key, const char *value)
{
    json_key(w, key);
    json_text(w, value);
}

static void write_param(struct json_writer *w, const char *name, const char *where,
                        const char *type, const char *help)
{
    json_object(w);
    member(w, "name", name);
    member(w, "in", where);
    member(w, "description", help);
    json_key(w, "required");
    json_bool(w, strcmp(where, "path") == 0);
    json_key(w, "schema");
    json_object(w);
    member(w, "type", type);
    json_object_end(w);
    json_object_end(w);
}

static void write_params(struct json_writer *w, const struct api_route *route)
{
    json_key(w, "parameters");
    json_array(w);
    if (route->path_param)
        write_param(w, route->path_param, "path", "string", route->path_help);
    for (size_t i = 0; i < api_param_count; i++)
        if (api_params[i].groups & route->params)
            write_param(w, api_params[i].name, "query", api_params[i].type,
                        api_params[i].help);
    json_array_end(w);
}

static void write_content(struct json_writer *w, const char *type, const char *schema)
{
    char ref[96];
    (void)snprintf(ref, sizeof ref, "#/components/schemas/%s", schema);
    json_key(w, "content");
    json_object(w);
    json_key(w, type);
    json_object(w);
    json_key(w, "schema");
    json_object(w);
    member(w, "$ref", ref);
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
}

static void write_response(struct json_writer *w, const char *status,
                           const char *description, const char *type,
                           const char *schema)
{
    json_key(w, status);
    json_object(w);
    member(w, "description", description);
    write_content(w, type, schema);
    json_object_end(w);
}

static void write_empty(struct json_writer *w, const char *status,
                        const char *description)
{
    json_key(w, status);
    json_object(w);
    member(w, "description", description);
    json_object_end(w);
}

/* Which routes have a status, as far as it is not every route. */
enum { OF_ALL, OF_ROLES, OF_THINGS, OF_BODIES, OF_QUERIES };

static const struct {
    const char *status;
    int which;
    const char *description;
} problems[] = {
    { "400", OF_ALL, "A parameter or the body is not understood; detail names it." },
    { "401", OF_ROLES, "A token is needed, or the one shown is not valid." },
    { "403", OF_ROLES, "The sender's role may not do this." },
    { "404", OF_THINGS, "There is no such thing." },
    { "405", OF_ALL, "Not with this method: see Allow." },
    { "413", OF_BODIES, "The body is larger than is accepted: send it in parts." },
    { "414", OF_ALL, "Path and parameters are longer than is accepted." },
    { "415", OF_BODIES, "The body is of a type or coding that is not accepted." },
    { "422", OF_BODIES, "A number in the body is out of range." },
    { "429", OF_ALL,
      "The sender has its share, of requests a second or of memory: see Retry-After." },
    { "431", OF_ALL, "The header fields are longer than is accepted." },
    { "500", OF_ALL, "The server failed; its log states why." },
    { "503", OF_ALL, "Busy, or the database is away: see Retry-After." },
    { "504", OF_QUERIES, "The time limit of a query was exceeded." },
};

static bool has_status(const struct api_route *route, int which)
{
    bool is_query = route->run || route->fetch || route->is_limited;
    switch (which) {
    case OF_ROLES:
        return route->roles != NET_ROLE_NONE || route->is_redirect;
    case OF_THINGS:
        return is_query || route->params;
    case OF_BODIES:
        return route->request != NULL;
    case OF_QUERIES:
        return is_query;
    default:
        return true;
    }
}

static void write_responses(struct json_writer *w, const struct api_route *route)
{
    json_key(w, "responses");
    json_object(w);
    if (route->is_redirect)
        write_empty(w, "303", "See the page at Location.");
    else if (route->response)
        write_response(w, "200", "The response.",
                       route->response_type ? route->response_type : "application/json",
                       route->response);
    else if (route->is_accepted)
        write_empty(w, "202", "It is accepted, and done soon; there is no content.");
    else
        write_empty(w, "204", "Done; there is no content.");
    for (size_t i = 0; i < COUNT_OF(problems); i++)
        if (has_status(route, problems[i].which))
            write_response(w, problems[i].status, problems[i].description,
                           "application/problem+json", "Problem");
    json_object_end(w);
}

static void write_roles(struct json_writer *w, unsigned roles)
{
    static const enum net_role all[] = { NET_ROLE_READER, NET_ROLE_USER, NET_ROLE_AGENT,
                                         NET_ROLE_SCHEDULER, NET_ROLE_SUPPORT };
    json_key(w, "x-roles");
    json_array(w);
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (roles & all[i])
            json_text(w, net_role_name(all[i]));
    if (roles)
        json_text(w, net_role_name(NET_ROLE_ADMIN));
    json_array_end(w);
}

static void write_method(struct json_writer *w, const struct api_route *route)
{
    json_key(w, strcmp(route->method, "GET") == 0 ? "get" : "post");
    json_object(w);
    member(w, "summary", route->summary);
    write_roles(w, route->roles);
    write_params(w, route);
    if (route->request) {
        json_key(w, "requestBody");
        json_object(w);
        json_key(w, "required");
        json_bool(w, true);
        write_content(w, route->request_type ? route->request_type : "application/json",
                      route->request);
        json_object_end(w);
    }
    write_responses(w, route);
    json_object_end(w);
}

/* A path once, with all of its methods. */
static void write_path(struct json_writer *w, const struct api_route *routes,
                       size_t count, size_t at)
{
    const char *path = routes[at].path;
    for (size_t i = 0; i < at; i++)
        if (strcmp(routes[i].path, path) == 0)
            return;
    json_key(w, path);
    json_object(w);
    for (size_t i = at; i < count; i++)
        if (strcmp(routes[i].path, path) == 0)
            write_method(w, &routes[i]);
    json_object_end(w);
}

/* The shapes of responses, as they stand in the document. */
static const char schemas[] =
    "{\"Table\":{\"type\":\"object\",\"required\":[\"columns\",\"rows\",\"notes\"],"
    "\"description\":\"Columns with units, rows of cells in their order (null: not "
    "known), and notes on what a reader must know: gaps, interpolation, limits.\","
    "\"properties\":{\"columns\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"name\":{\"type\":\"string\"},\"type\":{\"type\":\"string\"},"
    "\"unit\":{\"type\":\"string\"}}}},"
    "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{}}},"
    "\"notes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}},"
    "\"Parts\":{\"type\":\"object\",\"description\":\"A member a table: an array "
    "of objects, a row each; null: not known.\",\"additionalProperties\":{"
    "\"type\":\"array\",\"items\":{\"type\":\"object\"}}},"
    "\"NodeSamples\":{\"type\":\"object\",\"required\":[\"cluster\",\"from_s\","
    "\"to_s\",\"window_s\",\"hosts\",\"metrics\"],"
    "\"description\":\"Means of equal windows from from_s on, of a counter rates; "
    "null: not observed.\",\"properties\":{"
    "\"cluster\":{\"type\":\"string\"},"
    "\"from_s\":{\"type\":\"integer\"},\"to_s\":{\"type\":\"integer\"},"
    "\"window_s\":{\"type\":\"integer\"},"
    "\"hosts\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"metrics\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\"},\"unit\":{\"type\":\"string\"},"
    "\"is_counter\":{\"type\":\"boolean\"},"
    "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"host\":{\"type\":\"integer\",\"description\":\"Of hosts, from 0.\"},"
    "\"device\":{\"type\":\"string\"},\"samples\":{\"type\":\"integer\"},"
    "\"min\":{\"type\":\"number\",\"nullable\":true},"
    "\"max\":{\"type\":\"number\",\"nullable\":true},"
    "\"values\":{\"type\":\"array\",\"items\":{\"type\":\"number\","
    "\"nullable\":true}}}}}}}}}},"
    "\"JobContext\":{\"type\":\"object\",\"required\":[\"job\",\"missing\"],"
    "\"description\":\"One job, part by part; a part that was not observed is null, "
    "and "
    "missing names it.\",\"properties\":{"
    "\"job\":{\"type\":\"object\"},"
    "\"steps\":{\"type\":\"array\",\"description\":\"Of the job, by their start; only "
    "where some are stored.\",\"items\":{\"type\":\"object\"}},"
    "\"has_more_steps\":{\"type\":\"boolean\"},"
    "\"node_health\":{\"type\":\"object\",\"description\":\"Of its nodes at its "
    "start, and at its end or now: how many were so, and those that were not up or "
    "changed; only where something was stated of one of them.\"},"
    "\"sessions\":{\"type\":\"array\",\"description\":\"That its owner ran in it, by "
    "their start; only where there are some.\",\"items\":{\"type\":\"object\"}},"
    "\"has_more_sessions\":{\"type\":\"boolean\"},"
    "\"datasets\":{\"type\":\"object\",\"description\":\"mounts: datasets that "
    "it had mounted, with digest, name as requested, path, options, command and "
    "hosts; hidden: how many more are private, for its owner and administrators; "
    "foreign: how many are left out, of hosts that are not its nodes.\"},"
    "\"ran_with\":{\"type\":\"object\",\"description\":\"Executables, libraries "
    "and files, where its owner had them recorded: for that person alone, for an "
    "administrator how many.\"},"
    "\"sentence\":{\"type\":\"string\",\"description\":\"What matters most.\"},"
    "\"findings\":{\"type\":\"array\",\"description\":\"The most expensive first; "
    "kind is a stable code.\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"kind\":{\"type\":\"string\"},"
    "\"text\":{\"type\":\"string\"},"
    "\"advice\":{\"type\":\"string\",\"nullable\":true},"
    "\"nodes\":{\"type\":\"string\",\"nullable\":true,\"description\":\"A host "
    "set.\"},"
    "\"devices\":{\"type\":\"string\",\"nullable\":true},"
    "\"measure\":{\"type\":\"string\"},"
    "\"value\":{\"type\":\"number\",\"nullable\":true},"
    "\"threshold\":{\"type\":\"number\",\"nullable\":true},"
    "\"false_alarms\":{\"type\":\"object\",\"nullable\":true,\"description\":\"As "
    "measured; null: not measured.\",\"properties\":{"
    "\"percent\":{\"type\":\"number\"},"
    "\"jobs\":{\"type\":\"integer\",\"description\":\"That had it in so many percent, "
    "falsely.\"},"
    "\"basis\":{\"type\":\"string\",\"enum\":[\"healthy-jobs\","
    "\"other-weather-climate\",\"other-weather-threshold\"]}}},"
    "\"cost\":{\"type\":\"object\"}}}},"
    "\"application\":{\"type\":\"object\",\"nullable\":true,\"description\":\"By "
    "what evidence it was recognised.\",\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"by\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"object\","
    "\"properties\":{\"value\":{\"type\":\"string\"},"
    "\"pattern\":{\"type\":\"string\"}}}}}},"
    "\"log\":{\"type\":\"object\",\"description\":\"Of its Darshan log, where barod "
    "found it: [darshan].\",\"additionalProperties\":true},"
    "\"site_findings\":{\"type\":\"array\",\"description\":\"Of [finding NAME] of "
    "the configuration, the most severe first.\",\"items\":{\"type\":\"object\","
    "\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"severity\":{\"type\":\"string\"},"
    "\"sentence\":{\"type\":\"string\"},"
    "\"advice\":{\"type\":\"string\",\"nullable\":true},"
    "\"link\":{\"type\":\"string\",\"nullable\":true},"
    "\"condition\":{\"type\":\"string\"},"
    "\"false_alarms\":{\"type\":\"object\",\"nullable\":true},"
    "\"tried\":{\"type\":\"object\",\"nullable\":true,\"description\":\"On past jobs: "
    "tried of the section.\",\"properties\":{"
    "\"made\":{\"type\":\"integer\"},\"jobs\":{\"type\":\"integer\"}}}}}},"
    "\"missing\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"part\":{\"type\":\"string\"},"
    "\"reason\":{\"type\":\"string\",\"nullable\":true}}}},"
    "\"evidence\":{\"type\":\"array\",\"description\":\"What a page can be made "
    "of.\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"text\":{\"type\":\"string\"},"
    "\"is_found\":{\"type\":\"boolean\"},"
    "\"reason\":{\"type\":\"string\",\"nullable\":true}}}}}},"
    "\"JobPage\":{\"type\":\"object\",\"properties\":{"
    "\"summary\":{\"$ref\":\"#/components/schemas/Table\"},"
    "\"operations\":{\"$ref\":\"#/components/schemas/Table\"},"
    "\"targets\":{\"$ref\":\"#/components/schemas/Table\"},"
    "\"nodes\":{\"$ref\":\"#/components/schemas/Table\"}}},"
    "\"Status\":{\"type\":\"object\",\"additionalProperties\":true},"
    "\"Document\":{\"type\":\"object\",\"additionalProperties\":true},"
    "\"Batch\":{\"description\":\"The nested or the flat form of "
    "doc/formats/jobstats-json.md.\"},"
    "\"Samples\":{\"type\":\"object\",\"description\":\"A series each; values "
    "stand step apart from from on, null where there is none; without a step "
    "they are numbers at times.\",\"properties\":{"
    "\"results\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"component\":{\"type\":\"string\"},"
    "\"metric\":{\"type\":\"string\"},\"unit\":{\"type\":\"string\"},"
    "\"from\":{\"type\":\"string\"},\"step\":{\"type\":\"number\",\"nullable\":true},"
    "\"times\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"values\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}},"
    "\"resets\":{\"type\":\"integer\",\"description\":\"Of a counter read as its rate: "
    "where no rate is known.\"}}}},"
    "\"missing\":{\"type\":\"array\",\"description\":\"What the request names and is "
    "not "
    "there; absent where nothing is missing.\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"component\":{\"type\":\"string\"},"
    "\"level\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"},"
    "\"near\":{\"type\":\"string\"}}}},"
    "\"notes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}},"
    "\"CompatQuery\":{\"description\":\"As cc-metric-store accepts it.\"},"
    "\"HealthQuery\":{\"description\":\"As cc-metric-store accepts it: cluster, "
    "hosts, metrics.\"},"
    "\"CompatResponse\":{\"description\":\"As cc-metric-store returns it; "
    "doc/compat.md says where not.\"},"
    "\"Selectors\":{\"type\":\"array\",\"items\":{\"type\":\"array\","
    "\"items\":{\"type\":\"string\"}}},"
    "\"Text\":{\"type\":\"string\"},"
    "\"Exempt\":{\"type\":\"object\",\"properties\":{"
    "\"hosts\":{\"type\":\"integer\"},"
    "\"exempt\":{\"type\":\"integer\",\"description\":\"All there are now.\"}}},"
    "\"Identity\":{\"type\":\"object\",\"description\":\"host, targets (none: all) and "
    "expires are the token's.\",\"properties\":{"
    "\"roles\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"user\":{\"type\":\"string\",\"nullable\":true},"
    "\"accounts\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"host\":{\"type\":\"string\",\"nullable\":true},"
    "\"targets\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"expires\":{\"type\":\"string\",\"nullable\":true},"
    "\"now\":{\"type\":\"string\"}}},"
    "\"BatchResponse\":{\"type\":\"object\",\"properties\":{"
    "\"accepted\":{\"type\":\"integer\"},\"duplicate\":{\"type\":\"integer\"},"
    "\"refused\":{\"type\":\"integer\"}}},"
    "\"RemoteWrite\":{\"type\":\"string\",\"format\":\"binary\",\"description\":"
    "\"prometheus.WriteRequest of remote write 1.0.\"},"
    "\"LineProtocol\":{\"type\":\"string\",\"description\":\"Lines as "
    "doc/formats/line-protocol.md describes them.\"},"
    "\"Lines\":{\"description\":\"An object a line: of a job as doc/formats/"
    "job-lists.md has it, of a summary as doc/formats/job-summary.md.\"},"
    "\"LinesResponse\":{\"type\":\"object\",\"properties\":{"
    "\"accepted\":{\"type\":\"integer\"},\"changed\":{\"type\":\"integer\"},"
    "\"duplicate\":{\"type\":\"integer\"},\"refused\":{\"type\":\"integer\"},"
    "\"refusals\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"line\":{\"type\":\"integer\"},\"reason\":{\"type\":\"string\"}}}}}},"
    "\"Problem\":{\"type\":\"object\",\"description\":\"RFC 7807.\",\"properties\":{"
    "\"type\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"
    "\"status\":{\"type\":\"integer\"},\"detail\":{\"type\":\"string\"}}}}";

void openapi_write(const struct api_route *routes, size_t count, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    member(&w, "openapi", "3.0.3");
    json_key(&w, "info");
    json_object(&w);
    member(&w, "title", "Barograph");
    member(&w, "version", "1");
    member(
        &w, "description",
        "What nodes, file systems and jobs do.  Routes below /v1/ only grow.  GET also "
        "serves HEAD; routes below /api/ of another program's also with a slash at "
        "their end.");
    json_object_end(&w);
    json_key(&w, "paths");
    json_object(&w);
    for (size_t i = 0; i < count; i++)
        write_path(&w, routes, count, i);
    json_object_end(&w);
    json_key(&w, "components");
    json_object(&w);
    json_key(&w, "schemas");
    json_raw(&w, span_of(schemas));
    json_key(&w, "securitySchemes");
    json_raw(&w, SPAN("{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}}"));
    json_object_end(&w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}
