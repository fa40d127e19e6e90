/* SPDX-License-Identifier: Apache-2.0 */
/* site - the file that describes a site; the room's door. */
#ifndef SOURCE_SITE_SITE_H
#define SOURCE_SITE_SITE_H

#include "source/site/site_file.h"

#endif
