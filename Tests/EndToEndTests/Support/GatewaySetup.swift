import Tenants
import Verification

/// A tenants.yaml as changes to the default one: one tenant `app` on `app.test`, whose callers need a token except
/// under `/open`.
struct GatewaySetup: Sendable {
    /// Keys of the `gateway` section, each replacing the default one.
    var gateway = ""
    /// Keys of the tenant `app`, each replacing the default one.
    var tenant = ""
    /// Further tenants as YAML.
    var others = ""
    /// Further keys at the root of the file, each with its value.
    var root = ""
    /// `GATEHOUSE_KEY`; nil: no sealing.
    var sealingKeys: String?
    /// Variables besides `TEST_SECRET`.
    var environment: [String: String] = [:]

    private static let ordinaryGateway = """
        listen: [ { address: "127.0.0.1:0" } ]
        admin: { address: "127.0.0.1:0" }
        threads: 1
        store: "memory:"
        shutdown_grace: 2s
        """

    private static let ordinaryTenant = """
        hosts: [app.test]
        backend: { servers: ["{backend}"], timeouts: { connect: 20s } }
        authenticate:
          from: [bearer]
          issuers:
            - { issuer: "https://id.test", audiences: [app], algorithms: [RS256, PS256, ES256, EdDSA], jwks_file: "{jwks}" }
            - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" }
          leeway: 60s
        access:
          - { path: /open/**, allow: anyone }
        max_staleness: 10m
        """

    /// The file, with `{name}` filled in from `values`.
    func text(_ values: [String: String]) -> String {
        var text = "version: 1\ngateway:\n"
        text += Self.indented(Self.merged(Self.ordinaryGateway, gateway), by: 2)
        text += "tenants:\n  app:\n"
        text += Self.indented(Self.merged(Self.ordinaryTenant, tenant), by: 4)
        text += Self.indented(others, by: 2)
        text += root
        for (name, value) in values { text = text.replacing("{\(name)}", with: value) }
        return text
    }

    /// The top-level keys of both, those of `replacing` winning.
    private static func merged(_ ordinary: String, _ replacing: String) -> String {
        let replaced = sections(replacing)
        let names = Set(replaced.map(\.key))
        let kept = sections(ordinary).filter { !names.contains($0.key) }
        return (kept + replaced).map(\.text).joined(separator: "\n")
    }

    private static func sections(_ text: String) -> [(key: String, text: String)] {
        var sections: [(key: String, text: String)] = []
        for line in text.split(separator: "\n") {
            if line.first == " ", let last = sections.indices.last {
                sections[last].text += "\n" + line
            } else {
                sections.append((key: String(line.prefix { $0 != ":" }), text: String(line)))
            }
        }
        return sections
    }

    private static func indented(_ text: String, by width: Int) -> String {
        text.split(separator: "\n").map { String(repeating: " ", count: width) + $0 + "\n" }.joined()
    }
}

extension GatewaySetup {
    struct Refused: Error, CustomStringConvertible {
        var description: String
    }

    func configuration(_ values: [String: String]) throws -> TenantsConfiguration {
        let result = reading(values)
        guard let configuration = result.configuration else {
            let mistakes = result.errors.map(\.description).joined(separator: "\n")
            throw Refused(description: "\(mistakes)\n\(text(values))")
        }
        return configuration
    }

    func reading(_ values: [String: String], _ request: ReadingRequest = ReadingRequest()) -> ReadResult {
        return TenantsFile.read(
            text: Array(text(values).utf8),
            path: "tenants.yaml",
            environment: environment.merging(["TEST_SECRET": TestIssuer.secret]) { $1 },
            files: DiskFiles(),
            further: request.further
        )
    }
}
