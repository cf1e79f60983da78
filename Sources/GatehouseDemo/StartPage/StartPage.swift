import HTTPTypes
import Hummingbird
import NIOCore
import Verification

/// The start page: one document with its style and script, which are compiled into the program. It contains nothing
/// that was sent; its script gets all data from this server.
struct StartPage: Sendable {
    private let fields: HTTPFields
    private let bytes: [UInt8]

    init() {
        let style = String(decoding: PackageResources.start_css, as: UTF8.self)
        let script = String(decoding: PackageResources.start_js, as: UTF8.self)
        let page = String(decoding: PackageResources.start_html, as: UTF8.self)
            .replacing("{{style}}", with: style, maxReplacements: 1)
            .replacing("{{script}}", with: script, maxReplacements: 1)
        bytes = Array(page.utf8)
        fields = Self.fields(policy: Self.policy(style: style, script: script))
    }

    var response: Response {
        Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Content Security Policy (Level 3): the page's own style and script only, each by its digest, and connections to
    /// its own origin only. Scripts cannot turn text into HTML (Trusted Types).
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
            ("Referrer-Policy", "no-referrer"),
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
