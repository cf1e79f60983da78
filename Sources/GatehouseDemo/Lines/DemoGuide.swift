import Demo
import Tenants
import Verification

/// The lines to try in a demo run: curl lines by tenant, ready to paste.
struct DemoGuide {
    struct Section {
        let name: String
        let about: String
        let lines: [DemoLine]
    }

    private let gateway: HostPort
    private let admin: HostPort
    private let providers: String
    private let tokens: [(tenant: String, token: String)]
    private let sections: [Section]

    /// - Parameter signIn: Begins a separate session with each call.
    init(
        gateway: HostPort,
        admin: HostPort,
        adminToken: String,
        providers: DemoProviders,
        signIn: @escaping DemoSignIn
    ) async throws {
        self.gateway = gateway
        self.admin = admin
        self.providers = providers.standIn.url
        var tokens: [(tenant: String, token: String)] = []
        var sections: [Section] = []
        for app in SampleAppName.allCases {
            let tenant = DemoTenant(app: app, gateway: gateway, signIn: signIn, providers: providers)
            let good = try await signIn(app, nil, nil).accessToken
            let lines = try await tenant.lines(good)
            tokens.append((app.rawValue, good))
            sections.append(Section(name: app.rawValue, about: app.about, lines: lines))
        }
        self.tokens = tokens + [("admin", adminToken)]
        self.sections = sections + [Self.adminSection(admin, token: adminToken)]
    }

    /// For people who ask for all of them.
    var text: String {
        var text = """
            Each line below can be pasted as it is; the status it is answered with stands above it. Tokens of Apple's
            work once: the same line gets the same answer for a minute, and 401 after that. The stand-in for Apple and
            Google is on \(providers).

            """
        for section in sections {
            text += "\n\(section.name): \(section.about)\n"
            for line in section.lines { text += "\n# \(line.status) \(line.title)\n\(line.command)\n" }
        }
        return text
    }

    /// For programs: `{ gateway, admin, provider, tokens, lines: [{ tenant, title, status, fields, command }] }`.
    var json: JSONValue {
        var tokens = JSONObject()
        for (tenant, token) in self.tokens { tokens[tenant] = .string(token) }
        let lines = sections.flatMap { section in
            section.lines.map { line -> JSONValue in
                [
                    "tenant": .string(section.name), "title": .string(line.title),
                    "status": .number(JSONNumber(line.status)),
                    "fields": .array(line.fields.map(JSONValue.string)),
                    "command": .string(line.command),
                ]
            }
        }
        return [
            "gateway": .string(gateway.description), "admin": .string(admin.description),
            "provider": .string(providers),
            "tokens": .object(tokens), "lines": .array(lines),
        ]
    }

    private static func adminSection(_ admin: HostPort, token: String) -> Section {
        Section(
            name: "admin",
            about: "the gateway's own listener",
            lines: [
                DemoLine(200, "is the process up", ["http://\(admin)/healthz"]),
                DemoLine(200, "is it ready for requests", ["http://\(admin)/readyz"]),
                DemoLine(
                    200,
                    "counters for Prometheus",
                    [
                        "http://\(admin)/metrics", "-H", "Authorization: Bearer \(token)",
                    ]
                ),
                DemoLine(401, "counters without the admin token", ["http://\(admin)/metrics"]),
            ]
        )
    }
}
