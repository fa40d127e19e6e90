/* SPDX-License-Identifier: Apache-2.0 */
/* storage_section - [storage NAME]: its keys, and whether they are right.
 *
 * Threads  none inside.
 */
#ifndef BMC_BOX_STORAGE_SECTION_H
#define BMC_BOX_STORAGE_SECTION_H

#include "bmc/target.h"

#define STORAGE_MAPPINGS_MAX 8
#define COUNT_OF_STORAGE_KEYS 13
extern const struct config_key storage_keys[COUNT_OF_STORAGE_KEYS];

/* Reads its mapping and its credentials, too.  Errors: -EINVAL, -EACCES, -ENOTSUP (a
 * build without SNMP), what reading returns, -ENOMEM. */
int storage_section_check(struct bmc_section *section, struct err *err);
/* Its mappings; before the configuration's texts are freed. */
void storage_section_done(struct bmc_section *section);

#endif
