/* SPDX-License-Identifier: Apache-2.0 */
/* kmsg - messages of the kernel, and rules by which they are events; the room's door.
 *
 *     /dev/kmsg ──reader──▶ records ──rules──▶ events: of which component, which
 *                                              process, which health
 */
#ifndef SOURCE_KMSG_KMSG_H
#define SOURCE_KMSG_KMSG_H

#include "source/kmsg/reader.h"
#include "source/kmsg/record.h"
#include "source/kmsg/rules.h"

#endif
