package import Authorization
package import HTTPCore
import Tenants

/// What a tenant has done to the fields of its answers: what `headers` says, and what `cors` tells browsers. Made once,
/// so that an answer costs a look at each of its fields, and those that are added are ready.
package final class AnswerRules {
    package struct Change {
        package var hash: UInt32
        package var name: String
        /// Nil where the field is only taken out.
        package var field: HeaderField?
        /// Says for how long answers may be kept: the gateway's own, and those with new tokens, are not for keeping.
        var isAboutCaches: Bool

        init(_ name: String, _ field: HeaderField? = nil) {
            hash = FieldLine.hash(ofName: name)
            self.name = name
            self.field = field
            isAboutCaches = CacheFields.contain(name)
        }

        init(_ field: HeaderField) { self.init(field.name, field) }
    }

    private static let standard = [
        HeaderField("X-Content-Type-Options", "nosniff"),
        HeaderField("Referrer-Policy", "strict-origin-when-cross-origin"), HeaderField("X-Frame-Options", "SAMEORIGIN"),
        strictTransport,
    ]
    private static let strictTransport = HeaderField("Strict-Transport-Security", "max-age=31536000")

    package let sharing: CrossOriginSharing?
    /// Whether origins that may not call are left to the backend: observe mode takes nothing away.
    let leavesOthersAlone: Bool
    package let changes: [Change]
    /// Those that answers get which do not say them.
    package let security: [Change]
    /// A bit for each name of both, chosen by its hash.
    package let mask: UInt64
    /// What all answers get, and what is left of it for those that are not for keeping.
    package let setFields: [HeaderField]
    let setFieldsUnkept: [HeaderField]

    init?(_ tenant: Tenant, _ sharing: CrossOriginSharing?) {
        let rules = tenant.headers
        guard sharing != nil || !rules.response.isEmpty || rules.security == .standard else { return nil }
        self.sharing = sharing
        leavesOthersAlone = tenant.mode == .observe
        let changes =
            rules.response.set.map { Change(HeaderField($0.name, $0.value.bytes)) }
            + rules.response.remove.map { Change($0) }
        self.changes = changes
        let standard = rules.security == .standard ? Self.standard : []
        security = standard.map { Change($0) }
            .filter { field in !changes.contains { $0.hash == field.hash } }
        mask = (changes + security).reduce(0) { $0 | 1 << UInt64($1.hash & 63) }
        setFields = changes.compactMap(\.field)
        setFieldsUnkept = changes.compactMap { $0.isAboutCaches ? nil : $0.field }
    }

    /// What becomes of the fields of the answer to a request.
    package func shape(_ head: RequestHead, _ bytes: Span<UInt8>, _ peer: Peer) -> AnswerShape {
        AnswerShape(
            rules: self,
            origin: sharing?.place(of: head, bytes),
            isSecure: !security.isEmpty && ClientScheme.read(head, bytes, peer) == .https
        )
    }

    /// HTTP without TLS must not say it (RFC 6797 section 7.2).
    func isForSecureOnly(_ change: Change) -> Bool { change.name == Self.strictTransport.name }
}
