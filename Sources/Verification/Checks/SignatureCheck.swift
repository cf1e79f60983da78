/// Verifies signatures with the keys of one set, and keeps each key's OpenSSL context for the next token.
///
/// Not `Sendable`: contexts are written to by every verification, so each event loop has its own.
final class SignatureCheck {
    private let keys: KeySet
    /// One entry per key and algorithm, filled at first use.
    private var contexts: [(any SignatureContext)?]

    init(_ keys: KeySet) {
        self.keys = keys
        contexts = Array(repeating: nil, count: keys.keys.count * SignatureAlgorithm.count)
    }

    /// Passes if a key of the set that the header may use verifies the token's signature.
    func check(_ unverified: UnverifiedToken, in token: Span<UInt8>) throws(VerificationFailure) {
        let algorithm = unverified.joseHeader.algorithm
        let signingInput = token.extracting(0..<unverified.signingInputLength)
        for index in try keys.candidates(for: algorithm, keyID: unverified.joseHeader.keyID) {
            if let context = context(index, algorithm),
                context.isValid(unverified.signature, over: signingInput)
            {
                return
            }
        }
        throw VerificationFailure(.badSignature)
    }

    private func context(_ index: Int, _ algorithm: SignatureAlgorithm) -> (any SignatureContext)? {
        let slot = index * SignatureAlgorithm.count + algorithm.ordinal
        if let context = contexts[slot] { return context }
        contexts[slot] = keys.keys[index].material.context(for: algorithm)
        return contexts[slot]
    }
}
