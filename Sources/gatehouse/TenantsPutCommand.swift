import ArgumentParser
import CommandSupport
import FoundationEssentials
import Verification

struct TenantsPutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Stores a tenant: a new one, or another version of it.",
        discussion: """
            The file has what would stand below the tenant's name in tenants.yaml. If it has mistakes, all of them are \
            printed, nothing is stored, and the exit status is 1.

              gatehouse tenants put shop shop.yaml
            """
    )

    @OptionGroup
    var tenant: TenantArgument

    @Argument(help: ArgumentHelp("The tenant as YAML; - for standard input.", valueName: "file"))
    var file: String

    @OptionGroup
    var expected: ExpectedVersion

    @OptionGroup
    var options: TenantsOptions

    func run() async throws {
        let text = try Self.read(file)
        let client = try options.client()
        let condition = try await expected.field(tenant.name, client)
        let name = file == "-" ? "standard input" : file
        let path = "/api/tenants/\(tenant.name)"
        let version = try await client.write(.put, path, condition, text, file: name)
        Terminal.print("stored: tenant \(tenant.name), \(TenantsClient.line(version: version))")
    }

    private static let maximumBytes = 1 << 20

    /// - Throws: ``CommandFailure`` if it cannot be read, or is empty.
    static func read(_ file: String) throws -> [UInt8] {
        let bytes: [UInt8]
        if file == "-" {
            guard let input = Terminal.readInput(upTo: maximumBytes) else {
                throw CommandFailure("standard input is longer than 1 MiB, which a tenant's text may have")
            }
            bytes = input
        } else {
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)) else {
                throw CommandFailure("\(file) cannot be read; check the path and its permissions")
            }
            bytes = Array(data)
        }
        guard !bytes.isEmpty else {
            let name = file == "-" ? "standard input" : file
            throw CommandFailure("\(name) is empty: it needs at least hosts and backend")
        }
        return bytes
    }
}
