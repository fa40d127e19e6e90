/* SPDX-License-Identifier: Apache-2.0 */
/* metric_error - errors below /api/, in the form of cc-metric-store. */
#include "api/metric/metric_error.h"

#include "base/json_writer.h"
#include "base/span.h"

#include <string.h>

/* cc-metric-store knows no other 4xx, and no 500 but of its own parsing. */
unsigned metric_error_status(int rc)
{
    int status = err_http_status(rc);
    return status > 500 ? (unsigned)status : 400;
}

void metric_reply_error(struct net_request *request, int rc, const struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    unsigned status = metric_error_status(rc);
    const char *text = err && err->text[0] ? err->text : strerror(-rc);
    if (status == 503)
        net_reply_header(request, "Retry-After", "5");
    strbuf_addf(&body, "{\"status\":\"%s\",\"error\":", status_reason(status));
    json_add_html_safe(&body, span_of(text));
    strbuf_adds(&body, "}\n");
    net_reply_json(request, status, &body);
}
