import TokenSigning
import Verification

/// A refresh token: opaque to its client, and to the store, which has only its hash. In base64url
///
///     session (16 bytes) · secret (32) · tag (16)
///
/// With `refresh_format: jwt` that is the `jti` of a JWT of the type `rt+jwt` (``RefreshTokenClaims``). Its other claims
/// and its signature are for those who read it: here the secret counts, whose hash is in the store, so that a session
/// outlives the keys that signed its tokens.
///
/// A session ID is no secret: every access token shows it. Only the tag, made with a key of the session, tells a used
/// token of the session from a forged one, which must not be taken for a reuse that ends the session.
struct RefreshToken: Sendable, Equatable {
    static let sessionLength = 16
    private static let secretLength = 32
    private static let tagLength = 16

    let bytes: [UInt8]

    /// A new token of the session whose ID has these bytes.
    init(sessionID: [UInt8], familyKey: [UInt8]) {
        let untagged = sessionID + RandomBytes.make(Self.secretLength)
        bytes = untagged + Self.tag(untagged, familyKey)
    }

    /// Parses a presented token of either format.
    ///
    /// - Returns: Nil if it does not have the form of a refresh token.
    init?(_ text: String) {
        guard !text.utf8.contains(UInt8(ascii: ".")) else {
            self.init(jwt: text)
            return
        }
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    private init?(jwt: String) {
        guard let token = try? UnverifiedToken(Array(jwt.utf8)),
            token.header["typ"]?.string?.utf8.elementsEqual(IssuedTokenType.refresh.rawValue.utf8) == true,
            let claims = try? token.claims(), let bytes = claims["jti"]?.string.flatMap({ Base64URL.decode($0) })
        else { return nil }
        self.init(bytes: bytes)
        guard claims["sid"]?.string?.utf8.elementsEqual(sessionID.utf8) == true else { return nil }
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == Self.sessionLength + Self.secretLength + Self.tagLength else { return nil }
        self.bytes = bytes
    }

    var text: String { Base64URL.encode(bytes) }

    /// The `sid`.
    var sessionID: String { Base64URL.encode(Array(bytes.prefix(Self.sessionLength))) }

    /// The stored form: SHA-256, without a salt, since the secret cannot be guessed.
    var hash: [UInt8] { SHA256.digest(bytes) }

    /// Whether the session with this key made it. Runs in constant time.
    func belongs(to familyKey: [UInt8]) -> Bool {
        let untagged = Array(bytes.dropLast(Self.tagLength))
        return ConstantTime.areEqual(Array(bytes.suffix(Self.tagLength)), Self.tag(untagged, familyKey))
    }

    private static func tag(_ untagged: [UInt8], _ familyKey: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(of: untagged, key: familyKey).prefix(tagLength))
    }
}

extension RefreshToken: CustomStringConvertible, CustomReflectable {
    var description: String { "<refresh token, redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
