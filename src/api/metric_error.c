/* SPDX-License-Identifier: Apache-2.0 */
/* metric_error - errors below /api/, in the form of cc-metric-store. */
#include "api/metric_error.h"

#include "base/json_writer.h"

#include <string.h>

static const char *status_text(int status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    default:
        return "Internal Server Error";
    }
}

void metric_reply_error(struct net_request *request, int rc, const struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int status = 400; /* whatever the client did wrong */
    if (rc == -ENOMEM || rc == -EAGAIN || rc == -ESHUTDOWN)
        status = 503;
    else if (rc == -ETIMEDOUT)
        status = 504;
    const char *text = err && err->text[0] ? err->text : strerror(-rc);
    if (status == 503)
        net_reply_header(request, "Retry-After", "5");
    strbuf_addf(&body, "{\"status\":\"%s\",\"error\":", status_text(status));
    json_add_html_safe(&body, span_of(text));
    strbuf_adds(&body, "}\n");
    net_reply_json(request, (unsigned)status, &body);
}
