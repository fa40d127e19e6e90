/* SPDX-License-Identifier: Apache-2.0 */
/* metric - samples of metrics: selected, read onto a grid or at their times, resampled;
 * the room's door. */
#ifndef QUERY_METRIC_METRIC_H
#define QUERY_METRIC_METRIC_H

#include "query/metric/metric_bins.h"
#include "query/metric/metric_params.h"
#include "query/metric/metric_points.h"
#include "query/metric/metric_rate.h"
#include "query/metric/metric_read.h"
#include "query/metric/metric_resample.h"
#include "query/metric/metric_select.h"
#include "query/metric/metric_selector.h"
#include "query/metric/metric_window.h"

#endif
