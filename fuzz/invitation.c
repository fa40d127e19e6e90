/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_invitation - what a node of a job's session reads: what is accepted is printed
 * and read again as the same.
 */
#include "jobsession/invitation.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

#include <errno.h>

static bool is_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static void check_again(const struct invitation *first)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(invitation_done) struct invitation second = { .config = NULL };
    struct err err = { 0 };
    fuzz_check(invitation_print(first, UINT32_MAX, &text) == 0);
    fuzz_check(invitation_is_whole(strbuf_span(&text)));
    fuzz_check(invitation_parse(strbuf_span(&text), &second, &err) == 0);
    fuzz_check(memcmp(&first->key, &second.key, sizeof first->key) == 0);
    fuzz_check(is_same(first->session.hosts, second.session.hosts));
    fuzz_check(is_same(first->session.control_address, second.session.control_address));
    fuzz_check(is_same(first->plugins.directory, second.plugins.directory));
    fuzz_check(first->session.heartbeat_ns == second.session.heartbeat_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(invitation_done) struct invitation invitation = { .config = NULL };
    struct err err = { 0 };
    int rc =
        invitation_parse((struct span){ (const char *)data, size }, &invitation, &err);
    fuzz_check(rc == 0 || rc == -EINVAL || rc == -ENOMEM);
    if (rc == 0)
        check_again(&invitation);
    return 0;
}
