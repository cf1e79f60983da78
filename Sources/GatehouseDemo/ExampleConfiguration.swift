import CommandSupport
import Tenants

/// tenants.yaml.example, which is built into the program, with generated files.
enum ExampleConfiguration {
    static func read(_ secrets: DemoSecrets) throws(CommandFailure) -> TenantsConfiguration {
        let result = TenantsFile.read(
            text: PackageResources.tenants_yaml_example,
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
