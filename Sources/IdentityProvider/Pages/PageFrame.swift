import Localization
import Tenants

/// What all pages of a tenant share: the document around the content, and the fields that forbid framing, caching,
/// scripts and referrers.
struct PageFrame: Sendable {
    /// The tenant's display name.
    let name: String
    /// The tenant's own texts.
    private let texts: PageTexts?
    private let logo: PageLogo?
    private let style: PageStyle
    private let fields: [EndpointResponse.Field]

    init(_ tenant: Tenant) {
        name = tenant.issuer?.page.name ?? tenant.name
        texts = tenant.issuer?.page.texts
        logo = tenant.issuer?.page.logo
        style = PageStyle(accent: tenant.issuer?.page.color.flatMap { PageColor($0) } ?? .gatehouse)
        fields = [
            EndpointResponse.Field("Content-Type", "text/html; charset=utf-8"),
            EndpointResponse.Field("Cache-Control", "no-store"),
            EndpointResponse.Field("Vary", "Accept-Language"),
            EndpointResponse.Field("X-Frame-Options", "DENY"),
            EndpointResponse.Field("X-Content-Type-Options", "nosniff"),
            EndpointResponse.Field("Cross-Origin-Opener-Policy", "same-origin"),
            EndpointResponse.Field("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }

    /// The language that the page for a request is written in.
    func language(of request: EndpointRequest) -> PageLanguage {
        PageLanguage(accepted: request.fields.acceptLanguage, of: texts)
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
        language: PageLanguage,
        policy: (PagePolicy, authority: String) = (.linksAlone, ""),
        further: [EndpointResponse.Field] = []
    ) -> EndpointResponse {
        let security = EndpointResponse.Field(
            "Content-Security-Policy",
            "default-src 'none'; style-src '\(style.hash)'; base-uri 'none'; "
                + "\(policy.0.directives(on: policy.authority)); frame-ancestors 'none'"
                + (logo == nil ? "" : "; img-src data:")
        )
        // Without a referrer browsers send forms with `Origin: null`, as those of other sites.
        let referrer = EndpointResponse.Field("Referrer-Policy", policy.0.referrer)
        let script =
            policy.0.script.map { "\n<script src=\"\(HTMLText.escaped(PagePath.encoded($0)))\" defer></script>" } ?? ""
        let page = """
            <!DOCTYPE html>
            <html lang="\(language.tag)"\(language.isRightToLeft ? " dir=\"rtl\"" : "")>
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
            \(mark)
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

    /// The logo, or the name's first letter. Both say nothing that the heading does not.
    private var mark: String {
        if let logo { return "<img class=\"logo\" src=\"\(logo.dataURL)\" alt=\"\">" }
        let letter = name.first.map { HTMLText.escaped($0.uppercased()) } ?? ""
        return "<p class=\"badge\" aria-hidden=\"true\">\(letter)</p>"
    }

    /// The name as HTML, isolated because its writing direction is unknown.
    var nameHTML: String { "<bdi>\(HTMLText.escaped(name))</bdi>" }
}

extension PageFrame {
    /// Keeps a page out of the browsing context group of a page of the app that has opened it, also if that page isolates
    /// itself by `Cross-Origin-Opener-Policy: same-origin`, as many do: both policies must be the same for that.
    static let ownGroup = EndpointResponse.Field("Cross-Origin-Embedder-Policy", "require-corp")
}
