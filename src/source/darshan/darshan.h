/* SPDX-License-Identifier: Apache-2.0 */
/* darshan - the door of source/darshan: logs of the Darshan I/O characterisation tool.
 */
#ifndef SOURCE_DARSHAN_DARSHAN_H
#define SOURCE_DARSHAN_DARSHAN_H

#include "source/darshan/autoperf.h"
#include "source/darshan/log.h"
#include "source/darshan/show.h"
#include "source/darshan/totals.h"

#endif
