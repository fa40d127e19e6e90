/* SPDX-License-Identifier: Apache-2.0 */
/* live_window - the time of which memory holds everything. */
#include "query/live/live_window.h"

#define WINDOW_LEAST_MS INT64_C(300000)

int64_t live_horizon_ms(const struct live *live)
{
    return live->opts.now_ms() - atomic_load(&live->window_ms);
}

int64_t live_complete_from_ms(struct live *live)
{
    int64_t from = atomic_load(&live->complete_from_ms);
    int64_t horizon = live_horizon_ms(live);
    if (from == T_NONE || from >= horizon)
        return from;
    atomic_store(&live->complete_from_ms, horizon);
    return horizon;
}

void live_note_latest(struct live *live, int64_t t_ms)
{
    int64_t latest = atomic_load(&live->latest_ms);
    while (t_ms > latest &&
           !atomic_compare_exchange_weak(&live->latest_ms, &latest, t_ms))
        ;
}

int64_t live_shown_from_ms(struct live *live)
{
    return atomic_load(&live->is_warming) ? T_NONE : live_complete_from_ms(live);
}

void live_window_shorten(struct live *live)
{
    int64_t window_ms = atomic_load(&live->window_ms);
    if (window_ms <= WINDOW_LEAST_MS)
        return;
    window_ms = window_ms * 7 / 8;
    atomic_store(&live->window_ms,
                 window_ms < WINDOW_LEAST_MS ? WINDOW_LEAST_MS : window_ms);
    atomic_fetch_add(&live->shortened, 1);
    (void)live_complete_from_ms(live);
}

void live_window_lengthen(struct live *live)
{
    int64_t window_ms = atomic_load(&live->window_ms);
    if (window_ms >= live->opts.window_ms)
        return;
    window_ms += window_ms / 8;
    (void)live_complete_from_ms(live);
    atomic_store(&live->window_ms,
                 window_ms > live->opts.window_ms ? live->opts.window_ms : window_ms);
}
