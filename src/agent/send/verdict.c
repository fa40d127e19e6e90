/* SPDX-License-Identifier: Apache-2.0 */
/* verdict - what a response to a batch means for the batch. */
#include "agent/send/delivery.h"
#include "base/json_reader.h"
#include "base/span.h"

static int on_problem_json(void *arg, enum json_event event, struct span text,
                           unsigned depth)
{
    bool *has_title = arg;
    *has_title |= event == JSON_KEY && depth == 0 && span_is(text, "title");
    return 0;
}

/* A problem in barod's own words, not those of a proxy? */
static bool is_problem(struct span body)
{
    bool has_title = false;
    return json_read(body, on_problem_json, &has_title, NULL) == 0 && has_title;
}

enum verdict delivery_judge(unsigned status, struct span body, uint32_t entries,
                            struct batch_response *ret)
{
    if (status == 200 && batch_response_parse(body, ret, NULL) == 0)
        return VERDICT_ACCEPTED;
    /* One row is as small as a batch can be. */
    if (status == 413 && entries != 1)
        return VERDICT_TOO_LARGE;
    if ((status == 400 || status == 413 || status == 422) && is_problem(body))
        return VERDICT_REFUSED;
    bool is_unwanted = status < 500 && status != 408 && status != 425 && status != 429;
    return is_unwanted ? VERDICT_UNWANTED : VERDICT_AWAY;
}
