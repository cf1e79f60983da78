import Authorization
import HTTPCore
import Tenants
import Verification

/// The body of a refusal: a problem document (RFC 9457), or what the tenant's template makes of it.
struct RefusalBody {
    let contentType: String
    let bytes: [UInt8]
    /// Those that a page needs.
    let fields: [HeaderField]

    init(_ refusal: Refusal, _ context: RefusalContext) {
        let text = context.rules?.texts[refusal.code.rawValue]
        let detail = text?.detail ?? refusal.detail
        let page = context.prefersHTML ? context.rules?.html : nil
        guard let template = page ?? context.rules?.json else {
            contentType = "application/problem+json"
            bytes = Self.problem(refusal, text?.title, detail, context)
            fields = []
            return
        }
        let title = text?.title ?? refusal.code.title.description
        // JSON is UTF-8, and its type has no parameter for that (RFC 8259 section 11).
        contentType = template.format == .html ? "text/html; charset=utf-8" : "application/json"
        fields = template.format == .html ? Self.pageFields : []
        bytes = template.filled(
            with: RefusalTemplate.Values(
                code: refusal.code.rawValue,
                title: title,
                detail: detail,
                status: refusal.status,
                requestID: context.requestID.text,
                upgradeURL: refusal.upgrade?.url ?? ""
            )
        )
    }

    /// As those of the gateway's own pages: no scripts, no frames, no referrer. Unlike these, the tenant's page may have
    /// styles, and pictures and fonts of its own host.
    private static let pageFields = [
        HeaderField(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        HeaderField("X-Frame-Options", "DENY"), HeaderField("X-Content-Type-Options", "nosniff"),
        HeaderField("Referrer-Policy", "no-referrer"), HeaderField("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// RFC 9457, with the stable `code`, the request's identifier, and what an old app needs as extensions.
    ///
    /// - Parameter title: The tenant's own; nil for the code's, which needs no escaping.
    private static func problem(
        _ refusal: Refusal,
        _ title: String?,
        _ detail: String,
        _ context: RefusalContext
    ) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(320)
        body.append("{\"type\":\"")
        if context.hasProblemPage {
            body.append(ProblemPage.prefix)
            body.append(text: refusal.code.rawValue)
        } else {
            body.append("about:blank")
        }
        body.append("\",\"title\":\"")
        if let title { JSONText.escape(title, into: &body) } else { body.append(refusal.code.title) }
        body.append("\",\"status\":")
        body.appendDecimal(refusal.status)
        body.append(",\"detail\":\"")
        JSONText.escape(detail, into: &body)
        body.append("\",\"code\":\"")
        body.append(text: refusal.code.rawValue)
        body.append("\",\"request_id\":\"")
        body.append(context.requestID)
        if let upgrade = refusal.upgrade {
            body.append("\",\"minimum_version\":\"")
            body.append(text: upgrade.minimum)
            if let url = upgrade.url {
                body.append("\",\"upgrade_url\":\"")
                JSONText.escape(url, into: &body)
            }
        }
        body.append("\"}\n")
        return body
    }
}
