import Tenants
import Verification

/// Explains decisions for the admin listener. HTTP is left to ``ExplainRoutes``.
struct ExplainHandler: Sendable {
    /// Maximum bytes of a path with its query, a token or a header: more than a head may have.
    private static let maximumBytes = 32 << 10

    private let live: LiveConfiguration
    private let decide: @Sendable (ExplainedRequest, Tenant) async throws -> JSONObject?

    /// - Parameter decide: Decides on a request of the expected tenant; nil while the gateway is starting or stopping.
    init(
        live: LiveConfiguration,
        decide: @escaping @Sendable (ExplainedRequest, Tenant) async throws -> JSONObject?
    ) {
        self.live = live
        self.decide = decide
    }

    func explain(_ body: [UInt8]) async throws -> JSONObject {
        let body = try AdminBody(
            json: body,
            members: ["tenant", "method", "path", "host", "token", "headers", "address"]
        )
        let (tenant, _) = try live.current.named(body.text("tenant"))
        let request = try Self.request(body)
        guard let decision = try await decide(request, tenant) else {
            throw AdminProblem(.storeUnavailable, "the gateway is starting or stopping; try again")
        }
        return decision
    }

    private static func request(_ body: AdminBody) throws(AdminProblem) -> ExplainedRequest {
        let (method, path) = (try body.text("method"), try body.text("path", upTo: maximumBytes))
        let host = body.has("host") ? try body.text("host") : nil
        let token = body.has("token") ? try body.text("token", upTo: maximumBytes) : nil
        let address = body.has("address") ? try body.text("address") : nil
        let fields = try body.fields("headers", upTo: maximumBytes)
        do throws(ExplainedRequest.Mistake) {
            return try ExplainedRequest(
                method: method,
                target: path,
                host: host,
                token: token,
                fields: fields,
                address: address
            )
        } catch {
            throw .badRequest(error.part == "header" ? "a header \(error.remedy)" : "\"\(error.part)\" \(error.remedy)")
        }
    }
}

extension AdminBody {
    /// Fields of a request: `{ NAME: VALUE }`, or a list of texts `NAME: VALUE`, in which names may repeat.
    ///
    /// - Parameter maximumBytes: Bytes of one field.
    func fields(_ member: String, upTo maximumBytes: Int) throws(AdminProblem) -> [(name: String, value: String)] {
        guard let value = self[member] else { return [] }
        var fields: [(name: String, value: String)] = []
        switch value {
        case .object(let object):
            for entry in object.members {
                guard let text = entry.value.string else { throw Self.notFields(member) }
                fields.append((entry.name, text))
            }
        case .array(let items):
            for item in items {
                guard let text = item.string, let field = try? ExplainedRequest.field(text) else {
                    throw Self.notFields(member)
                }
                fields.append(field)
            }
        case .null, .bool, .number, .string: throw Self.notFields(member)
        }
        guard fields.allSatisfy({ $0.name.utf8.count + $0.value.utf8.count <= maximumBytes }) else {
            throw .badRequest("one of \"\(member)\" is longer than \(maximumBytes) bytes")
        }
        return fields
    }

    private static func notFields(_ member: String) -> AdminProblem {
        .badRequest("\"\(member)\" must be an object of texts, or a list of texts like \"Accept: text/html\"")
    }
}
