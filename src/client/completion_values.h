/* SPDX-License-Identifier: Apache-2.0 */
/* completion_values - what values of options and operands may be, as a barod has them.
 */
#ifndef CLIENT_COMPLETION_VALUES_H
#define CLIENT_COMPLETION_VALUES_H

#include "base/terminal/completion.h"

/* A completion_values_fn.  The barod is that of the line (--server) or of BARO_SERVER.
 */
void completion_values_find(struct completion *completion, const struct option *option,
                            struct span kind);

#endif
