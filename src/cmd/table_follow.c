/* SPDX-License-Identifier: Apache-2.0 */
/* table_follow - a table that is fetched and drawn again and again, until Ctrl-C. */
#include "cmd/table_follow.h"

#include "cmd/output.h"

int table_follow(const struct table_follow *follow, struct err *err)
{
    struct result_form form;
    const struct result_follow settled = {
        .fetch_fn = follow->fetch_fn,
        .arg = follow->arg,
        .interval_ns = follow->interval_ns ? follow->interval_ns : TABLE_FOLLOW_NS,
    };
    int rc = output_form(&form, follow->args->output, follow->args->raw, err);
    return rc < 0 ? rc : result_follow(&settled, &form, err);
}
