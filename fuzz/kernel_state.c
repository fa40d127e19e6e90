/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_kernel_state - the agent's file of how far it has read the kernel's messages:
 * what is accepted is written as it was read.
 */
#include "agent/sampling/kernel_state.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct kernel_state state, again;
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
    int rc = kernel_state_parse((struct span){ (const char *)data, size }, &state);
    fuzz_check(rc == 0 || rc == -EBADMSG);
    fuzz_check(state.health_count <= KERNEL_HEALTHS_MAX);
    if (rc < 0)
        return 0;
    kernel_state_print(&state, &first);
    fuzz_check(kernel_state_parse(strbuf_span(&first), &again) == 0);
    kernel_state_print(&again, &second);
    fuzz_check(span_eq(strbuf_span(&first), strbuf_span(&second)));
    return 0;
}
