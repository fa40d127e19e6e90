/* SPDX-License-Identifier: Apache-2.0 */
/* completion_values - what values of options and operands may be, as a barod has them.
 */
#ifndef CMD_COMPLETION_VALUES_H
#define CMD_COMPLETION_VALUES_H

#include "base/terminal/completion.h"

/* A completion_values_fn.  The barod is that of the line (--server) or of BARO_SERVER;
 * where it does not respond within a second the process ends without a word. */
void completion_values_add(struct completion *completion, const struct option *option,
                           struct span kind);

#endif
