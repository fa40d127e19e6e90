/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_hostset - sets of host names: what is understood is printed so that it is
 * understood as the same set.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    AUTO(hostset_free) struct hostset *again = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    int rc = hostset_parse((struct span){ (const char *)data, size }, &set, &err);
    if (rc < 0) {
        fuzz_check(err.text[0] != '\0' && set == NULL);
        return 0;
    }
    size_t count = hostset_count(set);
    fuzz_check(count <= HOSTSET_HOSTS_MAX);
    for (size_t i = 0; i < count && i < 100; i++)
        fuzz_check(hostset_has(set, span_of(hostset_at(set, i))));
    hostset_print(set, &text);
    fuzz_check(strbuf_error(&text) == 0);
    if (count == 0)
        return 0;
    fuzz_check(hostset_parse(strbuf_span(&text), &again, &err) == 0);
    fuzz_check(hostset_count(again) == count);
    for (size_t i = 0; i < count; i++)
        fuzz_check(strcmp(hostset_at(again, i), hostset_at(set, i)) == 0);
    return 0;
}
