import COpenSSL

/// A SHA-2 function, fetched once, with a reusable context: fetching by name at each use costs more than hashing a
/// token.
final class MessageDigest {
    let hash: HashFunction
    let function: OpaquePointer
    private let context: OpaquePointer

    init?(_ hash: HashFunction) {
        guard let function = EVP_MD_fetch(nil, hash.rawValue, nil) else { return nil }
        guard let context = EVP_MD_CTX_new() else {
            EVP_MD_free(function)
            return nil
        }
        self.hash = hash
        self.function = function
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
        EVP_MD_free(function)
    }

    /// The digest of `input`, or nil when OpenSSL is out of memory.
    func digest(_ input: Span<UInt8>) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: hash.size)
        var size: UInt32 = 0
        let isDone = input.withUnsafeBytes { bytes in
            EVP_DigestInit_ex2(context, function, nil) == 1
                && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
                && EVP_DigestFinal_ex(context, &output, &size) == 1
        }
        return isDone && size == output.count ? output : nil
    }
}
