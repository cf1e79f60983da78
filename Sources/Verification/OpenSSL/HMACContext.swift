import COpenSSL

/// HMAC (RFC 7518 section 3.2) with its key set up once: a restart keeps the hashed key pads.
final class HMACContext: SignatureContext {
    private let context: OpaquePointer
    private let size: Int

    init?(secret: [UInt8], hash: HashFunction) {
        guard let algorithm = EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        defer { EVP_MAC_free(algorithm) }
        guard let context = EVP_MAC_CTX_new(algorithm) else { return nil }
        var name = Array(hash.rawValue.utf8CString)
        let isReady = name.withUnsafeMutableBufferPointer { name in
            var parameters = [
                OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.baseAddress, 0),
                OSSL_PARAM_construct_end(),
            ]
            return EVP_MAC_init(context, secret, secret.count, &parameters) == 1
        }
        guard isReady else {
            EVP_MAC_CTX_free(context)
            return nil
        }
        self.context = context
        size = hash.size
    }

    deinit {
        EVP_MAC_CTX_free(context)
    }

    func isValid(_ signature: [UInt8], over input: Span<UInt8>) -> Bool {
        guard let code = code(over: input) else { return false }
        return ConstantTime.areEqual(signature, code)
    }

    /// The authentication code of `input`.
    func code(over input: Span<UInt8>) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: size)
        var length = 0
        let isDone = input.withUnsafeBytes { bytes in
            EVP_MAC_init(context, nil, 0, nil) == 1
                && EVP_MAC_update(context, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count) == 1
                && EVP_MAC_final(context, &code, &length, size) == 1
        }
        return isDone && length == size ? code : nil
    }
}
