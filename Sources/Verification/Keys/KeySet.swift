/// An issuer's keys, parsed and checked: an immutable value that is shared by all event loops.
public struct KeySet: Sendable, Equatable {
    /// Where a set comes from, which decides who knows its secrets.
    public enum Origin: Sendable {
        /// The operator's own: symmetric keys are allowed, private members are ignored, a malformed key is an error.
        case file
        /// Public: symmetric keys, keys with private members and malformed keys are ignored.
        case url
    }

    /// A key of the set that is not used, and why.
    public struct IgnoredKey: Sendable, Equatable {
        public let keyID: String?
        public let problem: KeyProblem
    }

    /// The longest key set that is read, in bytes.
    public static let maximumLength = 1024 * 1024

    /// The keys that can verify something, in the set's order.
    public let keys: [VerificationKey]
    /// The others (RFC 7517 section 5: they do not invalidate the set).
    public let ignored: [IgnoredKey]

    /// The set of an issuer without keys: it verifies nothing.
    public static let empty = KeySet(keys: [])

    /// Reads a JWK Set (RFC 7517 section 5), or a lone JWK as a set of one.
    ///
    /// A set from a URL may come out empty, when its issuer has withdrawn every key; one from a file may not.
    public init(jwks json: [UInt8], origin: Origin = .file) throws(KeySetError) {
        guard json.count <= Self.maximumLength else { throw .tooLong }
        let value: JSONValue
        do {
            value = try JSONParser.parse(json)
        } catch {
            throw .notJSON(error)
        }
        guard case .object(let object) = value else { throw .notAKeySet }
        if case .array(let elements)? = object["keys"] {
            try self.init(elements, origin)
        } else if object["kty"] != nil {
            try self.init(jwk: object, origin: origin)
        } else {
            throw .notAKeySet
        }
    }

    /// As `init(jwks:origin:)`, for a span of bytes.
    public init(jwks json: Span<UInt8>, origin: Origin = .file) throws(KeySetError) {
        guard json.count <= Self.maximumLength else { throw .tooLong }
        try self.init(jwks: json.withUnsafeBufferPointer { Array($0) }, origin: origin)
    }

    /// A set of the one key that `jwk` describes; the key must be usable, wherever it comes from.
    public init(jwk: JSONObject, origin: Origin = .file) throws(KeySetError) {
        do {
            self.init(keys: [try JSONWebKey.verificationKey(from: jwk, origin: origin)])
        } catch {
            throw .noUsableKey(error)
        }
    }

    /// The public keys of a PEM text: blocks `PUBLIC KEY` (RFC 7468 section 13) and `RSA PUBLIC KEY` (RFC 8017).
    ///
    /// - Parameter algorithms: What the keys may verify; nil for all that fit. Each must fit one of the keys.
    public init(pem: [UInt8], algorithms: [SignatureAlgorithm]? = nil) throws(KeySetError) {
        let materials = try PEM.publicKeys(pem).map(KeyMaterial.publicKey)
        try self.init(materials, restrictedTo: algorithms)
    }

    /// A secret for HMAC, at least as long as the hash of the algorithms it is for (RFC 7518 section 3.2).
    ///
    /// - Parameter algorithms: What the secret may verify; nil for every HMAC that it is long enough for.
    public init(secret: [UInt8], algorithms: [SignatureAlgorithm]? = nil) throws(KeySetError) {
        let material = KeyMaterial.secret(secret)
        let needed = algorithms?.filter(\.isSymmetric).map(\.hash.size).max() ?? HashFunction.sha256.size
        guard secret.count >= needed else { throw .noUsableKey(.secretTooShort(bytes: secret.count)) }
        try self.init([material], restrictedTo: algorithms)
    }

    private init(keys: [VerificationKey], ignored: [IgnoredKey] = []) {
        self.keys = keys
        self.ignored = ignored
    }

    private init(_ elements: [JSONValue], _ origin: Origin) throws(KeySetError) {
        var keys: [VerificationKey] = []
        var ignored: [IgnoredKey] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let jwk) = element else { throw .notAKeySet }
            do {
                keys.append(try JSONWebKey.verificationKey(from: jwk, origin: origin))
            } catch {
                if origin == .file, error.isMalformed { throw .malformedKey(index: index, error) }
                ignored.append(IgnoredKey(keyID: jwk["kid"]?.string, problem: error))
            }
        }
        if keys.isEmpty, origin == .file { throw .noUsableKey(ignored.first?.problem) }
        let symmetric = keys.count(where: \.isSymmetric)
        guard symmetric == 0 || symmetric == keys.count else { throw .mixedKinds }
        self.init(keys: keys, ignored: ignored)
    }

    private init(_ materials: [KeyMaterial], restrictedTo algorithms: [SignatureAlgorithm]?) throws(KeySetError) {
        for algorithm in algorithms ?? [] {
            guard materials.contains(where: { $0.algorithms.contains(algorithm) }) else {
                throw .algorithmDoesNotFit(algorithm)
            }
        }
        let keys = materials.compactMap { material -> VerificationKey? in
            let allowed = material.algorithms.filter { algorithms?.contains($0) ?? true }
            guard !allowed.isEmpty else { return nil }
            return VerificationKey(
                keyID: nil,
                declaredAlgorithm: nil,
                use: nil,
                algorithms: allowed,
                material: material
            )
        }
        guard !keys.isEmpty else { throw .noUsableKey(nil) }
        self.init(keys: keys)
    }
}
