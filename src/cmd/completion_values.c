/* SPDX-License-Identifier: Apache-2.0 */
/* completion_values - what values of options and operands may be, for so long as a
 * person waits for them. */
#include "cmd/completion_values.h"

#include "client/client.h"

#include <signal.h>
#include <unistd.h>

#define TIME_LIMIT_S 1

/* SIGALRM's own action would make some shells print a line. */
static void end_silently(int number)
{
    (void)number;
    _exit(EXIT_FAILED);
}

void completion_values_add(struct completion *completion, const struct option *option,
                           struct span kind)
{
    const struct sigaction action = { .sa_handler = end_silently };
    (void)sigaction(SIGALRM, &action, NULL);
    (void)alarm(TIME_LIMIT_S);
    completion_values_find(completion, option, kind);
    (void)alarm(0);
}
