import Tenants

/// What all pages of a tenant share: the document around the content, and the fields that forbid framing, caching,
/// scripts and referrers.
struct PageFrame: Sendable {
    /// The tenant's display name.
    let name: String
    private let style: PageStyle
    private let fields: [EndpointResponse.Field]

    init(_ tenant: Tenant) {
        name = tenant.issuer?.page.name ?? tenant.name
        style = PageStyle(accent: tenant.issuer?.page.color.flatMap { PageColor($0) } ?? .gatehouse)
        fields = [
            EndpointResponse.Field("Content-Type", "text/html; charset=utf-8"),
            EndpointResponse.Field("Cache-Control", "no-store"),
            EndpointResponse.Field("X-Frame-Options", "DENY"),
            EndpointResponse.Field("X-Content-Type-Options", "nosniff"),
            EndpointResponse.Field("Cross-Origin-Opener-Policy", "same-origin"),
            EndpointResponse.Field("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }

    /// - Parameters:
    ///   - title: Plain text.
    ///   - content: HTML, with the page's one `h1`.
    ///   - policy: What the page may do on the host that is given with it.
    ///   - further: Fields besides those of every page.
    func response(
        status: Int,
        title: String,
        content: String,
        language: PageLanguage = .english,
        policy: (PagePolicy, authority: String) = (.linksAlone, ""),
        further: [EndpointResponse.Field] = []
    ) -> EndpointResponse {
        let security = EndpointResponse.Field(
            "Content-Security-Policy",
            "default-src 'none'; style-src '\(style.hash)'; base-uri 'none'; "
                + "\(policy.0.directives(on: policy.authority)); frame-ancestors 'none'"
        )
        // Without a referrer browsers send forms with `Origin: null`, as those of other sites.
        let referrer = EndpointResponse.Field("Referrer-Policy", policy.0.form == nil ? "no-referrer" : "same-origin")
        let script =
            policy.0.script.map { "\n<script src=\"\(HTMLText.escaped(PagePath.encoded($0)))\" defer></script>" } ?? ""
        let badge = name.first.map { HTMLText.escaped($0.uppercased()) } ?? ""
        let page = """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <title>\(HTMLText.escaped(title))</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <style>\(style.text)</style>\(script)
            </head>
            <body>
            <main>
            <p class="badge" aria-hidden="true">\(badge)</p>
            \(content)
            </main>
            </body>
            </html>

            """
        return EndpointResponse(
            status: status,
            fields: fields + [security, referrer] + further,
            body: Array(page.utf8)
        )
    }

    /// The name as HTML, isolated because its writing direction is unknown.
    var nameHTML: String { "<bdi>\(HTMLText.escaped(name))</bdi>" }
}
