/// What the verifier reads of a JOSE header (RFC 7515 section 4).
///
/// `jwk`, `jku`, `x5u` and `x5c` are not here: a token never brings its own key.
struct JOSEHeader: Sendable, Equatable {
    let algorithm: SignatureAlgorithm
    let keyID: String?
    let type: String?
    let contentType: String?

    init(_ header: JSONObject) throws(VerificationFailure) {
        // No extension is understood, so whatever `crit` holds, well formed or not, the answer is no.
        if header["crit"] != nil { throw VerificationFailure(.criticalExtension) }
        // RFC 7797 section 6 wants `b64` only together with `crit`; with it or without, it is not accepted.
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
