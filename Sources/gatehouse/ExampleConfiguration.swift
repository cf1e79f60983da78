import Tenants

/// tenants.yaml.example, which is built into the program.
enum ExampleConfiguration {
    static func read(_ secrets: DemoSecrets) throws(CommandFailure) -> TenantsConfiguration {
        let result = TenantsFile.read(
            text: PackageResources.tenants_yaml_example,
            path: "tenants.yaml.example",
            environment: secrets.environment,
            files: MemoryFiles(content: secrets.files)
        )
        guard let configuration = result.configuration, !configuration.gateway.listeners.isEmpty else {
            let mistakes = result.errors.map(\.description).joined(separator: "\n")
            throw CommandFailure("the example configuration cannot be used:\n\(mistakes)")
        }
        return configuration
    }
}
