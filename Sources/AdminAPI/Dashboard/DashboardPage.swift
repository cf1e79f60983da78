import HTTPTypes
import Verification

/// The dashboard's page: one document with its style and script, assembled from the files in `Page`, which are compiled
/// into the program. It contains nothing that was sent or configured; its script gets all data from the admin API.
struct DashboardPage: Sendable {
    /// Whether the page must ask for the admin token.
    enum Access: String {
        case token, open
    }

    /// One scope: later parts use the names of earlier ones.
    private static let script = [
        PackageResources.elements_js, PackageResources.format_js, PackageResources.gateway_js,
        PackageResources.history_js, PackageResources.chart_js, PackageResources.overview_js,
        PackageResources.health_js, PackageResources.revocations_js, PackageResources.sessions_js,
        PackageResources.explain_js, PackageResources.main_js,
    ]

    /// Fields of the response with the page.
    let fields: HTTPFields
    private let pages: [Access: [UInt8]]

    init() {
        let style = String(decoding: PackageResources.style_css, as: UTF8.self)
        let script = Self.script.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        let page = String(decoding: PackageResources.page_html, as: UTF8.self)
            .replacing("{{style}}", with: style, maxReplacements: 1)
            .replacing("{{script}}", with: script, maxReplacements: 1)
        var pages: [Access: [UInt8]] = [:]
        for access in [Access.token, .open] {
            pages[access] = Array(page.replacing("{{access}}", with: access.rawValue, maxReplacements: 1).utf8)
        }
        self.pages = pages
        fields = Self.fields(policy: Self.policy(style: style, script: script))
    }

    func bytes(_ access: Access) -> [UInt8] { pages[access] ?? [] }

    /// Content Security Policy (Level 3): the page's own style and script only, each by its digest, and connections to its
    /// own origin only. Scripts cannot turn text into HTML (Trusted Types).
    private static func policy(style: String, script: String) -> String {
        [
            "default-src 'none'",
            "script-src '\(digest(script))'",
            "style-src '\(digest(style))'",
            "connect-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    private static func fields(policy: String) -> HTTPFields {
        var fields: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
        for (name, value) in [
            ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }

    /// In plain base64; 32 bytes are 43 characters and one of padding.
    private static func digest(_ text: String) -> String {
        let digest = Base64URL.encode(SHA256.digest(Array(text.utf8)))
        return "sha256-\(digest.replacing("-", with: "+").replacing("_", with: "/"))="
    }
}
