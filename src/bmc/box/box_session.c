/* SPDX-License-Identifier: Apache-2.0 */
/* box_session - requests of one storage box by SNMP, through libnetsnmp. */
#include "bmc/box/box_session.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "bmc/address.h"

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/library/large_fd_set.h>
#include <net-snmp/library/lcd_time.h>
#include <net-snmp/library/snmpusm.h>
#include <net-snmp/library/transform_oids.h>
#include <poll.h>
#include <pthread.h>

#define PORT "161"
#define TRY_MS_MIN 200
#define TRY_MS_MAX 2000
#define POLL_MS 100
#define ENGINE_BYTES_MAX 32 /* RFC 3411 */

/* Around each call of the library. */
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

struct box_session {
    const struct bmc_section *section;
    void *handle; /* the library's */
    int64_t until_ns;
    unsigned requests, datagrams; /* sent; received */
    int64_t timeout_ns;           /* when the library is to look at its own times */
    bool is_v3;
    bool has_responded;
    /* Of the request under way. */
    bool is_done;
    int failure; /* SNMPERR_... */
    netsnmp_pdu *response;
};

/* ---- the library: all of these are called under its lock ---- */

/* Nothing of its own configuration, its files of state, its log or MIBs. */
void box_session_start(void)
{
    static bool is_started;
    if (is_started)
        return;
    is_started = true;
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID,
                           NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID,
                           NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE, 1);
    (void)setenv("MIBS", "", 1);
    (void)setenv("MIBDIRS", "", 1);
    snmp_disable_log();
    init_snmp("baro-bmc");
}

/* The user without a name, with which a box is requested for who it is. */
static bool nameless_user_add(void)
{
    if (usm_get_user(NULL, 0, ""))
        return true;
    struct usmUser *user = usm_create_user();
    if (!user)
        return false;
    user->name = strdup("");
    user->secName = strdup("");
    return user->name && user->secName && usm_add_user(user);
}

static int on_response(int operation, netsnmp_session *unused, int id, netsnmp_pdu *pdu,
                       void *arg)
{
    struct box_session *s = arg;
    (void)unused;
    (void)id;
    if (operation == NETSNMP_CALLBACK_OP_RESEND)
        return 1;
    if (operation != NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE) {
        s->failure = operation == NETSNMP_CALLBACK_OP_TIMED_OUT ? SNMPERR_TIMEOUT
                     : operation == NETSNMP_CALLBACK_OP_SEC_ERROR
                         ? SNMPERR_AUTHENTICATION_FAILURE
                         : SNMPERR_BAD_SENDTO;
        s->is_done = true;
        return 1;
    }
    s->has_responded = true;
    if (pdu->command == SNMP_MSG_REPORT) {
        s->failure = snmpv3_get_report_type(pdu);
        /* The library has set its clock by it, and sends again. */
        s->is_done = s->failure != SNMPERR_NOT_IN_TIME_WINDOW;
        return 1;
    }
    s->failure = SNMPERR_SUCCESS;
    s->response = snmp_clone_pdu(pdu);
    s->is_done = true;
    return 1;
}

static void datagram_read(struct box_session *s, int fd)
{
    netsnmp_large_fd_set set;
    netsnmp_large_fd_set_init(&set, fd + 1);
    NETSNMP_LARGE_FD_ZERO(&set);
    NETSNMP_LARGE_FD_SET(fd, &set);
    (void)snmp_sess_read2(s->handle, &set);
    netsnmp_large_fd_set_cleanup(&set);
}

static void user_forget(netsnmp_session *session)
{
    u_char *engine = session->securityEngineID;
    size_t size = session->securityEngineIDLen;
    if (size == 0 || !session->securityName)
        return;
    struct usmUser *user = usm_get_user(engine, size, session->securityName);
    if (user) {
        (void)usm_remove_user(user); /* returns another one */
        (void)usm_free_user(user);
    }
    free_enginetime(engine, (unsigned)size);
}

/* ---- one request ---- */

static int failure_set(const struct box_session *s, int failure, struct err *err)
{
    switch (failure) {
    case SNMPERR_TIMEOUT:
        return err_set(err, ETIMEDOUT,
                       s->is_v3 ? "no response in time"
                                : "no response in time; a wrong community has none, "
                                  "either");
    case SNMPERR_UNKNOWN_USER_NAME:
    case SNMPERR_AUTHENTICATION_FAILURE:
    case SNMPERR_UNSUPPORTED_SEC_LEVEL:
    case SNMPERR_DECRYPTION_ERR:
    case SNMPERR_USM_UNKNOWNSECURITYNAME:
    case SNMPERR_USM_AUTHENTICATIONFAILURE:
    case SNMPERR_USM_UNSUPPORTEDSECURITYLEVEL:
    case SNMPERR_USM_DECRYPTIONERROR:
        return err_set(err, EACCES,
                       "it refuses the credentials (%s): see credentials, auth and "
                       "privacy",
                       snmp_api_errstring(failure));
    default:
        return err_set(err, EPROTO, "SNMP: %s", snmp_api_errstring(failure));
    }
}

/* pdu is used up.  What is received while no thread waits is the lock's alone. */
static int request_begin(struct box_session *s, netsnmp_pdu *pdu, int *ret_fd,
                         struct err *err)
{
    LOCKED(&library);
    s->is_done = false;
    s->failure = SNMPERR_TIMEOUT;
    if (!snmp_sess_async_send(s->handle, pdu, on_response, s)) {
        netsnmp_session *session = snmp_sess_session(s->handle);
        snmp_free_pdu(pdu);
        return failure_set(s, session->s_snmp_errno, err);
    }
    *ret_fd = snmp_sess_transport(s->handle)->sock;
    return 0;
}

static bool request_step(struct box_session *s, int fd, bool is_ready)
{
    int64_t now_ns = clock_monotonic_ns();
    LOCKED(&library);
    if (is_ready) {
        datagram_read(s, fd);
        s->datagrams++;
    }
    /* By time: where datagrams come without a pause none is over by itself. */
    if (!s->is_done && now_ns >= s->timeout_ns) {
        snmp_sess_timeout(s->handle);
        s->timeout_ns = now_ns + POLL_MS * NS_PER_MS;
    }
    return s->is_done;
}

static int request(struct box_session *s, netsnmp_pdu *pdu, struct err *err)
{
    int fd = -1;
    if (s->requests++ == SNMP_REQUESTS_MAX)
        return err_set(err, E2BIG, "over %d requests in one reading",
                       SNMP_REQUESTS_MAX);
    int rc = request_begin(s, pdu, &fd, err);
    if (rc < 0)
        return rc;
    for (bool is_done = false; !is_done;) {
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
        if (clock_monotonic_ns() >= s->until_ns)
            return err_set(err, ETIMEDOUT, "its time is over");
        if (s->datagrams > SNMP_DATAGRAMS_OF(s->requests))
            return err_set(err, EPROTO,
                           "it sends more than it is requested for: over %u datagrams",
                           SNMP_DATAGRAMS_OF(s->requests));
        int ready = poll(&poll_fd, 1, POLL_MS);
        is_done = request_step(s, fd, ready > 0);
    }
    return 0;
}

/* ---- open ---- */

static int session_prepare(const struct bmc_section *section, bool is_v3,
                           netsnmp_session *ret)
{
    int64_t try_ms = section->timeout_ns / NS_PER_MS / (SNMP_TRIES + 1);
    try_ms = try_ms < TRY_MS_MIN   ? TRY_MS_MIN
             : try_ms > TRY_MS_MAX ? TRY_MS_MAX
                                   : try_ms;
    snmp_sess_init(ret);
    ret->version = is_v3 ? SNMP_VERSION_3 : SNMP_VERSION_2c;
    ret->retries = SNMP_TRIES - 1;
    ret->timeout = try_ms * 1000;
    ret->flags |= SNMP_FLAGS_DONT_PROBE; /* it would wait, under the lock */
    if (!is_v3) {
        ret->community = (u_char *)section->user;
        ret->community_len = strlen(section->user);
        return 0;
    }
    const struct {
        const char *name;
        oid *id;
        size_t count;
    } all[] = {
        { "sha512", usmHMAC384SHA512AuthProtocol,
          OID_LENGTH(usmHMAC384SHA512AuthProtocol) },
        { "sha256", usmHMAC192SHA256AuthProtocol,
          OID_LENGTH(usmHMAC192SHA256AuthProtocol) },
        { "sha1", usmHMACSHA1AuthProtocol, OID_LENGTH(usmHMACSHA1AuthProtocol) },
    };
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (strcmp(section->auth_name, all[i].name) == 0) {
            ret->securityAuthProto = all[i].id;
            ret->securityAuthProtoLen = all[i].count;
        }
    bool is_long = strcmp(section->privacy_name, "aes256") == 0;
    ret->securityPrivProto = is_long ? usmAES256PrivProtocol : usmAESPrivProtocol;
    ret->securityPrivProtoLen =
        is_long ? OID_LENGTH(usmAES256PrivProtocol) : OID_LENGTH(usmAESPrivProtocol);
    ret->securityModel = SNMP_SEC_MODEL_USM;
    ret->securityLevel = SNMP_SEC_LEVEL_AUTHPRIV;
    ret->securityName = section->user;
    ret->securityNameLen = strlen(section->user);
    ret->securityAuthKeyLen = USM_AUTH_KU_LEN;
    ret->securityPrivKeyLen = USM_PRIV_KU_LEN;
    if (generate_Ku(ret->securityAuthProto, (unsigned)ret->securityAuthProtoLen,
                    (const u_char *)section->password, strlen(section->password),
                    ret->securityAuthKey,
                    &ret->securityAuthKeyLen) != SNMPERR_SUCCESS ||
        generate_Ku(ret->securityAuthProto, (unsigned)ret->securityAuthProtoLen,
                    (const u_char *)section->privacy_password,
                    strlen(section->privacy_password), ret->securityPrivKey,
                    &ret->securityPrivKeyLen) != SNMPERR_SUCCESS)
        return -ENOTSUP;
    return 0;
}

static int handle_open(struct box_session *s, const char *peer, struct err *err)
{
    netsnmp_session session;
    LOCKED(&library);
    int rc = session_prepare(s->section, s->is_v3, &session);
    if (rc < 0)
        return err_set(err, -rc, "auth: this libnetsnmp has no %s",
                       s->section->auth_name);
    session.peername = (char *)(uintptr_t)peer;
    s->handle = nameless_user_add() ? snmp_sess_open(&session) : NULL;
    explicit_bzero(session.securityAuthKey, sizeof session.securityAuthKey);
    explicit_bzero(session.securityPrivKey, sizeof session.securityPrivKey);
    if (!s->handle)
        return err_set(err, EIO, "SNMP: %s", snmp_api_errstring(snmp_errno));
    return 0;
}

static netsnmp_pdu *probe_make(void)
{
    LOCKED(&library);
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET);
    if (!pdu)
        return NULL;
    pdu->version = SNMP_VERSION_3;
    pdu->securityName = strdup("");
    pdu->securityNameLen = 0;
    pdu->securityLevel = SNMP_SEC_LEVEL_NOAUTH;
    pdu->securityModel = SNMP_SEC_MODEL_USM;
    return pdu;
}

/* Its engine's id is what our keys there are made of. */
static int user_make(struct box_session *s, struct err *err)
{
    LOCKED(&library);
    netsnmp_session *session = snmp_sess_session(s->handle);
    if (session->securityEngineIDLen == 0 ||
        session->securityEngineIDLen > ENGINE_BYTES_MAX)
        return s->failure == SNMPERR_TIMEOUT
                   ? failure_set(s, s->failure, err)
                   : err_set(err, EPROTO, "it does not state the id of its engine");
    if (usm_create_user_from_session(session) != SNMPERR_SUCCESS)
        return err_set(err, EPROTO,
                       "SNMP: no user can be made of the id of its engine");
    return 0;
}

static int engine_find(struct box_session *s, struct err *err)
{
    netsnmp_pdu *pdu = probe_make();
    if (!pdu)
        return err_set(err, ENOMEM, "out of memory");
    int rc = request(s, pdu, err);
    LOCKED(&library);
    snmp_free_pdu(s->response); /* a report is what it should have been */
    s->response = NULL;
    return rc;
}

int box_session_open(const struct bmc_target *target, struct box_session **ret,
                     bool *ret_is_away, struct err *err)
{
    AUTO(box_session_close) struct box_session *s = calloc(1, sizeof *s);
    struct bmc_address address;
    char peer[96];
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    int rc = bmc_address_resolve(target->address, PORT, &address, err);
    if (rc < 0)
        return rc;
    (void)snprintf(peer, sizeof peer, address.is_v6 ? "udp6:[%s]:%s" : "udp:%s:%s",
                   address.number, address.port);
    s->section = target->section;
    s->until_ns = clock_monotonic_ns() + target->section->timeout_ns;
    s->is_v3 = strcmp(s->section->version_name, "3") == 0;
    rc = handle_open(s, peer, err);
    if (rc == 0 && s->is_v3)
        rc = engine_find(s, err);
    if (rc == 0 && s->is_v3)
        rc = user_make(s, err);
    *ret_is_away = rc == -ETIMEDOUT && !s->has_responded;
    if (rc == 0)
        *ret = TAKE(s);
    return rc;
}

void box_session_close(struct box_session *s)
{
    if (!s)
        return;
    LOCKED(&library);
    snmp_free_pdu(s->response);
    if (s->handle && s->is_v3)
        user_forget(snmp_sess_session(s->handle));
    if (s->handle)
        (void)snmp_sess_close(s->handle);
    free(s);
}

/* ---- values ---- */

static bool oid_set(const oid *number, size_t count, struct box_oid *ret)
{
    if (count > BOX_OID_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (number[i] > UINT32_MAX)
            return false;
        ret->number[i] = (uint32_t)number[i];
    }
    ret->count = count;
    return true;
}

static void value_text_set(struct box_value *value, const void *text, size_t size)
{
    value->size = size < sizeof value->text ? size : sizeof value->text;
    if (value->size > 0)
        memcpy(value->text, text, value->size);
}

static void number_set(struct box_value *value, const netsnmp_variable_list *v)
{
    char text[64] = "";
    value->kind = SNMP_OTHER;
    if (v->type == ASN_INTEGER && v->val_len == sizeof *v->val.integer)
        (void)snprintf(text, sizeof text, "%ld", *v->val.integer);
    else if (v->type == ASN_COUNTER64 && v->val_len == sizeof *v->val.counter64)
        (void)snprintf(text, sizeof text, "%llu",
                       (unsigned long long)v->val.counter64->high << 32 |
                           v->val.counter64->low);
    else if (v->type == ASN_OPAQUE_FLOAT && v->val_len == sizeof *v->val.floatVal)
        (void)snprintf(text, sizeof text, "%.9g", (double)*v->val.floatVal);
    else if (v->type == ASN_OPAQUE_DOUBLE && v->val_len == sizeof *v->val.doubleVal)
        (void)snprintf(text, sizeof text, "%.17g", *v->val.doubleVal);
    else if ((v->type == ASN_GAUGE || v->type == ASN_COUNTER ||
              v->type == ASN_TIMETICKS || v->type == ASN_UINTEGER) &&
             v->val_len == sizeof *v->val.integer)
        (void)snprintf(text, sizeof text, "%lu", (unsigned long)*v->val.integer);
    else
        value->kind = SNMP_NONE;
    value_text_set(value, text, strlen(text));
}

static bool value_set(struct box_value *value, const netsnmp_variable_list *v)
{
    struct box_oid named;
    char text[BOX_OID_TEXT_BYTES];
    if (!oid_set(v->name, v->name_length, &value->oid))
        return false;
    value->size = 0;
    value->kind = SNMP_NONE;
    if (v->type == SNMP_ENDOFMIBVIEW) {
        value->kind = SNMP_END;
    } else if (v->type == ASN_OCTET_STR) {
        value->kind = SNMP_TEXT;
        value_text_set(value, v->val.string, v->val_len);
    } else if (v->type == ASN_OBJECT_ID &&
               oid_set(v->val.objid, v->val_len / sizeof(oid), &named)) {
        value->kind = SNMP_OTHER;
        value_text_set(value, text, box_oid_print(&named, 0, text, sizeof text));
    } else if (v->type != SNMP_NOSUCHOBJECT && v->type != SNMP_NOSUCHINSTANCE) {
        number_set(value, v);
    }
    return true;
}

static netsnmp_pdu *bulk_make(const struct box_oid *from)
{
    oid number[BOX_OID_MAX];
    LOCKED(&library);
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GETBULK);
    if (!pdu)
        return NULL;
    for (size_t i = 0; i < from->count; i++)
        number[i] = from->number[i];
    pdu->non_repeaters = 0;
    pdu->max_repetitions = SNMP_REPETITIONS_MAX;
    if (snmp_add_null_var(pdu, number, from->count))
        return pdu;
    snmp_free_pdu(pdu);
    return NULL;
}

static int response_read(struct box_session *s,
                         struct box_value values[static SNMP_REPETITIONS_MAX],
                         size_t *ret_count, struct err *err)
{
    const netsnmp_pdu *pdu = s->response;
    size_t count = 0;
    if (!pdu)
        return failure_set(s, s->failure, err);
    if (pdu->command != SNMP_MSG_RESPONSE)
        return err_set(err, EPROTO, "SNMP: its response is none");
    if (pdu->errstat != SNMP_ERR_NOERROR)
        return err_set(err, pdu->errstat == SNMP_ERR_AUTHORIZATIONERROR ? EACCES : EIO,
                       "it responds with the error %ld (%s)", pdu->errstat,
                       snmp_errstring((int)pdu->errstat));
    for (const netsnmp_variable_list *v = pdu->variables;
         v && count < SNMP_REPETITIONS_MAX; v = v->next_variable)
        if (!value_set(&values[count++], v))
            return err_set(err, EPROTO, "SNMP: an OID of its is none");
    *ret_count = count;
    return 0;
}

int box_session_bulk(struct box_session *s, const struct box_oid *from,
                     struct box_value values[static SNMP_REPETITIONS_MAX],
                     size_t *ret_count, struct err *err)
{
    netsnmp_pdu *pdu = bulk_make(from);
    if (!pdu)
        return err_set(err, ENOMEM, "out of memory");
    int rc = request(s, pdu, err);
    if (rc == 0)
        rc = response_read(s, values, ret_count, err);
    LOCKED(&library);
    snmp_free_pdu(s->response);
    s->response = NULL;
    return rc;
}

bool box_session_has_responded(const struct box_session *s)
{
    return s->has_responded;
}
