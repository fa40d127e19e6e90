/* SPDX-License-Identifier: Apache-2.0 */
/* snmp - one reading of a storage box by SNMP, through its mapping.
 *
 *     a walk each column ─▶ box_rows ─▶ report
 *
 * A column ends where an object of another comes, the one of values at BOX_ROWS_MAX:
 * only what has a value is a row.  An object that is not behind the one before is the
 * end of its table, with an error: of a table that was not read whole nothing is
 * reported.
 *
 * Bounds   those of box_session.h and box_rows.h.
 * Threads  any.
 */
#ifndef BMC_BOX_SNMP_H
#define BMC_BOX_SNMP_H

#include "bmc/report.h"
#include "bmc/target.h"

/* As box_rest_read(). */
int box_snmp_read(const struct bmc_target *target, struct bmc_report *report,
                  struct err *err);

/* Whether this build can; before there are threads.  Errors: -ENOTSUP, with the remedy.
 */
int box_snmp_check(struct err *err);

#endif
