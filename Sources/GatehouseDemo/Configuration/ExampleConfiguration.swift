import CommandSupport
import Tenants

/// tenants.yaml.example, which is built into the program, with generated files and a tenant for the start page.
enum ExampleConfiguration {
    /// The tenant of the start page.
    static let start = "start"

    /// Comes last, so that the lines of the example are those of its file. The start page looks at no token.
    private static let startTenant = """
          # The demo's start page, for everyone on this machine.
          \(start):
            hosts: [localhost, 127.0.0.1]
            backend: { servers: [http://127.0.0.1:9000], timeouts: { response: 60s } }
            authenticate:
              issuers: [{ issuer: start-page, audiences: [nobody], algorithms: [HS256], secret: "${CUSTOMER_JWT_SECRET}" }]
            access: [{ path: /**, allow: anyone }]
        """

    static func read(_ secrets: DemoSecrets) throws(CommandFailure) -> TenantsConfiguration {
        let result = TenantsFile.read(
            text: PackageResources.tenants_yaml_example + Array("\n\(startTenant)\n".utf8),
            path: "tenants.yaml.example",
            environment: secrets.environment,
            files: MemoryFiles(content: secrets.files)
        )
        guard var configuration = result.configuration, !configuration.gateway.listeners.isEmpty else {
            let mistakes = result.errors.map(\.description).joined(separator: "\n")
            throw CommandFailure("the example configuration cannot be used:\n\(mistakes)")
        }
        // The files are in memory: nothing can be reloaded from disk.
        for tenant in configuration.tenants.indices {
            let count = configuration.tenants[tenant].authenticate.keySources.count
            configuration.tenants[tenant].authenticate.keySources = Array(repeating: .inline, count: count)
        }
        return configuration
    }
}
