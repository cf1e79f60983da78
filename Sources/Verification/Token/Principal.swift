public import Time

/// The verified caller. Only `TokenVerifier` and `IntrospectionResponse` make one, so having one proves that every check
/// was passed.
public final class Principal: Sendable {
    /// `iss`, equal to a trusted issuer's name.
    public let issuer: String
    /// `sub`, or what the issuer's mapping has for it.
    public let subject: String?
    /// `aud`, or what the issuer's mapping has for it; a lone string as an array of one.
    public let audiences: [String]
    /// The whole claims set, in the token's order. What an issuer's mapping takes from elsewhere is here under the
    /// usual names: `sub`, `sid`, `email`, `role`, `roles` and `scope`.
    public let claims: JSONObject
    /// `exp`.
    public let expiresAt: UnixTime?
    /// `nbf`.
    public let notBefore: UnixTime?
    /// `iat`.
    public let issuedAt: UnixTime?
    /// `jti`.
    public let tokenID: String?
    /// `sid`, or what the issuer's mapping has for it: the session that the token belongs to.
    public let sessionID: String?
    /// The SHA-256 of the token's signing input, which identifies a token without a `jti`; nil if it has one. For an
    /// opaque token the hash of the whole, with or without a `jti`: its holder knows nothing else of it.
    public let signingInputSHA256: [UInt8]?
    /// The claims `role` and `roles`, each a string or an array of strings, or what the issuer's mapping has for
    /// them.
    public let roles: [String]
    /// The claim `scope`, split at spaces (RFC 8693 section 4.2) or an array of strings, or what the issuer's mapping has
    /// for it.
    public let scopes: [String]
    /// The algorithm that the signature was verified with; nil for an opaque token.
    public let algorithm: SignatureAlgorithm?
    /// The header's `kid`.
    public let keyID: String?

    convenience init(
        _ claims: RegisteredClaims,
        issuer: String,
        of unverified: UnverifiedToken,
        in token: Span<UInt8>
    ) {
        self.init(
            claims,
            issuer: issuer,
            algorithm: unverified.joseHeader.algorithm,
            keyID: unverified.joseHeader.keyID,
            digest: claims.tokenID == nil ? unverified.signingInputSHA256(in: token) : nil
        )
    }

    /// For an opaque token, from its introspection response.
    convenience init(_ claims: RegisteredClaims, issuer: String, ofOpaque token: [UInt8]) {
        self.init(claims, issuer: issuer, algorithm: nil, keyID: nil, digest: OpaqueToken.digest(token))
    }

    private init(
        _ claims: RegisteredClaims,
        issuer: String,
        algorithm: SignatureAlgorithm?,
        keyID: String?,
        digest: [UInt8]?
    ) {
        self.issuer = issuer
        subject = claims.subject
        audiences = claims.audiences
        self.claims = claims.all
        expiresAt = claims.expiresAt
        notBefore = claims.notBefore
        issuedAt = claims.issuedAt
        tokenID = claims.tokenID
        sessionID = claims.sessionID
        roles = claims.mappedRoles ?? Self.texts(claims.all["role"]) + Self.texts(claims.all["roles"])
        scopes = claims.mappedScopes ?? Self.scopes(claims.all["scope"])
        self.algorithm = algorithm
        self.keyID = keyID
        signingInputSHA256 = digest
    }

    /// Whether the token was introspected.
    public var isOpaque: Bool { algorithm == nil }

    private static func texts(_ claim: JSONValue?) -> [String] {
        claim?.stringOrStrings ?? []
    }

    private static func scopes(_ claim: JSONValue?) -> [String] {
        guard case .string(let text)? = claim else { return texts(claim) }
        return text.split(separator: " ").map(String.init)
    }
}

extension Principal {
    /// A claim as the value of an identity header, or nil if it has no safe one.
    ///
    /// - Parameter path: A claim's name, or names joined by dots that lead into objects; a name that itself holds dots
    ///   is found first.
    /// - Returns: A string as it is, a number as it was written, `true` or `false`, an array of these joined by commas.
    ///   Nil for objects, null, a missing claim, control characters, outer spaces, and array elements that hold a comma
    ///   (they would read as two).
    public func claimText(_ path: String) -> String? {
        switch Self.find(path, in: claims) {
        case .array(let elements)?: Self.joined(elements)
        case let value?: Self.scalar(value)
        case nil: nil
        }
    }

    private static func find(_ path: String, in object: JSONObject) -> JSONValue? {
        if let value = object[path] { return value }
        var dot = path.utf8.startIndex
        while let next = path.utf8[dot...].firstIndex(of: UInt8(ascii: ".")) {
            dot = path.utf8.index(after: next)
            if case .object(let inner)? = object[String(path[..<next])] {
                return find(String(path[dot...]), in: inner)
            }
        }
        return nil
    }

    private static func joined(_ elements: [JSONValue]) -> String? {
        var texts: [String] = []
        for element in elements {
            guard let text = scalar(element), !text.utf8.contains(UInt8(ascii: ",")) else { return nil }
            texts.append(text)
        }
        return texts.joined(separator: ",")
    }

    private static func scalar(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): isFieldValue(text) ? text : nil
        case .number(let number): number.literal
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }

    /// RFC 9110 section 5.5 without the tab: no control character can end the line, and no outer space can be trimmed
    /// into another value.
    private static func isFieldValue(_ text: String) -> Bool {
        let space = UInt8(ascii: " ")
        return text.utf8.first != space && text.utf8.last != space
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
