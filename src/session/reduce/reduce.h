/* SPDX-License-Identifier: Apache-2.0 */
/* reduce - the door of session/reduce: typed values that merge on their way up. */
#ifndef SESSION_REDUCE_REDUCE_H
#define SESSION_REDUCE_REDUCE_H

#include "session/reduce/bundle.h"
#include "session/reduce/bundle_numbers.h"
#include "session/reduce/rank_set.h"
#include "session/reduce/reduction.h"
#include "session/reduce/sketch.h"

#endif
