/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_batch_response - what claims to be barod's response to a batch; a response that
 * is read, printed and read again is the same.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "wire/wire.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(strbuf_done) struct strbuf printed = STRBUF_INIT;
    struct batch_response response, again;
    struct err err = { 0 };
    memset(&response, 0x5a, sizeof response);
    if (batch_response_parse((struct span){ (const char *)data, size }, &response,
                             &err) < 0) {
        fuzz_check(response.error_count == (size_t)0x5a5a5a5a5a5a5a5a); /* untouched */
        fuzz_check(err.text[0]);
        return 0;
    }
    fuzz_check(response.error_count <= BATCH_RESPONSE_ERRORS_MAX);
    batch_response_print(&response, &printed);
    if (strbuf_error(&printed))
        return 0;
    fuzz_check(batch_response_parse(strbuf_span(&printed), &again, NULL) == 0);
    fuzz_check(
        again.accepted == response.accepted && again.duplicate == response.duplicate &&
        again.refused == response.refused && again.replayed == response.replayed &&
        again.error_count == response.error_count);
    for (size_t i = 0; i < again.error_count; i++)
        fuzz_check(again.errors[i].entry == response.errors[i].entry);
    return 0;
}
