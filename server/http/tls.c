/* SPDX-License-Identifier: Apache-2.0
 * tls.c: certificates, and the client's side. See tls.h. */
#include "tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "thermodyn/clock.h"
#include "thermodyn/memory.h"

#define PEM_BYTES_MAX ((size_t)1024 * 1024)
#define SERIAL_BYTES 16 /* RFC 5280, 4.1.2.2: at most 20, and positive */
#define VALID_BEFORE_S 3600 /* clocks of clients may be behind */
#define VALID_AFTER_S (365 * 86400)
#define FINGERPRINT_BYTES 32

typedef struct sentence {
    char *text;
    size_t room;
} sentence;

static bool read_pem(td_buf *pem, const char *path, const char *option, const sentence *says);
static bool check_pair(const td_tls *tls, const td_config *config, const sentence *says);
static int make_pair(td_tls *tls, const char *host);
static bool write_certificate(const td_tls *tls, const char *path, const sentence *says);
static int find_fingerprint(td_tls *tls);
static bool refuse(const sentence *says, const char *format, ...) TD_PRINTF(2, 3);

bool td_tls_init(td_tls *tls, const td_config *config, char *reterr_sentence, size_t sentence_bytes)
{
    sentence says = {reterr_sentence, sentence_bytes};
    td_buf_init(&tls->certificate, PEM_BYTES_MAX);
    td_buf_init(&tls->key, PEM_BYTES_MAX);
    if (config->tls_self_signed) {
        if (config->tls_key[0] != '\0') return refuse(&says, "tls_key has no use with tls_self_signed");
        int made = make_pair(tls, config->host);
        if (made < 0) return refuse(&says, "a certificate cannot be made: %s", gnutls_strerror(made));
        if (config->tls_cert[0] != '\0' && !write_certificate(tls, config->tls_cert, &says)) return false;
    } else {
        if (config->tls_cert[0] == '\0') return refuse(&says, "tls_key needs tls_cert beside it");
        if (config->tls_key[0] == '\0') return refuse(&says, "tls_cert needs tls_key beside it, or tls_self_signed");
        if (!read_pem(&tls->certificate, config->tls_cert, "tls_cert", &says)) return false;
        if (!read_pem(&tls->key, config->tls_key, "tls_key", &says)) return false;
        if (!check_pair(tls, config, &says)) return false;
    }
    int found = find_fingerprint(tls);
    return found >= 0 || refuse(&says, "the certificate cannot be used: %s", gnutls_strerror(found));
}

void td_tls_done(td_tls *tls)
{
    td_buf_done(&tls->certificate);
    if (tls->key.data != NULL) gnutls_memset(tls->key.data, 0, tls->key.capacity);
    td_buf_done(&tls->key);
}

static bool read_pem(td_buf *pem, const char *path, const char *option, const sentence *says)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) return refuse(says, "%s %.150s cannot be read: %s", option, path, strerror(errno));
    uint8_t *place = td_buf_reserve(pem, PEM_BYTES_MAX);
    size_t len = place == NULL ? 0 : fread(place, 1, PEM_BYTES_MAX - 1, file);
    bool is_whole = place != NULL && ferror(file) == 0 && feof(file) != 0;
    fclose(file);
    if (!is_whole) return refuse(says, "%s %.150s cannot be read, or is no certificate or key", option, path);
    place[len] = '\0';
    td_buf_commit(pem, len + 1);
    return true;
}

/* Without the NUL. */
static gnutls_datum_t datum_of(const td_buf *pem)
{
    return (gnutls_datum_t){.data = pem->data, .size = (unsigned)pem->len - 1};
}

static bool check_pair(const td_tls *tls, const td_config *config, const sentence *says)
{
    gnutls_certificate_credentials_t credentials;
    gnutls_datum_t certificate = datum_of(&tls->certificate);
    gnutls_datum_t key = datum_of(&tls->key);
    int status = gnutls_certificate_allocate_credentials(&credentials);
    if (status < 0) return refuse(says, "out of memory");
    status = gnutls_certificate_set_x509_key_mem2(credentials, &certificate, &key, GNUTLS_X509_FMT_PEM, NULL, 0);
    gnutls_certificate_free_credentials(credentials);
    if (status >= 0) return true;
    return refuse(says, "%.80s and %.80s cannot be used: %s", config->tls_cert, config->tls_key,
                  gnutls_strerror(status));
}

/* ---- a certificate of our own ---- */

static int name_server(gnutls_x509_crt_t certificate, const char *host);
static int keep_pem(td_buf *pem, int status, gnutls_datum_t *printed);

static int sign(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const char *host)
{
    uint8_t serial[SERIAL_BYTES];
    time_t now = (time_t)(td_wall_time() / TD_US_PER_S);
    int status = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));
    serial[0] &= 0x7F;
    unsigned curve = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);
    if (status >= 0) status = gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, curve, 0);
    if (status >= 0) status = gnutls_x509_crt_set_version(certificate, 3);
    if (status >= 0) status = gnutls_x509_crt_set_serial(certificate, serial, sizeof(serial));
    if (status >= 0) status = gnutls_x509_crt_set_activation_time(certificate, now - VALID_BEFORE_S);
    if (status >= 0) status = gnutls_x509_crt_set_expiration_time(certificate, now + VALID_AFTER_S);
    if (status >= 0) status = name_server(certificate, host);
    if (status >= 0) status = gnutls_x509_crt_set_basic_constraints(certificate, 0, -1);
    if (status >= 0) status = gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (status >= 0) status = gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0);
    if (status >= 0) status = gnutls_x509_crt_set_key(certificate, key);
    if (status >= 0) status = gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0);
    return status;
}

/* By all that a client on this machine calls it, and the address that it listens on. */
static int name_server(gnutls_x509_crt_t certificate, const char *host)
{
    static const char name[] = "thermodyn";
    static const char local[] = "localhost";
    const char *addresses[] = {"127.0.0.1", "::1", host};
    int status = gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, sizeof(name) - 1);
    if (status < 0) return status;
    status = gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, local, sizeof(local) - 1,
                                                  GNUTLS_FSAN_SET);
    for (size_t i = 0; status >= 0 && i < TD_COUNT_OF(addresses); i++) {
        uint8_t bytes[sizeof(struct in6_addr)];
        bool is_four = inet_pton(AF_INET, addresses[i], bytes) == 1;
        bool is_six = !is_four && inet_pton(AF_INET6, addresses[i], bytes) == 1;
        bool is_twice = i == 2 && (strcmp(host, addresses[0]) == 0 || strcmp(host, addresses[1]) == 0);
        if ((!is_four && !is_six) || is_twice) continue;
        status = gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS, bytes,
                                                      is_four ? sizeof(struct in_addr) : sizeof(struct in6_addr),
                                                      GNUTLS_FSAN_APPEND);
    }
    return status;
}

static int make_pair(td_tls *tls, const char *host)
{
    gnutls_x509_crt_t certificate = NULL;
    gnutls_x509_privkey_t key = NULL;
    gnutls_datum_t printed = {NULL, 0};
    int status = gnutls_x509_crt_init(&certificate);
    if (status >= 0) status = gnutls_x509_privkey_init(&key);
    if (status >= 0) status = sign(certificate, key, host);
    if (status >= 0) status = gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &printed);
    status = keep_pem(&tls->certificate, status, &printed);
    if (status >= 0) status = gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &printed);
    status = keep_pem(&tls->key, status, &printed);
    if (key != NULL) gnutls_x509_privkey_deinit(key);
    if (certificate != NULL) gnutls_x509_crt_deinit(certificate);
    return status;
}

static int keep_pem(td_buf *pem, int status, gnutls_datum_t *printed)
{
    if (status < 0) return status;
    td_buf_append(pem, td_slice_of(printed->data, printed->size));
    td_buf_append_byte(pem, '\0');
    gnutls_memset(printed->data, 0, printed->size);
    gnutls_free(printed->data);
    return td_buf_has_failed(pem) ? GNUTLS_E_MEMORY_ERROR : 0;
}

static bool write_certificate(const td_tls *tls, const char *path, const sentence *says)
{
    FILE *file = fopen(path, "we");
    bool is_written = file != NULL && fwrite(tls->certificate.data, tls->certificate.len - 1, 1, file) == 1;
    if (file != NULL && fclose(file) != 0) is_written = false;
    return is_written || refuse(says, "tls_cert %.150s cannot be written: %s", path, strerror(errno));
}

/* Of the first certificate, which is the server's own. */
static int find_fingerprint(td_tls *tls)
{
    gnutls_x509_crt_t certificate;
    gnutls_datum_t pem = datum_of(&tls->certificate);
    uint8_t bytes[FINGERPRINT_BYTES];
    size_t len = sizeof(bytes);
    int status = gnutls_x509_crt_init(&certificate);
    if (status < 0) return status;
    status = gnutls_x509_crt_import(certificate, &pem, GNUTLS_X509_FMT_PEM);
    if (status >= 0) status = gnutls_x509_crt_get_fingerprint(certificate, GNUTLS_DIG_SHA256, bytes, &len);
    gnutls_x509_crt_deinit(certificate);
    if (status < 0) return status;
    for (size_t i = 0; i < len; i++)
        snprintf(tls->fingerprint + 3 * i, 4, i + 1 < len ? "%02X:" : "%02X", bytes[i]);
    return 0;
}

static bool refuse(const sentence *says, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(says->text, says->room, format, args);
    va_end(args);
    return false;
}

/* ---- a client's connection ---- */

struct td_tls_session {
    gnutls_session_t session;
    gnutls_certificate_credentials_t credentials;
};

static bool shake_hands(td_tls_session *it, int fd)
{
    if (gnutls_certificate_allocate_credentials(&it->credentials) < 0) return false;
    if (gnutls_init(&it->session, GNUTLS_CLIENT) < 0) return false;
    if (gnutls_priority_set_direct(it->session, TD_TLS_PRIORITIES, NULL) < 0) return false;
    if (gnutls_credentials_set(it->session, GNUTLS_CRD_CERTIFICATE, it->credentials) < 0) return false;
    gnutls_transport_set_int(it->session, fd);
    int status;
    do {
        status = gnutls_handshake(it->session);
    } while (status == GNUTLS_E_INTERRUPTED);
    return status >= 0;
}

td_tls_session *td_tls_connect(int fd)
{
    td_tls_session *it = td_alloc_zero(sizeof(*it));
    if (it != NULL && shake_hands(it, fd)) return it;
    td_tls_close(it);
    return NULL;
}

void td_tls_close(td_tls_session *session)
{
    if (session == NULL) return;
    if (session->session != NULL) gnutls_deinit(session->session);
    if (session->credentials != NULL) gnutls_certificate_free_credentials(session->credentials);
    td_free(session);
}

bool td_tls_send(td_tls_session *session, const void *bytes, size_t len)
{
    for (size_t sent = 0; sent < len;) {
        ssize_t more = gnutls_record_send(session->session, (const uint8_t *)bytes + sent, len - sent);
        if (more == GNUTLS_E_INTERRUPTED) continue;
        if (more <= 0) return false;
        sent += (size_t)more;
    }
    return true;
}

ssize_t td_tls_receive(td_tls_session *session, void *bytes, size_t room)
{
    ssize_t len;
    do {
        len = gnutls_record_recv(session->session, bytes, room);
    } while (len == GNUTLS_E_INTERRUPTED);
    bool is_end = len == GNUTLS_E_PREMATURE_TERMINATION; /* it closed without saying so: HTTP/1.0 ends like that */
    return is_end ? 0 : len < 0 ? -1 : len;
}
