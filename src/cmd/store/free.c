/* SPDX-License-Identifier: Apache-2.0 */
/* store_free - baro store free: let go of memory; files keep what was in it. */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"

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

static int free_post(const struct client_args *args, int64_t to_ns, struct span body,
                     struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    AUTO(net_url_done) struct net_url url;
    struct span text;
    char to[32];
    (void)snprintf(to, sizeof to, "%lld", (long long)(to_ns / NS_PER_S));
    net_url_init(&url, "/api/free");
    net_url_add(&url, "to", to);
    int rc = client_http_open(&args->endpoint, &http, err);
    if (rc == 0)
        rc = client_http_post(http, strbuf_text(&url.text), "application/json", body,
                              &text, err);
    if (rc == 0 && fwrite(text.data, 1, text.size, stdout) != text.size)
        rc = err_set(err, EIO, "standard output: %s", strerror(errno));
    return rc;
}

static int store_free_run(void *arg, int operand_count, char **operands)
{
    const struct client_args *args = arg;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct json_writer w;
    struct err err = { 0 };
    int64_t to_ns = 0;
    if (!args->to) {
        fprintf(stderr, "baro store free: --to: before when? see --help\n");
        return EXIT_USAGE;
    }
    if (timetext_parse_user(span_of(args->to), clock_now_ns(), &to_ns) < 0) {
        fprintf(stderr, "baro store free: --to: '%s' is not a time\n", args->to);
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
        rc = free_post(args, to_ns, strbuf_span(&body), &err);
    return rc < 0 ? request_failed("store free", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    { "to", 0, OPTION_TIME, CLIENT_FIELD(to), "TIME",
      "What is older: 2026-11-21T06:00Z, -2h, @1669010520." },
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_store_free = {
    .name = "store free",
    .operands = "[COMPONENT]...",
    .help = "Release memory that holds old samples; they stay in the files.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct client_args),
    .run = store_free_run,
    .prints_data = true,
    .details = "Of these components and all below, or of all. Results of queries stay "
               "the same.\n",
};
