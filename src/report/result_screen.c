/* SPDX-License-Identifier: Apache-2.0 */
/* result_screen - a result that is drawn again and again on the terminal. */
#include "report/result_screen.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/user_time.h"

static void heading_print(const struct result_heading *heading, struct strbuf *out)
{
    char now[USER_TIME_SIZE], every[FIGURE_SIZE];
    user_time_print(now, true, heading->now_ms / MS_PER_S * NS_PER_S);
    strbuf_addf(out, "%s  ", now);
    if (heading->interval_ns > 0) {
        figure_print_duration(every, sizeof every, heading->interval_ns);
        strbuf_addf(out, "every %s, ", every);
    }
    strbuf_adds(out, "Ctrl-C ends\n\n");
}

int result_screen_draw(struct screen *screen, const struct table *table,
                       const struct result_form *form,
                       const struct result_heading *heading, struct strbuf *notes,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct result_form fitted = *form;
    screen_measure(screen);
    if (screen->is_terminal) {
        heading_print(heading, &out);
        fitted.print.width = screen->width;
    }
    result_print(table, &fitted, &out, notes);
    if (strbuf_error(&out) < 0 || strbuf_error(notes) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = screen_draw(screen, &out);
    return rc < 0 ? err_set(err, -rc, "standard output: %s", strerror(-rc)) : 0;
}
