public import Verification

/// A private key that an issuer is given, by tenants.yaml or by a file: PEM or a JWK.
public struct GivenSigningKey: Sendable {
    /// The most keys that an issuer has.
    static let maximumCount = 16
    /// In bytes; a longer `kid` is refused.
    private static let longestKeyID = 256

    public let key: SigningKey
    /// The `kid` of its tokens: the JWK's, or the thumbprint (RFC 7638).
    public let keyID: String
    let thumbprint: String

    private init(_ key: SigningKey, keyID: String? = nil) throws(GivenKeyFault) {
        guard let thumbprint = key.thumbprint else { throw .signing(.unsupportedKey) }
        self.key = key
        self.keyID = keyID ?? thumbprint
        self.thumbprint = thumbprint
    }

    /// The keys of a text, in its order: one or more PEM blocks, whose line ends may be written as `\n`, or a JWK, or a
    /// JWK Set (RFC 7517).
    ///
    /// - Returns: At least one; all sign with `algorithm`, and no two have one `kid`.
    static func read(_ text: [UInt8], _ algorithm: SignatureAlgorithm) throws(GivenKeyFault) -> [GivenSigningKey] {
        let isJSON = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
        let keys = isJSON ? try webKeys(text, algorithm) : try pemKeys(text)
        guard keys.allSatisfy({ $0.key.algorithms.contains(algorithm) }) else { throw .otherAlgorithm(algorithm) }
        try checkTogether(keys)
        return keys
    }

    /// Checks keys of several texts against each other.
    static func checkTogether(_ keys: [GivenSigningKey]) throws(GivenKeyFault) {
        guard keys.count <= maximumCount else { throw .tooMany }
        guard Set(keys.map { Array($0.keyID.utf8) }).count == keys.count else { throw .sameKeyID }
    }

    private static func pemKeys(_ text: [UInt8]) throws(GivenKeyFault) -> [GivenSigningKey] {
        let keys: [SigningKey]
        do throws(SigningError) {
            keys = try SigningKey.all(pem: EnvironmentPEM.bytes(text))
        } catch {
            throw .signing(error)
        }
        return try keys.map { (key) throws(GivenKeyFault) in try GivenSigningKey(key) }
    }

    private static func webKeys(
        _ text: [UInt8],
        _ algorithm: SignatureAlgorithm
    ) throws(GivenKeyFault) -> [GivenSigningKey] {
        guard let object = try? JSONParser.parse(text).object else { throw .signing(.notAPrivateKey) }
        let members = object["keys"]?.array ?? [.object(object)]
        guard !members.isEmpty else { throw .signing(.notAPrivateKey) }
        guard members.count <= maximumCount else { throw .tooMany }
        return try members.map { (member) throws(GivenKeyFault) in
            guard case .object(let jwk) = member else { throw .signing(.notAPrivateKey) }
            return try webKey(jwk, algorithm)
        }
    }

    private static func webKey(
        _ jwk: JSONObject,
        _ algorithm: SignatureAlgorithm
    ) throws(GivenKeyFault) -> GivenSigningKey {
        let key: SigningKey
        do throws(SigningError) {
            key = try SigningKey(jwk: jwk)
        } catch {
            throw .signing(error)
        }
        if let stated = jwk["alg"], stated.string != algorithm.rawValue { throw .otherAlgorithm(algorithm) }
        // RFC 7517 sections 4.2 and 4.3.
        if let use = jwk["use"], use.string != "sig" { throw .notForSigning }
        if let operations = jwk["key_ops"], operations.array?.contains(where: { $0.string == "sign" }) != true {
            throw .notForSigning
        }
        guard let keyID = jwk["kid"] else { return try GivenSigningKey(key) }
        guard let text = keyID.string, (1...longestKeyID).contains(text.utf8.count) else { throw .unusableKeyID }
        return try GivenSigningKey(key, keyID: text)
    }

    /// The public halves as a set, in the same order.
    public static func publicKeys(_ keys: [GivenSigningKey]) throws(KeySetError) -> KeySet {
        let members = keys.compactMap { given -> JSONValue? in
            guard var jwk = given.key.publicJWK() else { return nil }
            jwk["kid"] = .string(given.keyID)
            return .object(jwk)
        }
        return try KeySet(jwks: JSONWriter.bytes(of: ["keys": .array(members)] as JSONObject), origin: .file)
    }
}

extension GivenSigningKey: Equatable {
    /// The thumbprint identifies the key.
    public static func == (one: Self, other: Self) -> Bool {
        one.keyID.utf8.elementsEqual(other.keyID.utf8) && one.thumbprint.utf8.elementsEqual(other.thumbprint.utf8)
    }
}
