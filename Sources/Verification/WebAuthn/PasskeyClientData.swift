/// What a browser says about a ceremony (WebAuthn Level 2 section 5.8.1), over whose hash the authenticator signs.
struct PasskeyClientData {
    enum Ceremony: String {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    private static let longest = 8192

    /// SHA-256 of the bytes as received.
    let hash: [UInt8]

    /// - Throws: If it is not of this ceremony, challenge and origin.
    init(_ bytes: [UInt8], of ceremony: Ceremony, _ expectation: PasskeyExpectation) throws(PasskeyFailure) {
        guard bytes.count <= Self.longest, let object = try? JSONParser.parse(bytes).object,
            let origin = object["origin"]?.string, let challenge = object["challenge"]?.string
        else { throw .malformed("clientDataJSON") }
        guard object["type"]?.string == ceremony.rawValue else { throw .wrongCeremony }
        guard ConstantTime.areEqual(Array(challenge.utf8), Array(Base64URL.encode(expectation.challenge).utf8)) else {
            throw .wrongChallenge
        }
        // A page of another site that frames this one could lead somebody to confirm.
        guard object["crossOrigin"].map({ $0 == false }) ?? true, object["topOrigin"] == nil else { throw .framed }
        guard expectation.origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) else {
            throw .wrongOrigin(origin)
        }
        // No connection here has token binding: one that claims it was made elsewhere.
        guard object["tokenBinding"]?.object?["status"]?.string != "present" else { throw .tokenBound }
        hash = SHA256.digest(bytes)
    }
}
