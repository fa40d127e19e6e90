/* SPDX-License-Identifier: Apache-2.0 */
/* record - what is read of a visit's first dataset, by way of the agent. */
#include "base/strbuf.h"
#include "dataset/visit/visit.h"

int visit_record(const struct visit *visit, struct err *err)
{
    const struct agent_request request = { .kind = AGENT_REQUEST_RECORD };
    return err_prefix(err, visit_query(visit, &request, err), "dataset '%s'",
                      visit->datasets[0].name);
}

int visit_profile(const struct visit *visit, struct strbuf *out, struct err *err)
{
    const struct agent_request request = { .kind = AGENT_REQUEST_PROFILE };
    char line[AGENT_LINE_MAX];
    size_t size = 0;
    int rc = visit_query(visit, &request, err);
    if (rc < 0)
        return err_prefix(err, rc, "dataset '%s'", visit->datasets[0].name);
    while ((rc = agent_line_receive(visit->fd, line, &size, NULL)) == 0 && size) {
        strbuf_add(out, line, size);
        strbuf_addc(out, '\n');
        if (out->size > VISIT_PROFILE_MAX)
            return err_set(err, E2BIG, "the agent's profile is too long");
    }
    return rc < 0 ? err_set(err, -rc, "the agent: %s", strerror(-rc))
                  : strbuf_error(out);
}
