/* SPDX-License-Identifier: Apache-2.0 */
/* sample_private - how the readers of this room fill a sample; for this room alone. */
#ifndef SOURCE_HEALTH_SAMPLE_PRIVATE_H
#define SOURCE_HEALTH_SAMPLE_PRIVATE_H

#include "source/health/sample.h"

/* The Lustre target called name, added when it is new.  *ret belongs to sample and is
 * valid until the next one is added.
 * Errors: -EINVAL (not the name of a target), -E2BIG (HEALTH_TARGETS_MAX or
 * HEALTH_FILESYSTEMS_MAX), -ENOMEM. */
int health_sample_target(struct health_sample *sample, struct span name,
                         struct health_target **ret);

/* The GPFS disk called name, added when it is new; fs may be empty (not reported).
 * *ret as above.  Errors: -E2BIG, -ENOMEM. */
int health_sample_disk(struct health_sample *sample, struct span name, struct span fs,
                       struct health_target **ret);

#endif
