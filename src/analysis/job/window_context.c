/* SPDX-License-Identifier: Apache-2.0 */
/* window_context - what is known of a window of time. */
#include "analysis/job/window_context.h"

void window_context_done(struct window_context *window)
{
    weather_done(&window->weather);
    for (size_t i = 0; i < window->fabric_count; i++)
        fabric_done(&window->fabrics[i].traffic);
    free(window->fabrics);
    health_history_done(&window->health);
    window_jobs_done(&window->jobs);
    window_runs_done(&window->runs);
    *window = (struct window_context){ 0 };
}
