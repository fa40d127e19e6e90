/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_local_request - a line of a program on a node, and the text of a process's
 * cgroups: what is accepted lies within the text and has the form that a metric's or a
 * job's name has.
 */
#include "agent/local/local_request.h"
#include "base/span.h"
#include "base/system/process_job.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void check_within(struct span part, struct span whole)
{
    fuzz_check(part.size == 0 || (part.data >= whole.data &&
                                  part.data + part.size <= whole.data + whole.size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = { (const char *)data, size };
    struct local_request request = { .value = 0 };
    char job[JOB_ID_BYTES];
    const char *why = NULL;
    int rc = local_request_parse(text, &request, &why);
    fuzz_check((rc == 0 && !why) || (rc == -EINVAL && why));
    if (rc == 0) {
        check_within(request.name, text);
        check_within(request.payload, text);
        bool is_named = request.kind == LOCAL_METRIC || request.kind == LOCAL_EVENT;
        fuzz_check((request.name.size > 0) == is_named);
        fuzz_check(request.kind != LOCAL_EVENT ||
                   request.payload.size <= LOCAL_PAYLOAD_BYTES_MAX);
        fuzz_check(request.kind != LOCAL_WATCH_SESSION || request.payload.size == 32);
        fuzz_check(request.kind != LOCAL_WATCH_NODE || request.payload.size == 0);
        fuzz_check(
            request.kind != LOCAL_METRIC ||
            (request.name.size <= LOCAL_NAME_BYTES_MAX && isfinite(request.value)));
    }
    memset(job, 'x', sizeof job);
    if (process_job_of_text(text, job)) {
        fuzz_check(job[0] != '\0' && memchr(job, '\0', sizeof job));
        fuzz_check(strspn(job, "0123456789") == strlen(job));
    }
    return 0;
}
