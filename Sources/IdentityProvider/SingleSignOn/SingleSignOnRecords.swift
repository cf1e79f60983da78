import Store
import Time
import Verification

/// The cookie of a single sign-on session, and its record in the store: sealed with the cookie's value, under a hash of
/// it, so that read access to the store is not enough to use one or to see its content.
struct SingleSignOnRecords: Sendable {
    private static let length = 32
    /// Seconds for which a record outlives its session: codes that were issued at its end are redeemed.
    private static let margin = 60.0

    let store: any Store
    let tenant: String

    var groups: BrowserGroups { BrowserGroups(store: store, tenant: tenant) }

    /// - Returns: A cookie's value, and the session's name.
    static func makeValue() -> (value: [UInt8], id: String) {
        let value = RandomBytes.make(length)
        return (value, id(of: value))
    }

    static func id(of value: [UInt8]) -> String { Base64URL.encode(SHA256.digest(value)) }

    func add(_ session: SingleSignOnSession, value: [UInt8], at now: UnixTime) async throws(StoreError) {
        guard let sealed = CredentialSeal.seal(session.json, with: value, purpose: purpose) else {
            throw .unusable("a single sign-on session could not be encrypted")
        }
        let seconds = max(session.expiresAt - now, 1) + Self.margin
        try await store.set(sealed, for: groups.key(session.id), lifetime: .seconds(seconds))
    }

    /// - Returns: Nil if there is none, or no longer. One that is not live has ended; what was begun in it may not yet
    ///   have.
    func read(
        _ value: [UInt8],
        at now: UnixTime
    ) async throws(StoreError) -> (session: SingleSignOnSession, isLive: Bool)? {
        let id = Self.id(of: value)
        guard let record = try await store.value(for: groups.key(id)).map(BrowserGroups.Record.init),
            let sealed = record.session
        else { return nil }
        guard let json = CredentialSeal.open(sealed, with: value, purpose: purpose),
            let session = SingleSignOnSession(json: json, id: id)
        else { throw .garbled("a single sign-on session of \(tenant)") }
        guard now < session.expiresAt else { return nil }
        return (session, session.group == id ? record.isLive : try await groups.isLive(session.group))
    }

    func remove(_ id: String) async throws(StoreError) { try await store.remove(groups.key(id)) }

    /// Lets the group of a session go on under another cookie; the session's own is of no use any more.
    ///
    /// - Parameter lifetime: Of the next session, in seconds.
    /// - Returns: False if it has ended.
    func move(_ session: SingleSignOnSession, for lifetime: Double) async throws(StoreError) -> Bool {
        let isLive = try await groups.move(session.group, for: .seconds(lifetime + Self.margin))
        if session.id != session.group { try await remove(session.id) }
        return isLive
    }

    private var purpose: String { "single sign-on of \(tenant)" }

    // MARK: The cookie

    /// Of each tenant its own: several may share a host.
    func cookieName(isSecure: Bool) -> String {
        let digest = Base64URL.encode(SHA256.digest(Array(tenant.utf8))).prefix(8)
        return "\(isSecure ? "__Host-" : "")gatehouse-single-sign-on-\(digest)"
    }

    func value(in request: EndpointRequest) -> [UInt8]? {
        let name = cookieName(isSecure: request.isSecure)
        guard let text = RequestCookies.value(of: name, in: request.fields.cookies),
            let value = Base64URL.decode(text), value.count == Self.length
        else { return nil }
        return value
    }

    func cookie(_ value: [UInt8], seconds: Double, isSecure: Bool) -> EndpointResponse.Field {
        SetCookie.field(
            cookieName(isSecure: isSecure),
            Base64URL.encode(value),
            maxAge: max(Int(seconds), 1),
            isSecure: isSecure
        )
    }

    /// Clears it for a browser that has it.
    func fieldsThatClear(_ request: EndpointRequest) -> [EndpointResponse.Field] {
        let name = cookieName(isSecure: request.isSecure)
        guard RequestCookies.value(of: name, in: request.fields.cookies) != nil else { return [] }
        return [SetCookie.field(name, "", maxAge: 0, isSecure: request.isSecure)]
    }
}
