/* SPDX-License-Identifier: Apache-2.0 */
/* snmp_absent - a build without libnetsnmp states so; it stands in snmp's place. */
#include "bmc/box/snmp.h"

int box_snmp_check(struct err *err)
{
    return err_set(err, ENOTSUP,
                   "protocol: this baro-bmc was built without SNMP (libsnmp-dev)");
}

int box_snmp_read(const struct bmc_target *target, struct bmc_report *report,
                  struct err *err)
{
    (void)target;
    (void)report;
    return box_snmp_check(err);
}
