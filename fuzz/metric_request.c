/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_metric_request - the bodies of /api/query, /api/healthcheck and /api/free; the
 * first byte says which.
 */
#include "api/metric/metric_request.h"
#include "fuzz/fuzz.h"

static size_t walk(const struct metric_names *names)
{
    size_t size = 0;
    for (size_t i = 0; i < names->count; i++) {
        fuzz_check(names->items[i].data != NULL);
        size += names->items[i].size;
    }
    return size;
}

static void check_query(struct span body)
{
    struct metric_request request = { 0 };
    struct err err = { 0 };
    if (metric_request_parse(body, NULL, &request, &err) < 0) {
        fuzz_check(err.text[0] != '\0');
        return;
    }
    size_t size = walk(&request.for_all);
    for (size_t i = 0; i < request.query_count; i++) {
        const struct metric_selection *s = &request.queries[i].selection;
        size += walk(&s->ids) + walk(&s->sub_ids) + s->type.size;
        fuzz_check(s->has_type == (s->type.data != NULL));
    }
    fuzz_check(size <= body.size); /* a string is no longer than its text */
    metric_request_done(&request);
}

static void check_health(struct span body)
{
    struct health_request request = { 0 };
    struct err err = { 0 };
    if (health_request_parse(body, NULL, &request, &err) < 0)
        return;
    fuzz_check(walk(&request.nodes) + walk(&request.metrics) <= body.size);
    health_request_done(&request);
}

static void check_free(struct span body)
{
    struct free_request request = { 0 };
    struct err err = { 0 };
    size_t size = 0;
    if (free_request_parse(body, &request, &err) < 0)
        return;
    for (size_t i = 0; i < request.selector_count; i++)
        size += walk(&request.selectors[i]);
    fuzz_check(size <= body.size);
    free_request_done(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct span body = { (const char *)data + 1, size - 1 };
    if (data[0] % 3 == 0)
        check_query(body);
    else if (data[0] % 3 == 1)
        check_health(body);
    else
        check_free(body);
    return 0;
}
