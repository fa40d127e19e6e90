/* SPDX-License-Identifier: Apache-2.0 */
/* store_free - baro store free: let go of memory; files keep what was in it. */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/timetext.h"
#include "cmd/asking.h"
#include "cmd/commands.h"
#include "net/net.h"

#include <stdio.h>

/* alex/a0903/hwthread:7 is ["alex","a0903","hwthread7"] there. */
static void add_selector(struct json_writer *w, const char *path)
{
    struct span rest = span_of(path), level;
    json_array(w);
    while (rest.size > 0) {
        struct span type;
        char name[1024];
        (void)span_cut(&rest, '/', &level);
        (void)span_cut(&level, ':', &type);
        (void)snprintf(name, sizeof name, SPAN_FMT SPAN_FMT, SPAN_ARG(type),
                       SPAN_ARG(level));
        json_text(w, name);
    }
    json_array_end(w);
}

static int ask(const struct asking_args *args, int64_t to_ns, struct span body,
               struct err *err)
{
    AUTO(net_client_free) struct net_client *client = NULL;
    AUTO(net_answer_done) struct net_answer answer = { 0 };
    char path[64];
    (void)snprintf(path, sizeof path, "/api/free?to=%lld",
                   (long long)(to_ns / NS_PER_S));
    int rc = asking_client_new(args, &client, err);
    if (rc == 0)
        rc =
            net_client_post(client, path, "application/json", NULL, body, &answer, err);
    if (rc == -ENOTCONN)
        return asking_no_answer(err, rc);
    if (rc == 0)
        rc = asking_answer_check(&answer, err);
    if (rc == 0 && fputs(strbuf_text(&answer.body), stdout) < 0)
        rc = err_set(err, EIO, "standard output: %s", strerror(errno));
    return rc;
}

static int run(void *arg, int operand_count, char **operands)
{
    const struct asking_args *args = arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct json_writer w;
    struct err err = { 0 };
    int64_t to_ns = 0;
    if (!args->to) {
        fprintf(stderr, "baro store free: --to: before when? see --help\n");
        return EXIT_USAGE;
    }
    if (timetext_parse_user(span_of(args->to), clock_now_ns(), &to_ns) < 0) {
        fprintf(stderr, "baro store free: --to: '%s' is no time\n", args->to);
        return EXIT_USAGE;
    }
    json_writer_init(&w, &body);
    json_array(&w);
    for (int i = 0; i < operand_count; i++)
        add_selector(&w, operands[i]);
    if (operand_count == 0)
        add_selector(&w, "");
    json_array_end(&w);
    int rc = strbuf_error(&body);
    if (rc == 0)
        rc = ask(args, to_ns, strbuf_span(&body), &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro store free: %s\n", err.text[0] ? err.text : strerror(-rc));
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "to", 0, OPTION_TEXT, ASKING_FIELD(to), "TIME",
      "What is older: 2026-11-21T06:00Z, -2h, @1669010520." },
    ASKING_SERVER_OPTIONS,
};

const struct command cmd_store_free = {
    .name = "store free",
    .operands = "[COMPONENT]...",
    .help = "Let go of memory that holds old samples; files keep them.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct asking_args),
    .run = run,
    .prints_data = true,
    .details =
        "Of these components and all below, or of all.  Answers stay the same.\n",
};
