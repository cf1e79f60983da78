import Store
import Time
import Verification

/// A tenant's authorization codes (RFC 6749 section 4.1.2) in the store, where neither a code nor its grant can be
/// read: the SHA-256 of a code is the key of its record, and the code itself opens the grant.
///
/// The caller passes the time.
struct AuthorizationCodes: Sendable {
    /// Seconds for which a code is valid.
    static let life = 60.0
    /// How long a used code is remembered: a second use means that it was stolen (RFC 9700 section 2.1.1), and revokes
    /// the tokens it gave.
    static let memory: Duration = .seconds(600)
    private static let length = 32

    /// The state of a presented code.
    enum Found: Sendable {
        case fresh(CodeGrant, Fresh)
        /// Used before; nil if it gave no session.
        case spent(sessionID: String?)
        /// Never issued at this tenant, or expired.
        case unknown
    }

    /// An unused code, as read.
    struct Fresh: Sendable {
        fileprivate let key: StoreKey
        fileprivate let record: [UInt8]
    }

    let store: any Store
    let tenant: String

    /// - Returns: 256 random bits in base64url, valid once.
    func issue(_ grant: CodeGrant, at now: UnixTime) async throws(StoreError) -> String {
        var grant = grant
        grant.issuedAt = now
        let code = RandomBytes.make(Self.length)
        guard let sealed = CredentialSeal.seal(grant.json, with: code, purpose: purpose) else {
            throw .unusable("an authorization code could not be encrypted")
        }
        try await store.set(Record.fresh(sealed).bytes, for: key(code), lifetime: .seconds(Int(Self.life)))
        return Base64URL.encode(code)
    }

    func find(_ code: String, at now: UnixTime) async throws(StoreError) -> Found {
        guard let code = Base64URL.decode(code), code.count == Self.length else { return .unknown }
        let key = key(code)
        guard let bytes = try await store.value(for: key) else { return .unknown }
        switch Record(bytes) {
        case .spent(let sessionID): return .spent(sessionID: sessionID)
        case .fresh(let sealed):
            guard let json = CredentialSeal.open(sealed, with: code, purpose: purpose),
                let grant = CodeGrant(json: json)
            else { throw .garbled("the grant of an authorization code of \(tenant)") }
            guard now < grant.issuedAt + Self.life else { return .unknown }
            return .fresh(grant, Fresh(key: key, record: bytes))
        case nil: throw .garbled("an authorization code of \(tenant)")
        }
    }

    /// Uses a code up, on any instance: of all attempts, one succeeds.
    ///
    /// - Parameter sessionID: The session that it gives; nil for a code that is invalidated because the wrong client
    ///   presented it.
    /// - Returns: Whether this attempt was the first.
    func spend(_ fresh: Fresh, sessionID: String?) async throws(StoreError) -> Bool {
        try await store.replace(
            fresh.record,
            with: Record.spent(sessionID: sessionID).bytes,
            for: fresh.key,
            lifetime: Self.memory
        )
    }

    private var purpose: String { "authorization code of \(tenant)" }

    private func key(_ code: [UInt8]) -> StoreKey { StoreKey(tenant: tenant, kind: "code", hashing: code) }
}

// MARK: - In the store

/// A code's record: a byte for the kind, and its content.
private enum Record {
    case fresh([UInt8])
    case spent(sessionID: String?)

    init?(_ bytes: [UInt8]) {
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case UInt8(ascii: "F"): self = .fresh(rest)
        case UInt8(ascii: "S"): self = .spent(sessionID: rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self))
        default: return nil
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .fresh(let sealed): [UInt8(ascii: "F")] + sealed
        case .spent(let sessionID): [UInt8(ascii: "S")] + Array((sessionID ?? "").utf8)
        }
    }
}

extension CodeGrant {
    fileprivate var json: [UInt8] {
        var object: JSONObject = [
            "client": .string(clientID),
            "redirect": .string(redirectURI),
            "scopes": .array(scopes.map(JSONValue.string)),
            "sub": .string(subject),
            "provider": .string(provider),
            "at": .time(issuedAt),
        ]
        if let codeChallenge { object["challenge"] = .string(codeChallenge) }
        if let nonce { object["nonce"] = .string(nonce) }
        if let device { object["device"] = .string(device) }
        if !claims.members.isEmpty { object["claims"] = .object(claims) }
        if let address { object["ip"] = .string(address) }
        if !methods.isEmpty { object["amr"] = .array(methods.map(JSONValue.string)) }
        if let signedInAt { object["signed_in"] = .time(signedInAt) }
        if let authenticatedAt { object["auth_time"] = .time(authenticatedAt) }
        if isProven { object["proven"] = true }
        if let singleSignOn { object["sso"] = .string(singleSignOn) }
        if let keyThumbprint { object["jkt"] = .bytes(keyThumbprint) }
        return JSONWriter.bytes(of: object)
    }

    fileprivate init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object,
            let clientID = object["client"]?.string, let redirectURI = object["redirect"]?.string,
            let scopes = object["scopes"]?.stringOrStrings,
            let subject = object["sub"]?.string, let provider = object["provider"]?.string,
            let issuedAt = object["at"]?.double
        else { return nil }
        let keyThumbprint = object["jkt"]?.string
        self.init(
            clientID: clientID,
            redirectURI: redirectURI,
            codeChallenge: object["challenge"]?.string,
            scopes: scopes,
            nonce: object["nonce"]?.string,
            subject: subject,
            provider: provider,
            claims: object["claims"]?.object ?? JSONObject(),
            device: object["device"]?.string,
            address: object["ip"]?.string,
            methods: object["amr"]?.stringOrStrings ?? [],
            signedInAt: object["signed_in"]?.time,
            authenticatedAt: object["auth_time"]?.time,
            isProven: object["proven"]?.bool ?? false,
            singleSignOn: object["sso"]?.string,
            issuedAt: UnixTime(issuedAt),
            // An unreadable thumbprint becomes an empty one, which no key matches.
            keyThumbprint: keyThumbprint.map { Base64URL.decode($0) ?? [] }
        )
    }
}
