import Store
import Time
import Verification

/// Which group a subject's sign-ins in one browser belong to, where several end at once.
///
/// The browser's session at the issuer says so, but two tabs may come back from their providers without one, or with the
/// same: neither knows of the other, and the cookie of one replaces the other's. So the browser has an identifier from
/// the start of a sign-in on, which no sign-in replaces. The first that ends writes its group down under it; the others
/// join that.
///
/// It lets nobody in and ends nothing. Whoever knows somebody else's, from a browser that they share, can only add to
/// the group what they begin themselves, as the same subject: another subject has another record.
struct BrowserIdentifiers: Sendable {
    private static let length = 32
    private static let version = 1
    private static let mostTries = 8

    let groups: BrowserGroups

    /// A sign-in has ended in this browser, beside others that may have.
    ///
    /// - Parameters:
    ///   - group: A new one, which is in the store.
    ///   - browser: The identifier.
    ///   - lifetime: Of a session at the issuer.
    /// - Returns: The group of the subject's other sign-ins in this browser if it goes on, else this one.
    func join(
        _ group: String,
        of subject: String,
        in browser: [UInt8],
        for lifetime: Duration
    ) async throws(StoreError) -> String {
        let key = key(browser, subject)
        for _ in 0..<Self.mostTries {
            let present = try await groups.store.value(for: key)
            if let known = present.flatMap(Self.group), try await groups.extend(known, for: lifetime) { return known }
            let record = Self.record(group)
            if try await groups.store.replace(present, with: record, for: key, lifetime: lifetime) { return group }
        }
        throw .unavailable("sign-ins in a browser at \(groups.tenant) end too often at once")
    }

    /// Writes down the group of the browser's session at the issuer.
    func keep(
        _ group: String,
        of subject: String,
        in browser: [UInt8],
        for lifetime: Duration
    ) async throws(StoreError) {
        try await groups.store.set(Self.record(group), for: key(browser, subject), lifetime: lifetime)
    }

    private func key(_ browser: [UInt8], _ subject: String) -> StoreKey {
        StoreKey(tenant: groups.tenant, kind: "single-sign-on-browser", hashing: browser + Array(subject.utf8))
    }

    private static func record(_ group: String) -> [UInt8] {
        let object: JSONObject = ["v": .number(JSONNumber(version)), "group": .string(group)]
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for anything but what ``record(_:)`` gives.
    private static func group(_ record: [UInt8]) -> String? {
        guard let object = try? JSONParser.parse(record).object, object["v"]?.double == Double(version) else {
            return nil
        }
        return object["group"]?.string
    }
}

// MARK: - The cookie

extension BrowserIdentifiers {
    /// Of each tenant its own: several may share a host.
    func cookieName(isSecure: Bool) -> String { SingleSignOnRecords.cookieName("browser", groups.tenant, isSecure) }

    /// - Returns: Nil for none, and for anything but what ``cookie(for:seconds:)`` gives.
    func value(in request: EndpointRequest) -> [UInt8]? {
        SingleSignOnRecords.value(ofCookie: cookieName(isSecure: request.isSecure), Self.length, in: request)
    }

    /// For a browser in which a sign-in begins: its identifier, for longer, or a new one.
    func cookie(for request: EndpointRequest, seconds: Double) -> EndpointResponse.Field {
        SetCookie.field(
            cookieName(isSecure: request.isSecure),
            Base64URL.encode(value(in: request) ?? RandomBytes.make(Self.length)),
            maxAge: max(Int(seconds), 1),
            isSecure: request.isSecure
        )
    }
}
