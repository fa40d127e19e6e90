/* SPDX-License-Identifier: Apache-2.0 */
/* result_screen - a result that is drawn again and again on the terminal. */
#include "report/result_screen.h"

#include "base/number.h"
#include "base/user_time.h"

int result_screen_draw(struct screen *screen, const struct table *table,
                       const struct result_form *form, int64_t now_ms,
                       struct strbuf *notes, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct result_form fitted = *form;
    screen_measure(screen);
    if (screen->is_terminal) {
        char now[USER_TIME_SIZE];
        user_time_print(now, screen->is_terminal, now_ms / MS_PER_S * NS_PER_S);
        strbuf_addf(&out, "%s  Ctrl-C ends\n\n", now);
        fitted.print.width = screen->width;
    }
    result_print(table, &fitted, &out, notes);
    if (strbuf_error(&out) < 0 || strbuf_error(notes) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = screen_draw(screen, &out);
    return rc < 0 ? err_set(err, -rc, "standard output: %s", strerror(-rc)) : 0;
}
