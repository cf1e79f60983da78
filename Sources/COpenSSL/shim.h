#ifndef GATEHOUSE_COPENSSL_SHIM_H
#define GATEHOUSE_COPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// BN_num_bytes is a function-like macro, which Swift does not import.
static inline int gatehouse_bn_byte_count(const BIGNUM *number) {
    return BN_num_bytes(number);
}

// Swift would see the macro RSA_PSS_SALTLEN_DIGEST only if its expansion stays a plain literal; this keeps its type.
static inline int gatehouse_set_pss_salt_to_digest_length(EVP_PKEY_CTX *context) {
    return EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST);
}

#endif
