package import HTTPTypes
import Verification

/// A page of HTML with its style and script, which loads nothing else.
package struct SelfContainedPage: Sendable {
    package let html: String
    /// Fields of the response with the page.
    package let fields: HTTPFields

    /// - Parameter html: With `{{style}}` and `{{script}}` where these go.
    package init(html: String, style: String, script: String) {
        self.html =
            html
            .replacing("{{style}}", with: style, maxReplacements: 1)
            .replacing("{{script}}", with: script, maxReplacements: 1)
        fields = Self.fields(policy: Self.policy(style: style, script: script))
    }

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
