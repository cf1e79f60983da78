/// The parts of a JOSE header that the verifier reads (RFC 7515 section 4).
///
/// `jwk`, `jku`, `x5u` and `x5c` are not here: a token never brings its own key.
struct JOSEHeader: Sendable, Equatable {
    let algorithm: SignatureAlgorithm
    let keyID: String?
    let type: String?
    let contentType: String?

    init(_ header: JSONObject) throws(VerificationFailure) {
        // No extension is supported, so any `crit`, well formed or not, is refused.
        if header["crit"] != nil { throw VerificationFailure(.criticalExtension) }
        // RFC 7797 section 6 requires `crit` with `b64`; it is refused with or without.
        if header["b64"] != nil { throw VerificationFailure(.unencodedPayload) }
        guard case .string(let name)? = header["alg"] else { throw VerificationFailure(.badHeader) }
        guard let algorithm = SignatureAlgorithm(exactName: name) else {
            throw VerificationFailure(.unsupportedAlgorithm)
        }
        self.algorithm = algorithm
        keyID = try Self.string(header["kid"])
        type = try Self.string(header["typ"])
        contentType = try Self.string(header["cty"])
    }

    private static func string(_ value: JSONValue?) throws(VerificationFailure) -> String? {
        guard let value else { return nil }
        guard case .string(let text) = value else { throw VerificationFailure(.badHeader) }
        return text
    }
}
