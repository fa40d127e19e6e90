/* SPDX-License-Identifier: Apache-2.0 */
/* component_class - of which class of hardware a component is, by its path.
 *
 *     alex/a0903                 host        scratch/scratch-OST0001    ost
 *     alex/a0903/dimm:A1         dimm        scratch/scratch-MDT0000    mdt
 *     alex/a0903/GPU:0/fan:1     fan         scratch/MGS                mgt
 *
 * Of a part it is the type of its last level, in lower case.
 *
 * Threads  any: pure functions.
 */
#ifndef ANALYSIS_RELIABILITY_COMPONENT_CLASS_H
#define ANALYSIS_RELIABILITY_COMPONENT_CLASS_H

#include "base/span_type.h"

#include <stdbool.h>

#define COMPONENT_CLASS_SIZE 64 /* a longer type is cut */

void component_class(struct span path, char ret[COMPONENT_CLASS_SIZE]);
/* "alex/a0903" of all that is in it: the path itself, where it is no part. */
struct span component_host_path(struct span path);
bool component_is_part(struct span path);

#endif
