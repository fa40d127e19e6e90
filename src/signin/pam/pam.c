/* SPDX-License-Identifier: Apache-2.0 */
/* pam - checks one name and password by PAM. */
#include "signin/pam/pam.h"

#include "base/span.h"

#include <pwd.h>
#include <security/pam_appl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TIME_S_MAX = 180 };

static char user[LOGIN_USER_MAX + 1], password[LOGIN_PASSWORD_MAX + 1];
static bool was_prompted; /* a second password is another one: a code, a new one */

static bool respond(const struct pam_message *message, struct pam_response *ret)
{
    switch (message->msg_style) {
    case PAM_PROMPT_ECHO_OFF:
        ret->resp = was_prompted ? NULL : strdup(password);
        was_prompted = true;
        return ret->resp != NULL;
    case PAM_PROMPT_ECHO_ON:
        return false;
    default: /* texts for a terminal */
        return true;
    }
}

static int converse(int count, const struct pam_message **messages,
                    struct pam_response **ret, void *arg)
{
    (void)arg;
    if (count < 1 || count > PAM_MAX_NUM_MSG)
        return PAM_CONV_ERR;
    struct pam_response *responses = calloc((size_t)count, sizeof *responses);
    if (!responses)
        return PAM_BUF_ERR;
    for (int i = 0; i < count; i++) {
        if (respond(messages[i], &responses[i]))
            continue;
        for (int j = 0; j < i; j++)
            free(responses[j].resp);
        free(responses);
        return PAM_CONV_ERR;
    }
    *ret = responses;
    return PAM_SUCCESS;
}

/* barod itself makes refusals late, without a process that waits. */
static void no_delay(int status, unsigned delay_us, void *arg)
{
    (void)status, (void)delay_us, (void)arg;
}

static enum login_verdict verdict_of(int status)
{
    switch (status) {
    case PAM_SUCCESS:
        return LOGIN_OK;
    case PAM_AUTH_ERR:
    case PAM_USER_UNKNOWN:
    case PAM_MAXTRIES:
    case PAM_PERM_DENIED:
    case PAM_CRED_INSUFFICIENT:
    case PAM_CONV_ERR:
        return LOGIN_DENIED;
    case PAM_ACCT_EXPIRED:
    case PAM_NEW_AUTHTOK_REQD:
    case PAM_AUTHTOK_EXPIRED:
    case PAM_CRED_EXPIRED:
        return LOGIN_EXPIRED;
    default:
        return LOGIN_UNAVAILABLE;
    }
}

/* Who it is to PAM: a module may have set another name. */
static bool find_user(const pam_handle_t *pam, struct login_result *result)
{
    const void *name = NULL;
    if (pam_get_item(pam, PAM_USER, &name) != PAM_SUCCESS || !name ||
        strlen(name) > LOGIN_USER_MAX)
        return false;
    (void)snprintf(result->user, sizeof result->user, "%s", (const char *)name);
    return true;
}

static enum login_verdict check(const char *service, const char *directory,
                                const char *address, struct login_result *result)
{
    const struct pam_conv conversation = { .conv = converse };
    const struct {
        int item;
        const void *value;
    } items[] = {
        { PAM_RHOST, address },
        { PAM_TTY, "barod" },
        { PAM_FAIL_DELAY, (const void *)(uintptr_t)no_delay },
    };
    pam_handle_t *pam = NULL;
    int status = pam_start_confdir(service, user, &conversation, directory, &pam);
    for (size_t i = 0; status == PAM_SUCCESS && i < sizeof items / sizeof items[0]; i++)
        status = pam_set_item(pam, items[i].item, items[i].value);
    if (status == PAM_SUCCESS)
        status = pam_authenticate(pam, PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK);
    if (status == PAM_SUCCESS)
        status = pam_acct_mgmt(pam, PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK);
    enum login_verdict verdict = verdict_of(status);
    bool is_right = verdict == LOGIN_OK || verdict == LOGIN_EXPIRED;
    return is_right && !find_user(pam, result) ? LOGIN_UNAVAILABLE : verdict;
}

void pam_protect(void)
{
    const struct rlimit none = { 0, 0 };
    (void)prctl(PR_SET_DUMPABLE, 0);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)alarm(TIME_S_MAX);
}

void pam_check(const char *service, const char *directory,
               const struct login_question *question, struct login_result *ret)
{
    char address[LOGIN_ADDRESS_MAX + 1];
    (void)snprintf(user, sizeof user, SPAN_FMT, SPAN_ARG(question->user));
    (void)snprintf(password, sizeof password, SPAN_FMT, SPAN_ARG(question->password));
    (void)snprintf(address, sizeof address, SPAN_FMT, SPAN_ARG(question->address));
    ret->is_known = getpwnam(user) != NULL;
    ret->verdict = check(service, directory, address, ret);
    explicit_bzero(password, sizeof password);
}
