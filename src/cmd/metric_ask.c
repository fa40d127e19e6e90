/* SPDX-License-Identifier: Apache-2.0 */
/* metric_ask - what the questions about metrics share. */
#include "cmd/metric_ask.h"

#include "net/net.h"

#include <stdio.h>

void metric_url_begin(struct metric_url *url, const char *path)
{
    *url = (struct metric_url){ .separator = '?' };
    strbuf_adds(&url->text, path);
}

void metric_url_done(struct metric_url *url)
{
    strbuf_done(&url->text);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("-._~", c);
}

void metric_url_add(struct metric_url *url, const char *name, const char *value)
{
    if (!value)
        return;
    strbuf_addf(&url->text, "%c%s=", url->separator, name);
    url->separator = '&';
    for (; *value; value++) {
        if (is_plain(*value))
            strbuf_addc(&url->text, *value);
        else
            strbuf_addf(&url->text, "%%%02X", (unsigned)(unsigned char)*value);
    }
}

void metric_url_add_question(struct metric_url *url, const struct metric_args *args,
                             int operand_count, char **operands)
{
    metric_url_add(url, "metric", operand_count > 0 ? operands[0] : NULL);
    metric_url_add(url, "component", operand_count > 1 ? operands[1] : NULL);
    metric_url_add(url, "from", args->asking.from);
    metric_url_add(url, "to", args->asking.to);
    metric_url_add(url, "last", args->asking.last);
    metric_url_add(url, "step", args->asking.step);
    metric_url_add(url, "aggregate", args->aggregate);
    metric_url_add(url, "by", args->by);
    metric_url_add(url, "resample", args->resample);
}

int metric_ask_table(const struct metric_args *args, struct metric_url *url,
                     struct table *ret, struct err *err)
{
    AUTO(net_client_free) struct net_client *client = NULL;
    AUTO(net_answer_done) struct net_answer answer = { 0 };
    metric_url_add(url, "format", "table");
    if (strbuf_error(&url->text))
        return -ENOMEM;
    int rc = asking_client_new(&args->asking, &client, err);
    if (rc == 0)
        rc = net_client_get(client, strbuf_text(&url->text), &answer, err);
    if (rc == -ENOTCONN)
        return asking_no_answer(err, rc);
    if (rc == 0)
        rc = asking_answer_check(&answer, err);
    return rc == 0 ? table_from_json(strbuf_span(&answer.body), ret, err) : rc;
}

int metric_ask_failed(const char *command, int rc, const struct err *err)
{
    fprintf(stderr, "baro %s: %s\n", command, err->text[0] ? err->text : strerror(-rc));
    return err_exit_status(rc);
}

static int ask_and_print(const struct metric_args *args, struct metric_url *url,
                         struct err *err)
{
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct asking_form form;
    table_init(&table);
    int rc = asking_form_init(&args->asking, &form, err);
    if (rc == 0)
        rc = metric_ask_table(args, url, &table, err);
    if (rc < 0)
        return rc;
    asking_print(&table, &form, &out, &notes);
    if (strbuf_error(&out) || strbuf_error(&notes))
        return -ENOMEM;
    if (fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size || fflush(stdout))
        return err_set(err, errno, "write: %s", strerror(errno));
    (void)fwrite(strbuf_text(&notes), 1, notes.size, stderr);
    return 0;
}

int metric_ask_run(const struct metric_args *args, struct metric_url *url,
                   const char *command)
{
    struct err err = { 0 };
    int rc = ask_and_print(args, url, &err);
    return rc < 0 ? metric_ask_failed(command, rc, &err) : EXIT_OK;
}
