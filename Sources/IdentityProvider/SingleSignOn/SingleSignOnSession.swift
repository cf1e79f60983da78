import Time
import Verification

/// A browser's own session at the issuer: within it further clients get codes without another sign-in.
///
/// It does not change once it has begun. Whether its subject may still use it is asked each time. When they sign in
/// again, another takes its place in the same group.
struct SingleSignOnSession: Sendable, Equatable {
    /// SHA-256 of the cookie's value in base64url: names the session without opening it.
    let id: String
    /// The ``id`` of the group's first session: what sessions of clients were begun in.
    var group: String
    let subject: String
    let way: SignInWay
    /// What the provider said of the subject; nil after a passkey.
    let identity: ProviderIdentity?
    let startedAt: UnixTime
    /// When the subject proved who they are (`auth_time`), as far as the provider says it.
    let authenticatedAt: UnixTime
    /// Whether they proved it then; false where a provider may have led somebody back whom it knew already.
    let isProven: Bool
    let expiresAt: UnixTime

    /// `acr` of its sign-in; nil where a provider did it.
    var contextClass: String? { AuthenticationContext.of(methods: way.methods) }
}

extension Account {
    /// Whether it still has what a session at the issuer was begun with.
    func isEntered(by session: SingleSignOnSession) -> Bool {
        if let identity = session.identity { return identities.contains { $0.isSame(as: identity.key) } }
        guard let passkey = session.way.passkey else { return isEntered(by: session.way.name) }
        return passkeys.contains { $0.credential.id == passkey }
    }
}

// MARK: - In the store

extension SingleSignOnSession {
    private static let version = 1

    var json: [UInt8] {
        var object: JSONObject = [
            "v": .number(JSONNumber(Self.version)),
            "sub": .string(subject),
            "way": .string(way.name),
            "started": .time(startedAt),
            "auth_time": .time(authenticatedAt),
            "proven": .bool(isProven),
            "expires": .time(expiresAt),
        ]
        if !way.methods.isEmpty { object["amr"] = .array(way.methods.map(JSONValue.string)) }
        if !way.claims.members.isEmpty { object["claims"] = .object(way.claims) }
        if let time = way.signedInAt { object["signed_in"] = .time(time) }
        if let passkey = way.passkey { object["passkey"] = .bytes(passkey) }
        if group != id { object["group"] = .string(group) }
        if let identity { object["identity"] = .object(identity.json) }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json: [UInt8], id: String) {
        guard let object = try? JSONParser.parse(json).object, object["v"]?.double == Double(Self.version),
            let subject = object["sub"]?.string, let way = object["way"]?.string,
            let startedAt = object["started"]?.time, let authenticatedAt = object["auth_time"]?.time,
            let isProven = object["proven"]?.bool, let expiresAt = object["expires"]?.time
        else { return nil }
        var identity: ProviderIdentity?
        if let member = object["identity"] {
            guard let read = member.object.flatMap({ ProviderIdentity(kept: $0, provider: way) }) else { return nil }
            identity = read
        }
        self.init(
            id: id,
            group: object["group"]?.string ?? id,
            subject: subject,
            way: SignInWay(
                name: way,
                methods: object["amr"]?.stringOrStrings ?? [],
                claims: object["claims"]?.object ?? JSONObject(),
                signedInAt: object["signed_in"]?.time,
                passkey: object["passkey"]?.bytes
            ),
            identity: identity,
            startedAt: startedAt,
            authenticatedAt: authenticatedAt,
            isProven: isProven,
            expiresAt: expiresAt
        )
    }
}
