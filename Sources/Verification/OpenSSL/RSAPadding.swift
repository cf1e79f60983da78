import COpenSSL

/// The padding of RSA signatures (RFC 7518 sections 3.3 and 3.5).
enum RSAPadding {
    /// Sets the family's padding on an initialised context; for families that have none there is nothing to do.
    static func set(_ context: OpaquePointer?, _ family: SignatureAlgorithm.Family) -> Bool {
        switch family {
        case .rsaPKCS1:
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        case .rsaPSS:
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && gatehouse_set_pss_salt_to_digest_length(context) == 1
        case .hmac, .ecdsa, .edDSA: true
        }
    }
}
