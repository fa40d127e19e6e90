/* SPDX-License-Identifier: Apache-2.0 */
/* redfish_link - whether a link in a BMC's document is one that may be followed.
 *
 * A BMC is followed within itself alone: its documents never choose another host, port
 * or scheme, nor a path outside of /redfish/.
 *
 * Threads  any: pure.
 */
#ifndef BMC_REDFISH_LINK_H
#define BMC_REDFISH_LINK_H

#include "base/span_type.h"

#define REDFISH_LINK_BYTES 256 /* with the NUL */

/* NULL: it may be followed; else why not.  Static text. */
const char *redfish_link_check(struct span link);
/* The same of a path that an administrator wrote for a storage box, which may be
 * anywhere below /. */
const char *bmc_path_check(struct span path);

#endif
