/* SPDX-License-Identifier: Apache-2.0 */
/* get_param - one get_param in a child process, waited for to its end. */
#ifndef AGENT_GET_PARAM_H
#define AGENT_GET_PARAM_H

#include "agent/config.h"
#include "base/strbuf.h"

struct agent_answer {
    struct strbuf text, complaint;
    int error, status; /* as in agent_child_result */
    bool is_gone;
};

void agent_answer_done(struct agent_answer *answer);
DEFINE_AUTO_DONE(struct agent_answer, agent_answer_done);

/* Returns when the process is gone, or, when it hangs in the kernel, at the deadline:
 * then it is left to itself.  Errors: what starting it says; *ret is empty before. */
int agent_ask(const struct agent_opts *opts, const char *flag, const char *one,
              const char *two, struct agent_answer *ret);

#endif
