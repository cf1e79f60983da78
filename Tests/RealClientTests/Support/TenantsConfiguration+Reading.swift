import Tenants

extension TenantsConfiguration {
    /// What a text of tenants.yaml says; its mistakes are thrown.
    static func reading(_ text: String, environment: [String: String] = [:]) throws -> TenantsConfiguration {
        let result = TenantsFile.read(
            text: Array(text.utf8),
            path: "tenants.yaml",
            environment: environment,
            files: DiskFiles()
        )
        guard let configuration = result.configuration else {
            throw Program.Failure(result.errors.map(\.description).joined(separator: "\n"))
        }
        return configuration
    }
}
