import CommandSupport
import Verification

/// The tenants of the admin API.
struct TenantsClient {
    let client: AdminClient
    let url: AdminURL

    /// - Returns: Nil if there is no such tenant.
    func tenant(_ name: String) async throws -> JSONObject? {
        let (status, object) = try await client.exchange(.get, "/api/tenants/\(name)")
        if status == 404, object?["code"] == "unknown_tenant" { return nil }
        return try good(status, object)
    }

    /// As ``tenant(_:)``, but one must be there.
    func existing(_ name: String) async throws -> JSONObject {
        guard let tenant = try await tenant(name) else {
            throw CommandFailure("there is no tenant \(name); gatehouse tenants list shows those that there are")
        }
        return tenant
    }

    func get(_ path: String) async throws -> JSONObject {
        let (status, object) = try await client.exchange(.get, path)
        return try good(status, object)
    }

    /// - Parameter file: What mistakes are in.
    func write(
        _ method: AdminClient.Method,
        _ path: String,
        _ condition: (name: String, value: String),
        _ body: [UInt8] = [],
        file: String = ""
    ) async throws -> JSONObject {
        let (status, object) = try await client.exchange(method, path, [condition], body)
        if object?["code"] == "tenant_refused" {
            for mistake in object?["mistakes"]?.array ?? [] {
                Terminal.printError(Self.line(mistake.object ?? JSONObject(), in: file))
            }
        }
        let answer = try good(status, object)
        for warning in answer["warnings"]?.array ?? [] {
            Terminal.printError("warning: " + Self.line(warning.object ?? JSONObject(), in: file))
        }
        return answer
    }

    private func good(_ status: Int, _ object: JSONObject?) throws -> JSONObject {
        guard (200..<300).contains(status) else { throw client.failure(of: status, object) }
        guard let object else { throw CommandFailure(url.isSomethingElse) }
        return object
    }

    /// As `gatehouse check` prints one.
    private static func line(_ mistake: JSONObject, in file: String) -> String {
        let place = [mistake["line"], mistake["column"]].compactMap { $0?.double.map { "\(Int($0))" } }
        let name = mistake["file"]?.string ?? file
        return RevocationLine.printable("\(name):\(place.joined(separator: ":")): \(mistake["message"]?.string ?? "?")")
    }

    /// One version on a line.
    static func line(version: JSONObject) -> String {
        var action = version["action"]?.string ?? "?"
        if let to = version["to"]?.double { action += " to \(Int(to))" }
        let number = version["version"]?.double.map { "\(Int($0))" } ?? "?"
        let bytes = version["bytes"]?.double.map { "\(Int($0)) bytes" } ?? "?"
        let parts = [
            version["at"]?.string, action, bytes, version["by"]?.string.map { "by \($0)" }, version["etag"]?.string,
        ]
        return RevocationLine.printable("version \(number): \(parts.compactMap(\.self).joined(separator: ", "))")
    }
}
