/* SPDX-License-Identifier: Apache-2.0 */
/* test_terminal - which bytes reach standard output and error, in what pieces they
 * come. */
#include "base/terminal/terminal.h"

#include "base/cleanup.h"
#include "base/test/testing.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void child_fn(const char *text);

/* What a process that runs child writes to fd; its status must be 0. */
static void output_of(child_fn *child, const char *text, int fd, char *out, size_t size)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    (void)fflush(stdout);
    (void)fflush(stderr);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (dup2(fds[1], fd) < 0 || terminal_start("test") < 0)
            _exit(1);
        child(text);
        /* exit() would run the checks of leaks; what it flushes is flushed here */
        (void)fflush(stdout);
        (void)fflush(stderr);
        _exit(0);
    }
    (void)close(fds[1]);
    size_t used = 0;
    ssize_t got;
    while (used + 1 < size && (got = read(fds[0], out + used, size - used - 1)) > 0)
        used += (size_t)got;
    out[used] = '\0';
    (void)close(fds[0]);
    int status;
    assert_true(waitpid(pid, &status, 0) == pid);
    assert_int_equal(status, 0);
}

static void write_error(const char *text)
{
    fprintf(stderr, "%s", text);
}

static void write_out(const char *text)
{
    (void)fputs(text, stdout);
}

static void print_bytes(const char *text)
{
    for (; *text; text++) {
        (void)fputc(*text, stdout);
        (void)fflush(stdout);
    }
}

static const struct {
    const char *text, *want;
} cases[] = {
    { "plain text\n\tand a tab\n", "plain text\n\tand a tab\n" },
    { "na\xc3\xafve \xe6\xbc\xa2 \xf0\x9f\x98\x80\n",
      "na\xc3\xafve \xe6\xbc\xa2 \xf0\x9f\x98\x80\n" },
    { "\033]0;title\007\n", "\\x1B]0;title\\x07\n" },
    { "\033[2J\n", "\\x1B[2J\n" },
    { "C1 \xc2\x9b"
      "2J and \x9b"
      "2J\n",
      "C1 \\xC2\\x9B2J and \\x9B2J\n" },
    { "\177 \b \r\n", "\\x7F \\x08 \\x0D\n" },
    { "\xe2\x80\xae right to left\n", "\\xE2\\x80\\xAE right to left\n" },
    { "zero\xe2\x80\x8bwidth \xef\xbb\xbf\n",
      "zero\\xE2\\x80\\x8Bwidth \\xEF\\xBB\\xBF\n" },
    { "cut \xc3\n", "cut \\xC3\n" },
    { "cut \xf0\x9f\x98\n", "cut \\xF0\\x9F\\x98\n" },
    { "overlong \xc0\x9b \xff\xfe\n", "overlong \\xC0\\x9B \\xFF\\xFE\n" },
};

static void whatever_can_steer_a_terminal_is_made_readable(void **state)
{
    (void)state;
    char out[256];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        output_of(write_error, cases[i].text, STDERR_FILENO, out, sizeof out);
        assert_string_equal(out, cases[i].want);
        output_of(write_out, cases[i].text, STDOUT_FILENO, out, sizeof out);
        assert_string_equal(out, cases[i].want);
    }
}

static void it_does_not_matter_in_what_pieces_they_come(void **state)
{
    (void)state;
    char out[256];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        output_of(print_bytes, cases[i].text, STDOUT_FILENO, out, sizeof out);
        assert_string_equal(out, cases[i].want);
    }
}

static void print_orders(const char *text)
{
    printf("%sbold%s %s\n", terminal_order(TERMINAL_BOLD),
           terminal_order(TERMINAL_PLAIN), text);
    print_bytes(terminal_order(TERMINAL_BOLD));
}

static void orders_of_our_own_pass(void **state)
{
    (void)state;
    char out[256];
    output_of(print_orders, "\033[1m", STDOUT_FILENO, out, sizeof out);
    assert_string_equal(out, "\033[1mbold\033[0m \\x1B[1m\n\033[1m");
}

static void print_guess(const char *text)
{
    char mark[64];
    (void)snprintf(mark, sizeof mark, "%s", terminal_order(TERMINAL_BOLD));
    mark[5] = mark[5] == 'a' ? 'b' : 'a';
    printf("%s%s\n", mark, text);
}

static void a_guessed_mark_is_no_order(void **state)
{
    (void)state;
    char out[256];
    output_of(print_guess, "x", STDOUT_FILENO, out, sizeof out);
    assert_null(strchr(out, '\033'));
    assert_true(strncmp(out, "\\xFF", 4) == 0);
}

static void print_data(const char *text)
{
    terminal_data();
    (void)fputs(text, stdout);
}

static void data_is_exact(void **state)
{
    (void)state;
    char out[256];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        output_of(print_data, cases[i].text, STDOUT_FILENO, out, sizeof out);
        assert_string_equal(out, cases[i].text);
    }
}

static void print_much(const char *text)
{
    for (int i = 0; i < 1000; i++)
        (void)fputs(text, stdout);
}

static void much_text_is_whole(void **state)
{
    (void)state;
    static char out[200000];
    output_of(print_much, "seventy bytes \xc3\xa4 of which one is \033 and goes on\n",
              STDOUT_FILENO, out, sizeof out);
    static const char want[] =
        "seventy bytes \xc3\xa4 of which one is \\x1B and goes on\n";
    assert_int_equal(strlen(out), 1000 * (sizeof want - 1));
    for (size_t i = 0; i < 1000; i++)
        assert_memory_equal(out + i * (sizeof want - 1), want, sizeof want - 1);
}

static void print_where_nothing_fits(const char *text)
{
    (void)close(STDOUT_FILENO);
    bool is_error = fputs(text, stdout) < 0 || fflush(stdout) != 0;
    fprintf(stderr, "%s", is_error ? "failed" : "written");
}

static void a_failed_write_is_an_error_of_the_stream(void **state)
{
    (void)state;
    char out[64];
    output_of(print_where_nothing_fits, "x\n", STDERR_FILENO, out, sizeof out);
    assert_string_equal(out, "failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_can_steer_a_terminal_is_made_readable),
        cmocka_unit_test(it_does_not_matter_in_what_pieces_they_come),
        cmocka_unit_test(orders_of_our_own_pass),
        cmocka_unit_test(a_guessed_mark_is_no_order),
        cmocka_unit_test(data_is_exact),
        cmocka_unit_test(much_text_is_whole),
        cmocka_unit_test(a_failed_write_is_an_error_of_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
