/// What an operator is asked for, or gives by options.
package struct InitAnswers: Sendable, Equatable {
    package var tenant: String?
    package var hosts: [String] = []
    package var backends: [String] = []
    package var provider: ProviderKind?
    package var issuer: String?
    package var audiences: [String] = []
    package var algorithms: [String] = []

    package init() {}

    /// The trusted issuer that they name; nil if something of it is missing.
    package var trustedIssuer: DraftIssuer? {
        let kind = provider ?? (issuer == nil ? nil : .oidc)
        return kind?.issuer(issuer, audiences: audiences, algorithms: algorithms)
    }

    /// Whether the audience is neither given nor known from the provider and its `iss`.
    package var lacksAudience: Bool {
        guard audiences.isEmpty else { return false }
        guard let provider, case .preset(let preset) = provider else { return true }
        guard let issuer else { return !preset.knowsAudience }
        return preset.entry(issuer: issuer, audiences: []).audiences.isEmpty
    }
}

/// The first configuration of somebody who comes from nowhere else.
package enum FirstDraft {
    /// - Parameters:
    ///   - host: The app's host.
    ///   - backend: Its address.
    package static func make(tenant: String, hosts: [String], backends: [String], issuer: DraftIssuer) -> Draft {
        var draft = Draft()
        draft.heading = [
            "Written by gatehouse init. Every key: docs/configuration.md; every mistake: gatehouse check.",
            "To try it: gatehouse run --config FILE",
        ]
        draft.listeners = [
            DraftListener(DraftText(literal: "127.0.0.1:8080", remark: "this machine only; 0.0.0.0:8080 for all"))
        ]
        var app = DraftTenant(name: tenant)
        app.hosts = hosts.map { DraftText(literal: $0) }
        app.backend.servers = backends.map { DraftServer(url: DraftText(literal: $0)) }
        app.tokenPlaces = [DraftText(literal: "bearer", remark: "Authorization: Bearer …; also cookie:NAME")]
        app.issuers = [issuer]
        app.hints = [
            "Every path needs a token. Others are opened, or need a role, by rules; the first that matches decides:",
            "access:",
            "  - { path: /health, methods: [GET], allow: anyone }",
            "  - { path: /admin/**, allow: { roles: [admin] } }",
        ]
        app.identity = [
            DraftHeader(name: "X-User-Id", value: DraftText(literal: "sub")),
            DraftHeader(name: "X-User-Email", value: DraftText(literal: "email")),
            DraftHeader(name: "X-User-Role", value: DraftText(literal: "role")),
        ]
        draft.tenants = [app]
        return draft
    }
}

extension Draft {
    /// The name of a tenant out of a host: its first label, or that of what is below `*.`.
    package static func tenantName(host: String) -> String {
        let labels = host.split(separator: ".").map(String.init)
        let label = labels.first { $0 != "*" && $0 != "www" } ?? "app"
        let kept = label.unicodeScalars.filter {
            $0.isASCII && ($0.properties.isAlphabetic || $0 == "-" || isDigit($0))
        }
        let name = String(String.UnicodeScalarView(kept).prefix(40))
        return name.isEmpty ? "app" : name
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    /// A name that no tenant has yet.
    package func freeName(_ wanted: String) -> String {
        let taken = Set(tenants.map(\.name))
        guard taken.contains(wanted) else { return wanted }
        var number = 2
        while taken.contains("\(wanted)-\(number)") { number += 1 }
        return "\(wanted)-\(number)"
    }
}
