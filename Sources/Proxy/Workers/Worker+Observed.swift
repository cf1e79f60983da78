package import Authorization
package import Counting
package import HTTPCore
import Logging
import Tenants

/// Refusals that are only observed.
extension Worker {
    /// Counts an observed refusal, and logs it if it is sampled.
    ///
    /// - Parameter observed: Nil if a sign-in endpoint found it.
    package func note(
        _ code: RefusalCode,
        _ observed: ObservedRefusal?,
        _ grant: Grant,
        _ id: RequestID,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) {
        let tenant = grant.request.tenant
        guard let passedOver = countObserved(tenant: tenant.index, code, at: now()) else { return }
        let end = (head.target.lowerBound..<head.target.upperBound).first { bytes[$0] == UInt8(ascii: "?") }
        var metadata: Logger.Metadata = [
            "tenant": "\(tenant.tenant.name)",
            "method": "\(Explanation.text(head.method, bytes))",
            "path": "\(Explanation.text(head.target.lowerBound..<(end ?? head.target.upperBound), bytes))",
            "code": "\(code.rawValue)",
            "request_id": "\(id.text)",
        ]
        if let observed {
            metadata["detail"] = "\(observed.refusal.detail)"
            if observed.line.number > 0 { metadata["line"] = "\(observed.line.number)" }
            if let file = observed.line.file { metadata["file"] = "\(file)" }
        }
        if let subject = grant.caller?.principal.subject { metadata["subject"] = "\(Explanation.shown(subject))" }
        if passedOver > 0 { metadata["others"] = "\(passedOver)" }
        loop.loggers.observe.notice("would be refused", metadata: metadata)
    }
}
