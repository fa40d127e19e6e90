/* SPDX-License-Identifier: Apache-2.0 */
/* window - functions of the samples in a range before a step. */
#include "promql/window.h"

#include "promql/kahan.h"
#include "promql/quantile.h"

#include <errno.h>
#include <math.h>

static int window_count(const struct window *w, double *ret)
{
    *ret = (double)w->count;
    return 1;
}

static int window_present(const struct window *w, double *ret)
{
    (void)w;
    *ret = 1;
    return 1;
}

static int window_last(const struct window *w, double *ret)
{
    *ret = w->values[w->count - 1];
    return 1;
}

static int window_sum(const struct window *w, double *ret)
{
    struct kahan sum = { 0 };
    for (size_t i = 0; i < w->count; i++)
        kahan_add(&sum, w->values[i]);
    *ret = isinf(sum.sum) ? sum.sum : kahan_total(&sum);
    return 1;
}

/* A mean that is infinite stays so, but for an infinity of the other sign or a NaN. */
static bool mean_stays(double mean, double value)
{
    if (!isinf(mean))
        return false;
    if (isinf(value))
        return (mean > 0) == (value > 0);
    return !isnan(value);
}

static int window_avg(const struct window *w, double *ret)
{
    struct kahan mean = { 0 };
    double count = 0;
    for (size_t i = 0; i < w->count; i++) {
        count++;
        if (!mean_stays(mean.sum, w->values[i]))
            kahan_add(&mean, w->values[i] / count - mean.sum / count);
    }
    *ret = isinf(mean.sum) ? mean.sum : kahan_total(&mean);
    return 1;
}

static int window_min(const struct window *w, double *ret)
{
    double least = w->values[0];
    for (size_t i = 1; i < w->count; i++)
        if (w->values[i] < least || isnan(least))
            least = w->values[i];
    *ret = least;
    return 1;
}

static int window_max(const struct window *w, double *ret)
{
    double most = w->values[0];
    for (size_t i = 1; i < w->count; i++)
        if (w->values[i] > most || isnan(most))
            most = w->values[i];
    *ret = most;
    return 1;
}

static int window_variance(const struct window *w, double *ret)
{
    struct kahan mean = { 0 }, squares = { 0 };
    double count = 0;
    for (size_t i = 0; i < w->count; i++) {
        count++;
        double delta = w->values[i] - kahan_total(&mean);
        kahan_add(&mean, delta / count);
        kahan_add(&squares, delta * (w->values[i] - kahan_total(&mean)));
    }
    *ret = kahan_total(&squares) / count;
    return 1;
}

static int window_deviation(const struct window *w, double *ret)
{
    (void)window_variance(w, ret);
    *ret = sqrt(*ret);
    return 1;
}

static int window_quantile(const struct window *w, double *ret)
{
    memcpy(w->scratch, w->values, w->count * sizeof w->values[0]);
    *ret = quantile_of(w->parameters[0], w->scratch, w->count);
    return 1;
}

static int window_changes(const struct window *w, double *ret)
{
    double changes = 0;
    for (size_t i = 1; i < w->count; i++)
        if (w->values[i] != w->values[i - 1] &&
            !(isnan(w->values[i]) && isnan(w->values[i - 1])))
            changes++;
    *ret = changes;
    return 1;
}

static int window_resets(const struct window *w, double *ret)
{
    double resets = 0;
    for (size_t i = 1; i < w->count; i++)
        if (w->values[i] < w->values[i - 1])
            resets++;
    *ret = resets;
    return 1;
}

/* By how much the length of the samples grows towards one end of the range: to the end
 * where that is near, by half a distance of samples otherwise. */
static double extension(double to_end, double distance)
{
    return to_end < distance * 1.1 ? to_end : distance / 2;
}

/* How much longer the range is than the samples in it reach, as a factor. */
static double extrapolation(const struct window *w, double increase, double zero_limit)
{
    int64_t first_ms = w->times_ms[0], last_ms = w->times_ms[w->count - 1];
    double to_start = (double)(first_ms - w->from_ms) / 1000;
    double to_end = (double)(w->to_ms - last_ms) / 1000;
    double sampled = (double)(last_ms - first_ms) / 1000;
    double distance = sampled / (double)(w->count - 1);
    if (zero_limit >= 0 && increase > 0) {
        /* A counter was not below zero before the range. */
        double to_zero = sampled * (zero_limit / increase);
        if (to_zero < to_start)
            to_start = to_zero;
    }
    double whole = sampled;
    whole += extension(to_start, distance);
    whole += extension(to_end, distance);
    return whole / sampled;
}

static double counter_increase(const struct window *w)
{
    double increase = w->values[w->count - 1] - w->values[0];
    for (size_t i = 1; i < w->count; i++)
        if (w->values[i] < w->values[i - 1])
            increase += w->values[i - 1];
    return increase;
}

static int window_increase(const struct window *w, double *ret)
{
    if (w->count < 2)
        return 0;
    double increase = counter_increase(w);
    *ret = increase * extrapolation(w, increase, w->values[0]);
    return 1;
}

static int window_rate(const struct window *w, double *ret)
{
    if (w->count < 2)
        return 0;
    double increase = counter_increase(w);
    double factor = extrapolation(w, increase, w->values[0]);
    factor /= (double)(w->to_ms - w->from_ms) / 1000;
    *ret = increase * factor;
    return 1;
}

static int window_delta(const struct window *w, double *ret)
{
    if (w->count < 2)
        return 0;
    double increase = w->values[w->count - 1] - w->values[0];
    *ret = increase * extrapolation(w, increase, -1);
    return 1;
}

static int window_idelta(const struct window *w, double *ret)
{
    if (w->count < 2)
        return 0;
    *ret = w->values[w->count - 1] - w->values[w->count - 2];
    return 1;
}

static int window_irate(const struct window *w, double *ret)
{
    if (w->count < 2)
        return 0;
    double last = w->values[w->count - 1], previous = w->values[w->count - 2];
    double increase = last < previous ? last : last - previous;
    int64_t apart_ms = w->times_ms[w->count - 1] - w->times_ms[w->count - 2];
    *ret = increase / ((double)apart_ms / 1000);
    return 1;
}

/* Least squares of the values over the seconds since origin_ms. */
static void regression(const struct window *w, int64_t origin_ms, double *ret_slope,
                       double *ret_intercept)
{
    struct kahan x_sum = { 0 }, y_sum = { 0 }, xy_sum = { 0 }, xx_sum = { 0 };
    double count = (double)w->count;
    bool is_constant = true;
    for (size_t i = 0; i < w->count; i++) {
        is_constant = is_constant && (i == 0 || w->values[i] == w->values[0]);
        double x = (double)(w->times_ms[i] - origin_ms) / 1e3;
        kahan_add(&x_sum, x);
        kahan_add(&y_sum, w->values[i]);
        kahan_add(&xy_sum, x * w->values[i]);
        kahan_add(&xx_sum, x * x);
    }
    if (is_constant) {
        bool is_infinite = isinf(w->values[0]);
        *ret_slope = is_infinite ? (double)NAN : 0;
        *ret_intercept = is_infinite ? (double)NAN : w->values[0];
        return;
    }
    double xs = kahan_total(&x_sum), ys = kahan_total(&y_sum);
    double covariance = kahan_total(&xy_sum) - xs * ys / count;
    double variance = kahan_total(&xx_sum) - xs * xs / count;
    *ret_slope = covariance / variance;
    *ret_intercept = ys / count - *ret_slope * xs / count;
}

static int window_deriv(const struct window *w, double *ret)
{
    double intercept = 0;
    if (w->count < 2)
        return 0;
    regression(w, w->times_ms[0], ret, &intercept);
    return 1;
}

static int window_predict(const struct window *w, double *ret)
{
    double slope = 0, intercept = 0;
    if (w->count < 2)
        return 0;
    regression(w, w->now_ms, &slope, &intercept);
    *ret = slope * w->parameters[0] + intercept;
    return 1;
}

static int window_smooth(const struct window *w, double *ret)
{
    double value_factor = w->parameters[0], trend_factor = w->parameters[1];
    if (value_factor <= 0 || value_factor >= 1 || trend_factor <= 0 ||
        trend_factor >= 1)
        return -EDOM;
    if (w->count < 2)
        return 0;
    double before = 0, smoothed = w->values[0];
    double trend = w->values[1] - w->values[0];
    for (size_t i = 1; i < w->count; i++) {
        double x = value_factor * w->values[i];
        if (i > 1) {
            double change = trend_factor * (smoothed - before);
            double rest = (1 - trend_factor) * trend;
            trend = change + rest;
        }
        double y = (1 - value_factor) * (smoothed + trend);
        before = smoothed;
        smoothed = x + y;
    }
    *ret = smoothed;
    return 1;
}

window_fn *window_function(enum function_id id)
{
    static window_fn *const functions[_FUNCTION_COUNT] = {
        [FUNCTION_ABSENT_OVER_TIME] = window_present,
        [FUNCTION_AVG_OVER_TIME] = window_avg,
        [FUNCTION_CHANGES] = window_changes,
        [FUNCTION_COUNT_OVER_TIME] = window_count,
        [FUNCTION_DELTA] = window_delta,
        [FUNCTION_DERIV] = window_deriv,
        [FUNCTION_HOLT_WINTERS] = window_smooth,
        [FUNCTION_IDELTA] = window_idelta,
        [FUNCTION_INCREASE] = window_increase,
        [FUNCTION_IRATE] = window_irate,
        [FUNCTION_LAST_OVER_TIME] = window_last,
        [FUNCTION_MAX_OVER_TIME] = window_max,
        [FUNCTION_MIN_OVER_TIME] = window_min,
        [FUNCTION_PREDICT_LINEAR] = window_predict,
        [FUNCTION_PRESENT_OVER_TIME] = window_present,
        [FUNCTION_QUANTILE_OVER_TIME] = window_quantile,
        [FUNCTION_RATE] = window_rate,
        [FUNCTION_RESETS] = window_resets,
        [FUNCTION_STDDEV_OVER_TIME] = window_deviation,
        [FUNCTION_STDVAR_OVER_TIME] = window_variance,
        [FUNCTION_SUM_OVER_TIME] = window_sum,
    };
    return functions[id];
}
