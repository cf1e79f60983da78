import COpenSSL

/// AES-256-GCM (NIST SP 800-38D) with random nonces, of which one key may seal 2^32 values.
///
///     nonce (12 bytes) · ciphertext · tag (16)
public enum AESGCM {
    /// Bytes that a sealed value has more.
    public static let overhead = nonceLength + tagLength
    private static let keyLength = 32
    private static let nonceLength = 12
    private static let tagLength = 16

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - context: Authenticated too; it opens with the same only.
    /// - Returns: Nil for a key of another length, and when OpenSSL is out of memory.
    public static func seal(_ value: [UInt8], key: [UInt8], authenticating context: [UInt8]) -> [UInt8]? {
        seal(value, key: key, nonce: RandomBytes.make(nonceLength), authenticating: context)
    }

    static func seal(_ value: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8]) -> [UInt8]? {
        guard let cipher = Cipher(key: key, nonce: nonce, isSealing: true), cipher.authenticate(context),
            let ciphertext = cipher.process(value), cipher.finish(), let tag = cipher.tag
        else { return nil }
        return nonce + ciphertext + tag
    }

    /// - Returns: Nil unless the key and the context are those that it was sealed with, to the last bit.
    public static func open(_ sealed: [UInt8], key: [UInt8], authenticating context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= overhead else { return nil }
        let tag = Array(sealed.suffix(tagLength))
        guard let cipher = Cipher(key: key, nonce: Array(sealed.prefix(nonceLength)), isSealing: false),
            cipher.authenticate(context),
            let value = cipher.process(Array(sealed.dropFirst(nonceLength).dropLast(tagLength))),
            cipher.expect(tag), cipher.finish()
        else { return nil }
        return value
    }

    /// Owns one `EVP_CIPHER_CTX`.
    private final class Cipher {
        private let context: OpaquePointer

        init?(key: [UInt8], nonce: [UInt8], isSealing: Bool) {
            guard key.count == keyLength, nonce.count == nonceLength, let context = EVP_CIPHER_CTX_new() else {
                return nil
            }
            self.context = context
            guard EVP_CipherInit_ex2(context, EVP_aes_256_gcm(), key, nonce, isSealing ? 1 : 0, nil) == 1 else {
                return nil
            }
        }

        deinit {
            // This also overwrites the key in it.
            EVP_CIPHER_CTX_free(context)
        }

        func authenticate(_ bytes: [UInt8]) -> Bool {
            var count: Int32 = 0
            guard !bytes.isEmpty else { return true }
            return bytes.count <= Int32.max && EVP_CipherUpdate(context, nil, &count, bytes, Int32(bytes.count)) == 1
        }

        func process(_ input: [UInt8]) -> [UInt8]? {
            guard !input.isEmpty else { return [] }
            guard input.count <= Int32.max else { return nil }
            var output = [UInt8](repeating: 0, count: input.count)
            var count: Int32 = 0
            let isDone = EVP_CipherUpdate(context, &output, &count, input, Int32(input.count)) == 1
            return isDone && count == output.count ? output : nil
        }

        func expect(_ tag: [UInt8]) -> Bool {
            var tag = tag
            return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
        }

        /// Compares the tags in constant time if it opens.
        func finish() -> Bool {
            // A counter mode leaves nothing for the end, but OpenSSL wants a place for a block.
            var rest = [UInt8](repeating: 0, count: tagLength)
            var count: Int32 = 0
            return EVP_CipherFinal_ex(context, &rest, &count) == 1 && count == 0
        }

        var tag: [UInt8]? {
            var tag = [UInt8](repeating: 0, count: tagLength)
            return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1 ? tag : nil
        }
    }
}
