package import Authorization
package import HTTPCore
import Tenants

/// What a tenant has done to the fields of its answers: what `headers` says, and what `cors` tells browsers. Made once,
/// so that an answer costs a look at each of its fields and a copy of lines that are ready.
package final class AnswerRules {
    package struct Change {
        package var hash: UInt32
        package var name: String
        /// With its CRLF; nil for a field that is only taken out.
        package var line: [UInt8]?
        /// Says for how long answers may be kept: the gateway's own, and those with new tokens, are not for keeping.
        var isAboutCaches: Bool

        init(_ name: String, line: [UInt8]?) {
            hash = FieldLine.hash(ofName: name)
            self.name = name
            self.line = line
            isAboutCaches = CacheFields.contain(name)
        }
    }

    private static let standard = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "strict-origin-when-cross-origin"),
        ("X-Frame-Options", "SAMEORIGIN"), strictTransport,
    ]
    private static let strictTransport = ("Strict-Transport-Security", "max-age=31536000")

    package let sharing: CrossOriginSharing?
    /// Whether origins that may not call are left to the backend: observe mode takes nothing away.
    let leavesOthersAlone: Bool
    package let changes: [Change]
    /// Those that answers get which do not say them.
    package let security: [Change]
    /// A bit for each name of both, chosen by its hash.
    package let mask: UInt64
    /// What all answers get, and what is left of it for those that are not for keeping.
    package let setLines: [UInt8]
    let setLinesUnkept: [UInt8]

    init?(_ tenant: Tenant, _ sharing: CrossOriginSharing?) {
        let rules = tenant.headers
        guard sharing != nil || !rules.response.isEmpty || rules.security == .standard else { return nil }
        self.sharing = sharing
        leavesOthersAlone = tenant.mode == .observe
        let changes =
            rules.response.set.map { field in
                Change(field.name, line: Array("\(field.name): ".utf8) + field.value.bytes + Array("\r\n".utf8))
            } + rules.response.remove.map { Change($0, line: nil) }
        self.changes = changes
        let standard = rules.security == .standard ? Self.standard : []
        security = standard.map { Change($0.0, line: Array("\($0.0): \($0.1)\r\n".utf8)) }
            .filter { field in !changes.contains { $0.hash == field.hash } }
        mask = (changes + security).reduce(0) { $0 | 1 << UInt64($1.hash & 63) }
        setLines = changes.flatMap { $0.line ?? [] }
        setLinesUnkept = changes.flatMap { $0.isAboutCaches ? [] : $0.line ?? [] }
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
    func isForSecureOnly(_ change: Change) -> Bool { change.name == Self.strictTransport.0 }
}
