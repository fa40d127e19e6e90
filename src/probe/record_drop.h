/* SPDX-License-Identifier: Apache-2.0 */
/* record_drop - the oldest records of an archive removed, with the logs beside them. */
#ifndef PROBE_RECORD_DROP_H
#define PROBE_RECORD_DROP_H

#include <stdint.h>

/* At most documents_max documents stay.  A log of all ranks of a campaign stays as long
 * as one of its records.  What cannot be removed stays. */
void record_drop_oldest(const char *dir, uint64_t documents_max);

#endif
