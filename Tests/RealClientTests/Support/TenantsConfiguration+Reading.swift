import Tenants

extension TenantsConfiguration {
    /// Parses a tenants.yaml.
    ///
    /// - Parameter environment: Variables beside `SECRET`, which is ``SharedSecret/value``.
    /// - Throws: Its mistakes.
    static func reading(_ text: String, environment: [String: String] = [:]) throws -> TenantsConfiguration {
        let result = TenantsFile.read(
            text: Array(text.utf8),
            path: "tenants.yaml",
            environment: ["SECRET": SharedSecret.value].merging(environment) { _, given in given },
            files: DiskFiles()
        )
        guard let configuration = result.configuration else {
            throw Program.Failure(result.errors.map(\.description).joined(separator: "\n"))
        }
        return configuration
    }
}
