import HTTPTypes
import Hummingbird
import NIOCore
import Verification

/// The body of a change that the admin API is asked for: a JSON object with known members. What is said of a mistake
/// repeats nothing that was sent.
struct AdminBody {
    /// Bytes of a body.
    static let longest = 64 << 10
    /// Bytes of a name.
    static let longestName = 1024

    private let object: JSONObject

    init(json body: [UInt8], members: [String]) throws(AdminProblem) {
        guard let object = try? JSONParser.parse(body).object else {
            throw .badRequest("the body must be a JSON object, with no member twice")
        }
        guard object.members.allSatisfy({ members.contains($0.name) }) else {
            throw .badRequest(
                members.isEmpty
                    ? "the object must be empty"
                    : "the body has a member that is not known; there are \(members.joined(separator: ", "))"
            )
        }
        self.object = object
    }

    func has(_ member: String) -> Bool { object[member] != nil }

    subscript(member: String) -> JSONValue? { object[member] }

    /// - Parameter longest: Bytes.
    func text(_ member: String, upTo longest: Int = Self.longestName) throws(AdminProblem) -> String {
        guard let text = object[member]?.string, !text.isEmpty else {
            throw .badRequest("\"\(member)\" must be a string that is not empty")
        }
        guard text.utf8.count <= longest else {
            throw .badRequest("\"\(member)\" is longer than \(longest) bytes")
        }
        return text
    }

    /// - Returns: False where it is not there.
    func flag(_ member: String) throws(AdminProblem) -> Bool {
        guard let value = object[member] else { return false }
        guard let flag = value.bool else { throw .badRequest("\"\(member)\" must be true or false") }
        return flag
    }
}

extension Request {
    /// The body, which has to say that it is JSON, or nothing of its type.
    func adminBody() async throws -> [UInt8] {
        guard Self.isJSON(headers[.contentType]) else {
            throw AdminProblem(.unsupportedMediaType, "send the body as application/json")
        }
        do {
            return Array(try await body.collect(upTo: AdminBody.longest).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw AdminProblem(.payloadTooLarge, "the body is longer than \(AdminBody.longest >> 10) KiB")
        }
    }

    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let essence = contentType.prefix { $0 != ";" }
        return essence.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
    }
}
