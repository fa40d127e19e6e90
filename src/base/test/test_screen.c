/* SPDX-License-Identifier: Apache-2.0 */
/* test_screen - pictures one after the other, and on a terminal in place of each other.
 */
#include "base/cleanup.h"
#include "base/terminal/screen.h"
#include "base/terminal/terminal.h"
#include "base/test/testing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void without_a_terminal_pictures_follow_one_another(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct screen screen;
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    (void)state;
    assert_non_null(file);
    screen_init(&screen, file, -1);
    assert_false(screen.is_terminal);
    assert_true(screen.width == 0 && screen.height == 0);
    strbuf_adds(&text, "a\nb\n");
    assert_int_equal(screen_draw(&screen, &text), 0);
    assert_int_equal(screen_draw(&screen, &text), 0);
    (void)fclose(file);
    assert_string_equal(out, "a\nb\n\na\nb\n\n");
    free(out);
}

/* A pseudo terminal of 20 columns and 3 rows: the last row stays free. */
static void a_picture_is_cut_to_the_terminals_size(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct winsize size = { .ws_row = 3, .ws_col = 20 };
    struct screen screen;
    char got[512] = "";
    int main_fd = posix_openpt(O_RDWR | O_NOCTTY);
    (void)state;
    if (main_fd < 0 || grantpt(main_fd) < 0 || unlockpt(main_fd) < 0)
        skip();
    FILE *file = fopen(ptsname(main_fd), "w");
    assert_non_null(file);
    assert_int_equal(ioctl(main_fd, TIOCSWINSZ, &size), 0);
    screen_init(&screen, file, fileno(file));
    assert_true(screen.is_terminal && screen.width == 20 && screen.height == 3);
    strbuf_adds(&text, "one\ntwo\nthree\n");
    assert_int_equal(screen_draw(&screen, &text), 0);
    strbuf_clear(&text);
    strbuf_adds(&text, "a line of \033[1m30\033[0m characters, cut\n");
    assert_int_equal(screen_draw(&screen, &text), 0);
    /* A line comes after the other; what follows the picture ends the reading. */
    assert_true(fputs("END\n", file) >= 0 && fflush(file) == 0);
    for (size_t at = 0; !strstr(got, "END") && at < sizeof got - 1;) {
        ssize_t n = read(main_fd, got + at, sizeof got - 1 - at);
        assert_true(n > 0);
        at += (size_t)n;
    }
    assert_non_null(strstr(got, "one"));
    assert_non_null(strstr(got, "# 2 more lines"));
    assert_null(strstr(got, "two"));
    assert_non_null(strstr(got, "a line of \033[1m30\033[0m charact\033[0m"));
    assert_null(strstr(got, "ers, cut"));
    (void)fclose(file);
    (void)close(main_fd);
}

static void a_signal_ends_the_waiting(void **state)
{
    struct screen screen;
    (void)state;
    screen_init(&screen, stderr, STDERR_FILENO);
    screen.is_terminal = false;
    screen_start(&screen);
    assert_true(screen_wait(1));
    (void)raise(SIGINT);
    assert_false(screen_wait(INT64_C(3600000)));
    screen_stop(&screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_terminal_pictures_follow_one_another),
        cmocka_unit_test(a_picture_is_cut_to_the_terminals_size),
        cmocka_unit_test(a_signal_ends_the_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
