/* SPDX-License-Identifier: Apache-2.0 */
/* scoreboard_opts - which boards and scores, as a person requests them. */
#include "analysis/climate/scoreboard_opts.h"

#include "base/span.h"

/* Of the rows that baro job summarize writes. */
static const struct scoreboard_term default_boards[] = {
    { "user", "if(missing(user), jobsdb_user, user)" },
    { "application", "basename(darshan_app)" },
    { "file_system", "_file_system" },
};
static const struct scoreboard_term default_scores[] = {
    { "bytes", "darshan_tot_bytes_read_posix + darshan_tot_bytes_written_posix" },
    { "node_hours", "if(missing(node_hours), jobsdb_own_nodehrs, node_hours)" },
    { "io_s", "darshan_io_time" },
};
static const char *default_columns[] = {
    "user",
    "jobsdb_user",
    "darshan_app",
    "_file_system",
    "node_hours",
    "jobsdb_own_nodehrs",
    "darshan_io_time",
    "darshan_tot_bytes_read_posix",
    "darshan_tot_bytes_written_posix",
};

/* The text is cut in two. */
static int term_parse(const char *option, const char *text, struct arena *arena,
                      struct scoreboard_term *ret, struct err *err)
{
    char *copy = arena_dup(arena, span_of(text));
    if (!copy)
        return err_set(err, ENOMEM, "out of memory");
    char *equal = strchr(copy, '=');
    if (equal == copy || copy[0] == '\0')
        return err_set(err, EINVAL, "%s: '%s' is not of the form NAME=FORMULA", option,
                       text);
    *ret = (struct scoreboard_term){ copy, copy };
    if (equal) {
        *equal = '\0';
        ret->formula = equal + 1;
    }
    return 0;
}

static int terms_parse(const char *option, const struct config_list *given,
                       struct arena *arena, struct scoreboard_term *ret,
                       struct err *err)
{
    if (given->count > SCOREBOARD_TERMS_MAX)
        return err_set(err, EINVAL, "%s: at most %d of them", option,
                       SCOREBOARD_TERMS_MAX);
    for (size_t i = 0; i < given->count; i++) {
        int rc = term_parse(option, given->items[i], arena, &ret[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int scoreboard_opts_init(const struct scoreboard_request *request, struct arena *arena,
                         struct scoreboard_opts *ret, struct err *err)
{
    struct scoreboard_opts opts = { .columns = ret->columns, .form = ret->form };
    memcpy(opts.boards, default_boards, sizeof default_boards);
    memcpy(opts.scores, default_scores, sizeof default_scores);
    int rc = terms_parse("--by", &request->boards, arena, opts.boards, err);
    if (rc == 0)
        rc = terms_parse("--sum", &request->scores, arena, opts.scores, err);
    if (rc < 0)
        return rc;
    opts.board_count =
        request->boards.count ? request->boards.count : COUNT_OF(default_boards);
    opts.score_count =
        request->scores.count ? request->scores.count : COUNT_OF(default_scores);
    while (request->order && opts.order < opts.score_count &&
           strcmp(opts.scores[opts.order].name, request->order) != 0)
        opts.order++;
    if (opts.order == opts.score_count)
        return err_set(err, EINVAL, "--order: there is no sum '%s'", request->order);
    opts.top = request->top ? request->top : SCOREBOARD_TOP_DEFAULT;
    /* Tables need not have what was not requested by name. */
    opts.optional = (struct config_list){ default_columns, COUNT_OF(default_columns) };
    *ret = opts;
    return 0;
}

int scoreboard_check(const struct scoreboard *scoreboard,
                     const struct scoreboard_request *request, struct err *err)
{
    size_t lines = 0;
    for (size_t i = 0; i < scoreboard->board_count; i++)
        lines += scoreboard->boards[i].count;
    if (lines > 0 || request->boards.count > 0)
        return 0;
    return err_set(err, ENODATA,
                   "no row names a user, an application or a file system, as baro job "
                   "summarize does; --by and --sum name other columns to add up");
}
