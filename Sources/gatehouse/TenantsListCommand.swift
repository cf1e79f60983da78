import ArgumentParser
import CommandSupport
import FoundationEssentials
import Verification

struct TenantsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Prints each tenant with its source and its hosts, a line each."
    )

    @OptionGroup
    var options: TenantsOptions

    func run() async throws {
        let client = try options.client()
        var path = "/api/tenants"
        while true {
            let page = try await client.get(path)
            guard let tenants = page["tenants"]?.array else { throw CommandFailure(options.admin.isSomethingElse) }
            for tenant in tenants { Terminal.print(Self.line(tenant.object ?? JSONObject())) }
            guard let next = page["next"]?.string else {
                for faulty in page["faulty"]?.array ?? [] {
                    let name = RevocationLine.printable(faulty.object?["name"]?.string ?? "?")
                    let count = faulty.object?["mistakes"]?.array?.count ?? 0
                    Terminal.print("\(name) store, not in force: \(count) mistakes, which tenants get \(name) shows")
                }
                return
            }
            path = "/api/tenants?cursor=\(next)"
        }
    }

    static func line(_ tenant: JSONObject) -> String {
        let hosts = (tenant["hosts"]?.array ?? []).compactMap(\.string).joined(separator: " ")
        let prefix = tenant["path_prefix"]?.string ?? ""
        let parts = [tenant["name"]?.string, tenant["source"]?.string, hosts + prefix]
        return RevocationLine.printable(parts.compactMap(\.self).joined(separator: " "))
    }
}
