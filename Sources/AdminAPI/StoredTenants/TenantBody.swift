import HTTPTypes
import Hummingbird
import NIOCore
import SharedState
import Tenants
import Verification

/// The body of a write: one tenant as YAML or JSON.
enum TenantBody {
    static func read(_ request: Request) async throws -> TenantText {
        let isJSON = try isJSON(request.headers[.contentType])
        let bytes: [UInt8]
        do {
            bytes = Array(try await request.body.collect(upTo: StoredTenants.maximumBytes).readableBytesView)
        } catch is NIOTooManyBytesError {
            let limit = StoredTenants.maximumBytes >> 20
            throw AdminProblem(.payloadTooLarge, "a tenant's text is longer than \(limit) MiB")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AdminProblem.badRequest("the body is not valid UTF-8")
        }
        guard isJSON else { return TenantText(text) }
        guard let object = try? JSONParser.parse(bytes).object else {
            throw AdminProblem.badRequest("the body must be a JSON object, with no member twice")
        }
        return TenantText(object)
    }

    /// Without a type it is YAML, which JSON is too.
    private static func isJSON(_ contentType: String?) throws(AdminProblem) -> Bool {
        guard let contentType else { return false }
        let essence = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        switch essence {
        case "application/json": return true
        case "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml": return false
        default:
            throw AdminProblem(.unsupportedMediaType, "send the tenant as application/yaml or application/json")
        }
    }

    /// Whether the client asks for YAML.
    static func wantsYAML(_ fields: HTTPFields) -> Bool {
        let accepted = fields[values: .accept].joined(separator: ",").lowercased()
        return accepted.contains("yaml") && !accepted.contains("application/json")
    }
}
