/* SPDX-License-Identifier: Apache-2.0 */
/* lmt - the door of source/lmt: what the servers of a file system measured, over time.
 */
#ifndef SOURCE_LMT_LMT_H
#define SOURCE_LMT_LMT_H

#include "source/lmt/archive.h"
#include "source/lmt/barod.h"
#include "source/lmt/joined.h"
#include "source/lmt/metric.h"
#include "source/lmt/points.h"
#include "source/lmt/series.h"
#include "source/lmt/stamp.h"

#endif
