import COpenSSL

/// Owns one `EVP_PKEY`. Not `Sendable`: other threads make another from the same bytes.
final class OpenSSLKey {
    let pointer: OpaquePointer

    private init?(taking pointer: OpaquePointer?) {
        guard let pointer else {
            // A failed read leaves its reasons in a queue of this thread, which is not read.
            ERR_clear_error()
            return nil
        }
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// From a DER SubjectPublicKeyInfo that fills all of `bytes`.
    convenience init?(subjectPublicKeyInfo bytes: [UInt8]) {
        self.init(taking: Self.read(bytes) { d2i_PUBKEY(nil, &$0, $1) })
    }

    /// From a DER RSAPublicKey that fills all of `bytes`.
    convenience init?(rsaPublicKey bytes: [UInt8]) {
        self.init(taking: Self.read(bytes) { d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) })
    }

    /// From a private key in DER: PKCS#8, or the older shapes of RSA and EC keys.
    convenience init?(privateKey bytes: [UInt8]) {
        self.init(taking: Self.read(bytes) { d2i_AutoPrivateKey(nil, &$0, $1) })
    }

    /// The public key of an `X509`.
    convenience init?(ofCertificate certificate: OpaquePointer) {
        self.init(taking: X509_get_pubkey(certificate))
    }

    /// Makes a new private key.
    convenience init?(generating parameters: GenerationParameters) {
        self.init(taking: Self.generate(parameters))
    }

    /// OpenSSL's parameters for a new private key.
    enum GenerationParameters {
        case rsa(bits: Int)
        case ellipticCurve(EllipticCurve)
        case ed25519

        /// OpenSSL's name of the kind of key.
        fileprivate var name: String {
            switch self {
            case .rsa: "RSA"
            case .ellipticCurve: "EC"
            case .ed25519: "ED25519"
            }
        }
    }

    private static func read(
        _ bytes: [UInt8],
        with reader: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
    ) -> OpaquePointer? {
        bytes.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            guard let key = reader(&next, buffer.count) else { return nil }
            guard let next, next == buffer.baseAddress?.advanced(by: buffer.count) else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
    }

    private static func generate(_ parameters: GenerationParameters) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, parameters.name, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_keygen_init(context) == 1 else { return nil }
        switch parameters {
        case .rsa(let bits):
            guard EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(clamping: bits)) == 1 else { return nil }
        case .ellipticCurve(let curve):
            guard EVP_PKEY_CTX_set_group_name(context, curve.groupName) == 1 else { return nil }
        case .ed25519: break
        }
        var key: OpaquePointer?
        return EVP_PKEY_generate(context, &key) == 1 ? key : nil
    }

    /// Whether the public point of an EC key is on its curve and in its group (SP 800-56A section 5.6.2.3.4: the curves
    /// of JWS have a cofactor of 1, so every point on one is in its group, and the costly half of the check is
    /// unnecessary).
    var isOnCurve: Bool {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        let isGood = EVP_PKEY_public_check_quick(context) == 1
        if !isGood { ERR_clear_error() }
        return isGood
    }

    var isRSA: Bool { EVP_PKEY_is_a(pointer, "RSA") == 1 }

    /// The public numbers of an RSA key, big-endian; nil for another kind of key.
    var rsaNumbers: (modulus: [UInt8], exponent: [UInt8])? {
        guard isRSA,
            let modulus = number(OSSL_PKEY_PARAM_RSA_N), let exponent = number(OSSL_PKEY_PARAM_RSA_E)
        else { return nil }
        return (modulus, exponent)
    }

    /// The public point of an EC key; nil for another kind of key, and on a curve that no JWS algorithm uses.
    var ellipticCurvePoint: (curve: EllipticCurve, x: [UInt8], y: [UInt8])? {
        guard EVP_PKEY_is_a(pointer, "EC") == 1, let curve = curve,
            let x = number(OSSL_PKEY_PARAM_EC_PUB_X, size: curve.coordinateSize),
            let y = number(OSSL_PKEY_PARAM_EC_PUB_Y, size: curve.coordinateSize)
        else { return nil }
        return (curve, x, y)
    }

    /// The public half of an Ed25519 key of `size` bytes; nil for another kind of key.
    func ed25519PublicKey(size expected: Int) -> [UInt8]? {
        guard EVP_PKEY_is_a(pointer, "ED25519") == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: expected)
        var size = bytes.count
        guard EVP_PKEY_get_raw_public_key(pointer, &bytes, &size) == 1, size == bytes.count else { return nil }
        return bytes
    }

    /// The private key as DER PKCS#8 (RFC 5958), unencrypted.
    var pkcs8: [UInt8]? {
        guard let info = EVP_PKEY2PKCS8(pointer) else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        let size = i2d_PKCS8_PRIV_KEY_INFO(info, nil)
        guard size > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            return i2d_PKCS8_PRIV_KEY_INFO(info, &next)
        }
        return written == size ? bytes : nil
    }

    private var curve: EllipticCurve? {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_utf8_string_param(pointer, OSSL_PKEY_PARAM_GROUP_NAME, &name, name.count, &length) == 1
        else { return nil }
        let text = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return EllipticCurve.allCases.first { $0.groupName == text }
    }

    /// A number of the key, big-endian, in as few bytes as it needs or padded to `size`.
    private func number(_ name: String, size: Int? = nil) -> [UInt8]? {
        var value: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name, &value) == 1, let value else { return nil }
        defer { BN_free(value) }
        let count = size ?? Int(gatehouse_bn_byte_count(value))
        var bytes = [UInt8](repeating: 0, count: count)
        return BN_bn2binpad(value, &bytes, Int32(clamping: count)) == Int32(clamping: count) ? bytes : nil
    }
}
