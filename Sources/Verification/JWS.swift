/// The signature layer alone (RFC 7515 section 5.2): no claim is checked, and the payload may be any bytes.
public enum JWS {
    /// Verifies a compact JWS and returns its payload.
    ///
    /// - Parameters:
    ///   - compact: The token's bytes.
    ///   - keys: The keys that may have signed it.
    ///   - algorithms: The algorithms to accept; nil for those that the keys allow.
    public static func verify(
        compact: [UInt8],
        keys: KeySet,
        algorithms: [SignatureAlgorithm]? = nil
    ) throws(VerificationFailure) -> (header: JSONObject, payload: [UInt8]) {
        let unverified = try UnverifiedToken(compact)
        if let algorithms, !algorithms.contains(unverified.joseHeader.algorithm) {
            throw VerificationFailure(.algorithmNotAllowed)
        }
        try SignatureCheck(keys).check(unverified, in: compact.span)
        return (unverified.header, unverified.payload)
    }
}
