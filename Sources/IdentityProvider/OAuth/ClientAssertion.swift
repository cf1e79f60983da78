import Time
import Verification

/// A token that a client has signed to authenticate (`private_key_jwt`, OpenID Connect Core section 9, RFC 7523
/// section 3).
struct ClientAssertion: Sendable {
    /// The value of `client_assertion_type` (RFC 7523 section 2.2).
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// How many seconds ahead its `exp` may be: a stolen one must soon be worthless, and used ones are remembered so long.
    static let longestLife = 600.0
    /// Seconds by which clocks may differ.
    static let leeway = 60.0
    /// Of `jti`, in bytes.
    static let longestID = 256

    /// What has to be remembered of a verified one, so that it is used once.
    struct Use: Sendable, Equatable {
        let tokenID: String
        let expiresAt: UnixTime
    }

    private let token: [UInt8]
    /// The client that it claims to be of; not verified.
    let clientID: String

    /// - Returns: Nil for text that is no JWT with a subject, or one of another type (RFC 8725 section 3.11).
    init?(_ text: String) {
        let token = Array(text.utf8)
        guard let unverified = try? UnverifiedToken(token),
            Self.isAccepted(type: unverified.header["typ"]),
            let clientID = try? unverified.claims()["sub"]?.string
        else { return nil }
        self.token = token
        self.clientID = clientID
    }

    private static func isAccepted(type: JSONValue?) -> Bool {
        guard let type else { return true }
        return type.string?.lowercased() == "jwt"
    }

    /// - Parameters:
    ///   - audiences: Its `aud` must be exactly one of them, and nothing else: with a second one another server could use it
    ///     here.
    ///   - keys: The client's; nil if they are unknown.
    /// - Throws: ``Problem/keys`` if other keys may verify it.
    func verified(
        by keys: KeySet?,
        of clientID: String,
        _ algorithms: [SignatureAlgorithm],
        audiences: [String],
        at now: UnixTime
    ) throws(Problem) -> Use {
        let issuer = IssuerPolicy(issuer: clientID, audiences: audiences, algorithms: algorithms, keys: keys)
        let policy = VerificationPolicy(
            issuers: [issuer],
            leeway: Self.leeway,
            requiredClaims: ["sub", "aud", "exp", "jti"]
        )
        let principal: Principal
        do throws(VerificationFailure) {
            principal = try TokenVerifier(policy).verify(token, at: now)
        } catch {
            throw error.issuerIndex == nil ? .invalid : .keys
        }
        guard principal.subject?.utf8.elementsEqual(clientID.utf8) == true, principal.audiences.count == 1,
            let expiresAt = principal.expiresAt, expiresAt <= now + (Self.longestLife + Self.leeway),
            let tokenID = principal.tokenID, (1...Self.longestID).contains(tokenID.utf8.count)
        else { throw .invalid }
        return Use(tokenID: tokenID, expiresAt: expiresAt)
    }

    enum Problem: Error, Sendable {
        case invalid
        /// The keys are unknown, or lack the one that it names.
        case keys
    }
}

/// It may be good still: it stays out of descriptions.
extension ClientAssertion: CustomStringConvertible, CustomReflectable {
    var description: String { "<client assertion, redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
