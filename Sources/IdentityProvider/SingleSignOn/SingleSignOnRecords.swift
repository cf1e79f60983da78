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
    var browsers: BrowserIdentifiers { BrowserIdentifiers(groups: groups) }

    /// - Returns: A cookie's value, and the session's name.
    static func makeValue() -> (value: [UInt8], id: String) {
        let value = RandomBytes.make(length)
        return (value, id(of: value))
    }

    static func id(of value: [UInt8]) -> String { Base64URL.encode(SHA256.digest(value)) }

    /// Writes a session that begins.
    ///
    /// - Parameters:
    ///   - browser: The identifier of the browser; nil if it has none, or if it has said already what group goes on.
    ///   - lifetime: Of sessions, in seconds.
    /// - Returns: The session, in the group of others that have begun in the browser meanwhile.
    func add(
        _ session: SingleSignOnSession,
        value: [UInt8],
        in browser: [UInt8]?,
        for lifetime: Double,
        at now: UnixTime
    ) async throws(StoreError) -> SingleSignOnSession {
        // First, so that others can join its group.
        try await write(session, value, at: now)
        guard let browser else { return session }
        let kept = Duration.seconds(lifetime + Self.margin)
        var session = session
        session.group = try await browsers.join(session.group, of: session.subject, in: browser, for: kept)
        if session.group != session.id { try await write(session, value, at: now) }
        return session
    }

    private func write(_ session: SingleSignOnSession, _ value: [UInt8], at now: UnixTime) async throws(StoreError) {
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
    /// - Parameters:
    ///   - browser: The identifier of the browser; nil for none.
    ///   - lifetime: Of the next session, in seconds.
    /// - Returns: False if it has ended.
    func move(
        _ session: SingleSignOnSession,
        in browser: [UInt8]?,
        for lifetime: Double
    ) async throws(StoreError) -> Bool {
        let kept = Duration.seconds(lifetime + Self.margin)
        // Before: who comes with the same cookie afterwards finds no session, and must find the group.
        if let browser { try await browsers.keep(session.group, of: session.subject, in: browser, for: kept) }
        if session.id == session.group { return try await groups.move(session.group, for: kept) }
        // Not the group's record, which is that of another tab's session too.
        let isLive = try await groups.extend(session.group, for: kept)
        try await remove(session.id)
        return isLive
    }

    private var purpose: String { "single sign-on of \(tenant)" }

    // MARK: The cookie

    func cookieName(isSecure: Bool) -> String { Self.cookieName("single-sign-on", tenant, isSecure) }

    func value(in request: EndpointRequest) -> [UInt8]? {
        Self.value(ofCookie: cookieName(isSecure: request.isSecure), Self.length, in: request)
    }

    func cookie(_ value: [UInt8], seconds: Double, isSecure: Bool) -> EndpointResponse.Field {
        SetCookie.field(
            cookieName(isSecure: isSecure),
            Base64URL.encode(value),
            maxAge: max(Int(seconds), 1),
            isSecure: isSecure
        )
    }

    /// Clears it, and the identifier of the browser, for a browser that has them.
    func fieldsThatClear(_ request: EndpointRequest) -> [EndpointResponse.Field] {
        [cookieName(isSecure: request.isSecure), browsers.cookieName(isSecure: request.isSecure)]
            .filter { RequestCookies.value(of: $0, in: request.fields.cookies) != nil }
            .map { SetCookie.field($0, "", maxAge: 0, isSecure: request.isSecure) }
    }

    /// The name of a tenant's cookie: several tenants may share a host.
    static func cookieName(_ purpose: String, _ tenant: String, _ isSecure: Bool) -> String {
        let digest = Base64URL.encode(SHA256.digest(Array(tenant.utf8))).prefix(8)
        return "\(isSecure ? "__Host-" : "")gatehouse-\(purpose)-\(digest)"
    }

    /// The bytes of a cookie that has so many in base64url; nil for any other.
    static func value(ofCookie name: String, _ length: Int, in request: EndpointRequest) -> [UInt8]? {
        guard let text = RequestCookies.value(of: name, in: request.fields.cookies),
            let value = Base64URL.decode(text), value.count == length
        else { return nil }
        return value
    }
}
