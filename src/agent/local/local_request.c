/* SPDX-License-Identifier: Apache-2.0 */
/* local_request - one line that a program on this node sends to its agent. */
#include "agent/local/local_request.h"

#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#include <errno.h>
#include <math.h>

/* A lower-case letter, then letters, digits and '_': what every metric is named like.
 */
static bool is_metric_name(struct span name)
{
    if (name.size == 0 || name.size > LOCAL_NAME_BYTES_MAX || name.data[0] < 'a' ||
        name.data[0] > 'z')
        return false;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return true;
}

static const char *parse_metric(struct span rest, struct local_request *request)
{
    struct span value;
    (void)span_cut(&rest, ' ', &request->name);
    (void)span_cut(&rest, ' ', &value);
    if (!is_metric_name(request->name))
        return "a metric's name has a lower-case letter, then at most 47 of a-z, 0-9 "
               "and '_'";
    if (rest.size > 0 || number_parse_double(value, &request->value) < 0 ||
        !isfinite(request->value))
        return "a metric's value is one finite number";
    return NULL;
}

static const char *parse_event(struct span rest, struct local_request *request)
{
    (void)span_cut(&rest, ' ', &request->name);
    request->payload = rest;
    if (request->name.size == 0)
        return "an event has a name";
    if (rest.size > LOCAL_PAYLOAD_BYTES_MAX)
        return "an event's payload has at most 4,096 bytes";
    return NULL;
}

int local_number_parse(struct span text, struct local_number *ret)
{
    struct local_number number;
    struct span incarnation;
    if (!span_cut(&text, '.', &incarnation) ||
        number_parse_u64(incarnation, &number.incarnation) < 0 ||
        number_parse_u64(text, &number.sequence) < 0)
        return -EINVAL;
    *ret = number;
    return 0;
}

static bool is_session_id(struct span text)
{
    if (text.size != SESSION_ID_BYTES)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (!(text.data[i] >= '0' && text.data[i] <= '9') &&
            !(text.data[i] >= 'a' && text.data[i] <= 'f'))
            return false;
    return true;
}

static const char *parse_watch(struct span rest, struct local_request *request)
{
    struct span what;
    (void)span_cut(&rest, ' ', &what);
    if (span_is(what, "session") && is_session_id(rest)) {
        request->kind = LOCAL_WATCH_SESSION;
        request->payload = rest;
        return NULL;
    }
    request->kind = LOCAL_WATCH_NODE;
    if (span_is(what, "node") &&
        (rest.size == 0 || local_number_parse(rest, &request->after) == 0))
        return NULL;
    return "a watch is 'watch node [NUMBER.NUMBER]' or 'watch session ID'";
}

int local_request_parse(struct span line, struct local_request *ret,
                        const char **ret_why)
{
    struct local_request request = { .value = 0 };
    struct span rest = line, verb;
    (void)span_cut(&rest, ' ', &verb);
    if (span_is(verb, "metric")) {
        request.kind = LOCAL_METRIC;
        *ret_why = parse_metric(rest, &request);
    } else if (span_is(verb, "event")) {
        request.kind = LOCAL_EVENT;
        *ret_why = parse_event(rest, &request);
    } else if (span_is(verb, "session")) {
        request.kind = LOCAL_SESSION; /* who receives it reads it */
        request.payload = rest;
    } else if (span_is(verb, "files")) {
        request.kind = LOCAL_FILES;
        request.payload = rest;
    } else if (span_is(verb, "watch")) {
        *ret_why = parse_watch(rest, &request);
    } else {
        *ret_why = "a request is 'metric NAME VALUE', 'event NAME PAYLOAD', "
                   "'session JSON', 'files FILE...', 'watch node' or "
                   "'watch session ID'";
    }
    if (*ret_why)
        return -EINVAL;
    *ret = request;
    return 0;
}
