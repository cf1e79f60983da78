extension KeySet {
    /// How many keys are tried for a token that names none. Each try costs a verification.
    private static let maximumTries = 16

    /// The keys that may have signed a token, as indices in `keys` (RFC 7515 appendix D).
    ///
    /// - A `kid` is binding as soon as any key of the set has one: an unknown `kid` never falls back to another key.
    /// - If no key has one (PEM, a secret), the token's is ignored.
    /// - Two keys of one `kid` that both fit the algorithm are refused, since the token does not say which it means.
    /// - Without a `kid` every fitting key is tried.
    func candidates(
        for algorithm: SignatureAlgorithm,
        keyID: String?
    ) throws(VerificationFailure) -> [Int] {
        let named = keyID.flatMap { keyID in keys.contains { $0.keyID != nil } ? keyID : nil }
        var isKnown = named == nil
        var fitting: [Int] = []
        for index in keys.indices {
            if let named {
                guard let keyID = keys[index].keyID, keyID.hasSameBytes(as: named) else { continue }
                isKnown = true
            }
            if keys[index].algorithms.contains(algorithm) { fitting.append(index) }
        }
        guard isKnown else { throw VerificationFailure(.unknownKey) }
        guard !fitting.isEmpty else { throw VerificationFailure(.noFittingKey) }
        guard fitting.count <= (named == nil ? Self.maximumTries : 1) else {
            throw VerificationFailure(.ambiguousKey)
        }
        return fitting
    }
}
