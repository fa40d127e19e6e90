/* SPDX-License-Identifier: Apache-2.0 */
/* get_param - one get_param in a child process, waited for to its end. */
#ifndef AGENT_GET_PARAM_H
#define AGENT_GET_PARAM_H

#include "agent/config.h"
#include "base/strbuf.h"

struct param_result {
    struct strbuf text, complaint;
    int error, status; /* as in agent_child_result */
    bool is_gone;
};

void param_result_done(struct param_result *result);
DEFINE_AUTO_DONE(struct param_result, param_result_done);

/* Returns when the process is gone, or, when it hangs in the kernel, at the deadline:
 * then it is left to itself.  Errors: what starting it returns; *ret is empty before.
 */
int get_param_wait(const struct agent_opts *opts, const char *flag, const char *one,
                   const char *two, struct param_result *ret);

#endif
