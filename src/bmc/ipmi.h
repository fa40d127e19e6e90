/* SPDX-License-Identifier: Apache-2.0 */
/* ipmi - one reading of one BMC by IPMI over the network, through ipmitool.
 *
 *     ipmitool raw 0x00 0x01         power, faults of the chassis
 *     ipmitool raw 0x0a 0x43 ...     the newest record of its log; where it is another
 *                                    than the last one seen, those between
 *
 * ipmitool is a child in a process group of its own, with an environment that has
 * nothing but PATH, limits of memory, CPU time, files and what it prints, and a
 * deadline; it gets the password by a file without a name.
 *
 * Bounds   CALLS_MAX children of a reading, one at a time; OUTPUT_BYTES_MAX of each.
 * Threads  any.
 */
#ifndef BMC_IPMI_H
#define BMC_IPMI_H

#include "bmc/log_cursor.h"
#include "bmc/target.h"

#define IPMI_CALLS_MAX 40

/* As redfish_read(). */
int ipmi_read(const struct bmc_target *target, const struct log_cursor *cursor,
              struct bmc_report *report, struct log_seen *seen, struct err *err);

/* Whether the program is there.  Errors: -ENOENT, with the remedy. */
int ipmi_check(struct err *err);

#endif
