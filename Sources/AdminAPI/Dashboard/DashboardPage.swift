import HTTPTypes

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
        PackageResources.history_js, PackageResources.chart_js, PackageResources.tenants_js,
        PackageResources.overview_js,
        PackageResources.health_js, PackageResources.certificates_js, PackageResources.reloads_js,
        PackageResources.revocations_js, PackageResources.sessions_js, PackageResources.explain_js,
        PackageResources.refused_js, PackageResources.tenant_js, PackageResources.difference_js,
        PackageResources.edit_js, PackageResources.main_js,
    ]

    /// Fields of the response with the page.
    let fields: HTTPFields
    private let pages: [Access: [UInt8]]

    init() {
        let style = String(decoding: PackageResources.style_css, as: UTF8.self)
        let script = Self.script.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        let page = SelfContainedPage(
            html: String(decoding: PackageResources.page_html, as: UTF8.self),
            style: style,
            script: script
        )
        var pages: [Access: [UInt8]] = [:]
        for access in [Access.token, .open] {
            pages[access] = Array(page.html.replacing("{{access}}", with: access.rawValue, maxReplacements: 1).utf8)
        }
        self.pages = pages
        fields = page.fields
    }

    func bytes(_ access: Access) -> [UInt8] { pages[access] ?? [] }
}
