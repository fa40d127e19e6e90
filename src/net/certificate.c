/* SPDX-License-Identifier: Apache-2.0 */
/* certificate - whether a certificate and its key can serve. */
#include "net/certificate.h"

#include "base/number.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>

enum { SOON_DAYS = 14 };

DEFINE_AUTO(BIO, BIO_free_all);
DEFINE_AUTO(X509, X509_free);
DEFINE_AUTO(EVP_PKEY, EVP_PKEY_free);

/* A key that wants a pass phrase must not ask the terminal for it. */
static int no_phrase(char *buffer, int size, int is_write, void *arg)
{
    (void)buffer, (void)size, (void)is_write, (void)arg;
    return -1;
}

static int days_left(const ASN1_TIME *end, int *ret_days)
{
    int seconds = 0;
    if (!ASN1_TIME_diff(ret_days, &seconds, NULL, end))
        return -EINVAL;
    if (*ret_days == 0 && seconds < 0)
        *ret_days = -1;
    return 0;
}

int certificate_check(struct span certificate, struct span key,
                      struct certificate_warning *ret, struct err *err)
{
    if (certificate.size == 0 || key.size == 0)
        return err_set(err, EINVAL, "%s: the file is empty",
                       certificate.size == 0 ? "tls_certificate" : "tls_key");
    AUTO(BIO_free_all)
    BIO *certificate_text = BIO_new_mem_buf(certificate.data, (int)certificate.size);
    AUTO(BIO_free_all) BIO *key_text = BIO_new_mem_buf(key.data, (int)key.size);
    if (!certificate_text || !key_text)
        return err_set(err, ENOMEM, "tls_certificate, tls_key: out of memory");
    AUTO(X509_free)
    X509 *x509 = PEM_read_bio_X509(certificate_text, NULL, no_phrase, NULL);
    AUTO(EVP_PKEY_free)
    EVP_PKEY *pkey = PEM_read_bio_PrivateKey(key_text, NULL, no_phrase, NULL);
    bool is_pair = x509 && pkey && X509_check_private_key(x509, pkey) == 1;
    int days = 0;
    ERR_clear_error();
    if (!x509)
        return err_set(err, EINVAL, "tls_certificate: no certificate in PEM form");
    if (!pkey)
        return err_set(err, EINVAL,
                       "tls_key: no private key in PEM form (one with a pass phrase "
                       "cannot be used)");
    if (!is_pair)
        return err_set(err, EINVAL,
                       "tls_key is not the key of the first certificate in "
                       "tls_certificate");
    ret->text[0] = '\0';
    if (days_left(X509_get0_notAfter(x509), &days) < 0)
        return err_set(err, EINVAL, "tls_certificate: its end is not a time");
    if (days < 0)
        (void)snprintf(ret->text, sizeof ret->text,
                       "tls_certificate has expired: clients will refuse it");
    else if (days < SOON_DAYS)
        (void)snprintf(ret->text, sizeof ret->text,
                       "tls_certificate expires in %d days", days);
    else if (X509_cmp_current_time(X509_get0_notBefore(x509)) > 0)
        (void)snprintf(ret->text, sizeof ret->text,
                       "tls_certificate is not valid yet: clients will refuse it");
    return 0;
}
