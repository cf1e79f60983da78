import HTTPTypes
import Hummingbird
import NIOCore
import Verification

/// The body of an admin request: a JSON object with known members. Errors repeat nothing of the body.
struct AdminBody {
    /// Maximum bytes of a body.
    static let maximumBytes = 64 << 10
    /// Maximum bytes of a name.
    static let maximumNameBytes = 1024

    private let object: JSONObject

    init(json body: [UInt8], members: [String]) throws(AdminProblem) {
        guard let object = try? JSONParser.parse(body).object else {
            throw .badRequest("the body must be a JSON object, with no member twice")
        }
        guard object.members.allSatisfy({ members.contains($0.name) }) else {
            throw .badRequest(
                members.isEmpty
                    ? "the object must be empty"
                    : "the body has an unknown member; known members are \(members.joined(separator: ", "))"
            )
        }
        self.object = object
    }

    func has(_ member: String) -> Bool { object[member] != nil }

    subscript(member: String) -> JSONValue? { object[member] }

    /// - Parameter maximum: Bytes.
    func text(_ member: String, upTo maximum: Int = Self.maximumNameBytes) throws(AdminProblem) -> String {
        guard let text = object[member]?.string, !text.isEmpty else {
            throw .badRequest("\"\(member)\" must be a string that is not empty")
        }
        guard text.utf8.count <= maximum else {
            throw .badRequest("\"\(member)\" is longer than \(maximum) bytes")
        }
        return text
    }

    /// - Returns: False if it is missing.
    func flag(_ member: String) throws(AdminProblem) -> Bool {
        guard let value = object[member] else { return false }
        guard let flag = value.bool else { throw .badRequest("\"\(member)\" must be true or false") }
        return flag
    }
}

extension Request {
    /// The body, whose type must be JSON or omitted.
    func adminBody() async throws -> [UInt8] {
        guard Self.isJSON(headers[.contentType]) else {
            throw AdminProblem(.unsupportedMediaType, "send the body as application/json")
        }
        do {
            return Array(try await body.collect(upTo: AdminBody.maximumBytes).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw AdminProblem(.payloadTooLarge, "the body is longer than \(AdminBody.maximumBytes >> 10) KiB")
        }
    }

    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let essence = contentType.prefix { $0 != ";" }
        return essence.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
    }
}
