import ConfigurationText
import Testing

@testable import Tenants

/// What tenants get of templates.
struct TemplateTests {
    private static let templates = """
        version: 1
        templates:
          base:
            backend: { servers: [http://127.0.0.1:9001], timeouts: { connect: 1s, response: 9s } }
            authenticate: { issuers: [{ issuer: i, audiences: [a], algorithms: [ES256], jwks_url: https://i.test/k }] }
            access: [{ path: /a/**, allow: anyone }]
            max_staleness: 5m
          slow: { extends: base, backend: { timeouts: { response: 60s } } }

        """

    private static func tenants(_ text: String, files: PretendFiles = PretendFiles()) throws -> [Tenant] {
        let result = Sample.read(templates + "tenants:\n" + text, files: files)
        return try #require(result.configuration, "\(result.errors)").tenants
    }

    @Test func mapsAreMergedAndListsAreReplaced() throws {
        let tenants = try Self.tenants(
            """
              shop: { extends: base, hosts: [a.test] }
              slow: { extends: slow, hosts: [b.test], access: [], max_staleness: null }
              own: { extends: slow, hosts: [c.test], backend: { servers: [http://127.0.0.1:9009] } }

            """
        )
        #expect(tenants.map(\.name) == ["shop", "slow", "own"])
        #expect(tenants.map(\.backends[0].timeouts.connect) == Array(repeating: .seconds(1), count: 3))
        #expect(tenants.map(\.backends[0].timeouts.response) == [.seconds(9), .seconds(60), .seconds(60)])
        #expect(tenants.map(\.backends[0].servers[0].address.port) == [9001, 9001, 9009])
        #expect(tenants.map(\.access.rules.count) == [1, 0, 1])
        #expect(tenants.map(\.maxStaleness) == [.seconds(300), .seconds(30), .seconds(300)])
    }

    @Test func linesNameWhereTheyCameFrom() throws {
        let files = PretendFiles(["d/t.yaml": "templates:\n  far: { extends: base, mode: observe }\n"])
        let tenants = try Self.tenants("  shop: { extends: far, hosts: [a.test] }\ninclude: [d/*]\n", files: files)
        let lines = tenants[0].lines
        #expect(lines["mode"]?.number == 2 && lines["mode"]?.file == "d/t.yaml")
        #expect(lines["access"] == 6 && lines["hosts"] == 10)
        #expect(lines["access"]?.file == nil)
        #expect(tenants[0].access.rules[0].line == 6)
    }

    @Test func mergeKeysAreReadAsYAMLSays() throws {
        let result = Sample.read(
            """
            version: 1
            tenants:
              shop: &shop
                hosts: [a.test]
                backend: { servers: [http://127.0.0.1:9001] }
                authenticate: { issuers: [\(Sample.issuer)] }
                max_staleness: 5m
                realm: first
              one: { <<: *shop, hosts: [b.test], max_staleness: 7m }
              two: { hosts: [c.test], <<: [{ realm: second, role: r }, *shop] }

            """
        )
        let tenants = try #require(result.configuration, "\(result.errors)").tenants
        #expect(tenants.map(\.maxStaleness) == [.seconds(300), .seconds(420), .seconds(300)])
        #expect(tenants.map(\.accounts.realm) == ["first", "first", "second"])
        #expect(tenants.map(\.accounts.role) == [nil, nil, "r"])
    }

    @Test func chainOfTemplatesIsBounded() {
        func file(_ length: Int) -> String {
            let chain = (1...length).map { "  t\($0): { extends: t\($0 - 1) }\n" }.joined()
            return Self.templates + chain.replacing("extends: t0 ", with: "extends: base ")
                + "tenants:\n  shop: { extends: t\(length), hosts: [a.test] }\n"
        }
        // Each is resolved once the one below it is; only a chain that begins at its end is long.
        let reversed =
            Self.templates
            + (1...101).reversed().map { $0 == 1 ? "  t1: { extends: base }\n" : "  t\($0): { extends: t\($0 - 1) }\n" }
            .joined() + "tenants:\n  shop: { extends: t101, hosts: [a.test] }\n"
        #expect(Sample.read(file(90)).errors.isEmpty)
        #expect(
            Sample.read(reversed).errors.map(\.message) == [
                "more than 100 templates extend one another: write some of them together"
            ]
        )
    }

    @Test func templatesThatRepeatTooMuchAreRefused() {
        let rules = Array(repeating: "{ path: /a, allow: anyone }", count: 2_000).joined(separator: ", ")
        let tenants = (0..<1_000).map { "  t\($0): { extends: big, hosts: [t\($0).test] }\n" }.joined()
        let text = Self.templates + "  big: { extends: base, access: [\(rules)] }\ntenants:\n" + tenants
        #expect(Sample.read(text).errors.contains { $0.message == RepetitionBudget.message })
    }

    /// A billion laughs of templates: each lists what the one before it does ten times.
    @Test func templatesOfTemplatesCannotExplode() {
        var text = "version: 1\ntemplates:\n  t0: { revoke_on: &a0 [x, x, x, x, x, x, x, x, x, x] }\n"
        for level in 1...9 {
            let item = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "  t\(level): { extends: t\(level - 1), revoke_on: &a\(level) [\(item)] }\n"
        }
        let errors = Sample.read(text + "tenants: {}\n").errors
        #expect(errors.map(\.message) == [RepetitionBudget.message])
    }

    @Test func originsAreBehindTheValuesThatAreNotTheTenantsOwn() throws {
        let files = PretendFiles(["d/t.yaml": "templates:\n  far: { extends: slow, mode: observe }\n"])
        let text =
            Self.templates + "tenants:\n  shop: { extends: far, hosts: [a.test], max_staleness: 1m }\ninclude: [d/*]\n"
        let printed = try #require(Sample.read(text, files: files).effective).print()
        let lines = printed.split(separator: "\n").map { $0.drop { $0 == " " } }
        for line in [
            "mode: observe  # templates.far, d/t.yaml:2", "servers:  # templates.base, t.yaml:4",
            "connect: 1s  # templates.base, t.yaml:4", "response: 60s  # templates.slow, t.yaml:8",
            "access:  # templates.base, t.yaml:6", "max_staleness: 1m", "idle: 60s",
        ] {
            #expect(lines.contains(Substring(line)), "\(line)")
        }
        #expect(!printed.contains("extends") && !printed.contains("include"))
        // What is printed is a configuration that says the same.
        let tenant = try #require(Sample.read(text, files: files).configuration?.tenants.first)
        let again = try #require(Sample.read(printed).configuration?.tenants.first)
        #expect(again.hosts == tenant.hosts && again.backends == tenant.backends && again.mode == tenant.mode)
        #expect(again.maxStaleness == tenant.maxStaleness && again.access.rules.count == tenant.access.rules.count)
    }
}
