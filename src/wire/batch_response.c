/* SPDX-License-Identifier: Apache-2.0 */
/* batch_response - what barod reports of a batch of rows. */
#include "wire/batch_response.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"

/* ---- printing ---- */

void batch_response_print(const struct batch_response *response, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "accepted");
    json_u64(&w, response->accepted);
    json_key(&w, "duplicate");
    json_u64(&w, response->duplicate);
    json_key(&w, "refused");
    json_u64(&w, response->refused);
    json_key(&w, "replayed");
    json_bool(&w, response->replayed);
    json_key(&w, "errors");
    json_array(&w);
    for (size_t i = 0; i < response->error_count; i++) {
        json_object(&w);
        json_key(&w, "entry");
        json_u64(&w, response->errors[i].entry);
        json_key(&w, "reason");
        json_text(&w, response->errors[i].reason);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
}

/* ---- parsing ---- */

/* Depths: the object 0, "errors" 1, one error 2, its members 3. */
enum member {
    MEMBER_NONE,
    MEMBER_ACCEPTED,
    MEMBER_DUPLICATE,
    MEMBER_REFUSED,
    MEMBER_REPLAYED,
    MEMBER_ERRORS,
    MEMBER_ENTRY,
    MEMBER_REASON,
};

struct response_parser {
    struct batch_response response;
    enum member member; /* of the key read last */
    bool is_in_errors;
    bool has_accepted;
    struct err *err;
};

static enum member response_member(struct span key, unsigned depth, bool is_in_errors)
{
    static const struct {
        const char *name;
        unsigned depth;
        enum member member;
    } members[] = {
        { "accepted", 0, MEMBER_ACCEPTED }, { "duplicate", 0, MEMBER_DUPLICATE },
        { "refused", 0, MEMBER_REFUSED },   { "replayed", 0, MEMBER_REPLAYED },
        { "errors", 0, MEMBER_ERRORS },     { "entry", 2, MEMBER_ENTRY },
        { "reason", 2, MEMBER_REASON },
    };
    for (size_t i = 0; i < COUNT_OF(members); i++)
        if (members[i].depth == depth && (depth == 0 || is_in_errors) &&
            span_is(key, members[i].name))
            return members[i].member;
    return MEMBER_NONE;
}

/* The error that is open, or NULL where there are more than are named. */
static struct batch_error *response_error(struct response_parser *p)
{
    size_t count = p->response.error_count;
    return count <= BATCH_RESPONSE_ERRORS_MAX ? &p->response.errors[count - 1] : NULL;
}

static int response_count(struct response_parser *p, struct span text)
{
    uint64_t value = 0;
    if (number_parse_u64(text, &value) < 0)
        return err_set(p->err, EBADMSG, "a count that is not one of 64 bits");
    if (p->member == MEMBER_ACCEPTED) {
        p->response.accepted = value;
        p->has_accepted = true;
    } else if (p->member == MEMBER_DUPLICATE) {
        p->response.duplicate = value;
    } else if (p->member == MEMBER_REFUSED) {
        p->response.refused = value;
    } else if (p->member == MEMBER_ENTRY && response_error(p)) {
        response_error(p)->entry = value;
    }
    return 0;
}

static int on_response_value(struct response_parser *p, enum json_event event,
                             struct span text, unsigned depth)
{
    bool is_count = p->member == MEMBER_ACCEPTED || p->member == MEMBER_DUPLICATE ||
                    p->member == MEMBER_REFUSED || p->member == MEMBER_ENTRY;
    bool is_direct = depth == (p->member >= MEMBER_ENTRY ? 3U : 1U);
    if (p->member == MEMBER_NONE || !is_direct)
        return 0;
    if (is_count && event == JSON_NUMBER)
        return response_count(p, text);
    if (is_count)
        return err_set(p->err, EBADMSG, "a count that is not a number");
    if (p->member == MEMBER_REPLAYED)
        p->response.replayed = event == JSON_TRUE;
    if (p->member == MEMBER_REASON && event == JSON_STRING && response_error(p)) {
        struct batch_error *error = response_error(p);
        (void)snprintf(error->reason, sizeof error->reason, SPAN_FMT, SPAN_ARG(text));
    }
    return 0;
}

static int on_response_json(void *arg, enum json_event event, struct span text,
                            unsigned depth)
{
    struct response_parser *p = arg;
    switch (event) {
    case JSON_KEY:
        p->member = response_member(text, depth, p->is_in_errors);
        return 0;
    case JSON_ARRAY:
        if (depth == 1)
            p->is_in_errors = p->member == MEMBER_ERRORS;
        return depth == 0 ? err_set(p->err, EBADMSG, "an array") : 0;
    case JSON_OBJECT:
        if (depth == 2 && p->is_in_errors)
            p->response.error_count++;
        return 0;
    case JSON_ARRAY_END:
        p->is_in_errors &= depth > 1;
        return 0;
    case JSON_OBJECT_END:
        p->member = MEMBER_NONE;
        return 0;
    default:
        return on_response_value(p, event, text, depth);
    }
}

int batch_response_parse(struct span text, struct batch_response *ret, struct err *err)
{
    struct response_parser parser = { .err = err };
    int rc = json_read(text, on_response_json, &parser, err);
    if (rc < 0)
        return rc;
    if (!parser.has_accepted)
        return err_set(err, EBADMSG, "no \"accepted\": not the response to a batch");
    if (parser.response.error_count > BATCH_RESPONSE_ERRORS_MAX)
        parser.response.error_count = BATCH_RESPONSE_ERRORS_MAX;
    *ret = parser.response;
    return 0;
}
