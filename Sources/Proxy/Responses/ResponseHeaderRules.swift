package import Authorization
package import HTTPCore
import Tenants

/// Response header rules of a tenant: `headers` and `cors`. Prepared once, so that a response costs one check per field
/// and the added fields are ready.
package final class ResponseHeaderRules {
    package struct Change {
        package var hash: UInt32
        package var name: String
        /// Nil if the field is only removed.
        package var field: HeaderField?
        /// Controls caching: ignored for the gateway's own responses and those with new tokens, which must not be
        /// stored.
        var isAboutCaches: Bool

        init(_ name: String, _ field: HeaderField? = nil) {
            hash = FieldLine.hash(ofName: name)
            self.name = name
            self.field = field
            isAboutCaches = CacheFields.contain(name)
        }

        init(_ field: HeaderField) { self.init(field.name, field) }
    }

    private static let defaultSecurity = [
        HeaderField("X-Content-Type-Options", "nosniff"),
        HeaderField("Referrer-Policy", "strict-origin-when-cross-origin"), HeaderField("X-Frame-Options", "SAMEORIGIN"),
        strictTransport,
    ]
    private static let strictTransport = HeaderField("Strict-Transport-Security", "max-age=31536000")

    package let sharing: CrossOriginSharing?
    /// Whether the backend decides on origins that are not allowed: observe mode removes nothing.
    let leavesOthersAlone: Bool
    package let changes: [Change]
    /// Security fields for responses that lack them.
    package let security: [Change]
    /// One bit for the hash of each name of both.
    package let mask: UInt64
    /// Fields for all responses, and the subset for those that must not be stored.
    package let setFields: [HeaderField]
    let setFieldsUnkept: [HeaderField]
    /// Tells an app of a newer version, and caches that this depends on the version that it said; empty for a tenant
    /// that recommends none.
    let updateFields: [HeaderField]
    /// Whether refusals may have a page of the tenant's.
    let hasRefusalPage: Bool
    /// Whether responses depend on the app's version, or on what form of a refusal the client prefers.
    let dependsOnApp: Bool

    init?(_ tenant: Tenant, _ sharing: CrossOriginSharing?) {
        let rules = tenant.headers
        hasRefusalPage = tenant.refusals?.html != nil
        updateFields = tenant.appVersion.map(Self.updateFields) ?? []
        dependsOnApp = hasRefusalPage || tenant.appVersion != nil
        let isNeeded = sharing != nil || !rules.response.isEmpty || rules.security == .standard
        guard isNeeded || dependsOnApp else { return nil }
        self.sharing = sharing
        leavesOthersAlone = tenant.mode == .observe
        let changes =
            rules.response.set.map { Change(HeaderField($0.name, $0.value.bytes)) }
            + rules.response.remove.map { Change($0) }
        self.changes = changes
        let added = rules.security == .standard ? Self.defaultSecurity : []
        security = added.map { Change($0) }
            .filter { field in !changes.contains { $0.hash == field.hash } }
        mask = (changes + security).reduce(0) { $0 | 1 << UInt64($1.hash & 63) }
        setFields = changes.compactMap(\.field)
        setFieldsUnkept = changes.compactMap { $0.isAboutCaches ? nil : $0.field }
    }

    /// The rules for the response to one request.
    package func shape(_ head: RequestHead, _ bytes: Span<UInt8>, _ peer: Peer) -> AppliedHeaderRules {
        AppliedHeaderRules(
            rules: self,
            origin: sharing?.index(of: head, bytes),
            isSecure: !security.isEmpty && ClientScheme.read(head, bytes, peer) == .https
        )
    }

    private static func updateFields(_ rules: AppVersionRules) -> [HeaderField] {
        [HeaderField("X-App-Update", "recommended"), HeaderField("Vary", rules.header)]
    }

    /// Must not be sent over plain HTTP (RFC 6797 section 7.2).
    func isForSecureOnly(_ change: Change) -> Bool { change.name == Self.strictTransport.name }
}
