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
    private static let longestName = 1024

    private let object: JSONObject

    init(json body: [UInt8], members: [String]) throws(AdminProblem) {
        guard let object = try? JSONParser.parse(body).object else {
            throw .badRequest("the body must be a JSON object, with no member twice")
        }
        guard object.members.allSatisfy({ members.contains($0.name) }) else {
            throw .badRequest("the body has a member that is not known; there are \(members.joined(separator: ", "))")
        }
        self.object = object
    }

    func has(_ member: String) -> Bool { object[member] != nil }

    func text(_ member: String) throws(AdminProblem) -> String {
        guard let text = object[member]?.string, !text.isEmpty else {
            throw .badRequest("\"\(member)\" must be a string that is not empty")
        }
        guard text.utf8.count <= Self.longestName else {
            throw .badRequest("\"\(member)\" is longer than \(Self.longestName) bytes")
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

    /// The query's parameters, decoded; each is one of `known`, and none is there twice.
    func adminQuery(_ known: [String]) throws(AdminProblem) -> [String: String] {
        var values: [String: String] = [:]
        for (name, value) in uri.queryParameters {
            guard known.contains(String(name)) else {
                throw .badRequest(
                    "the query has a parameter that is not known; there are \(known.joined(separator: ", "))"
                )
            }
            guard values.updateValue(String(value), forKey: String(name)) == nil else {
                throw .badRequest("the query has \(name) twice")
            }
        }
        return values
    }

    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let essence = contentType.prefix { $0 != ";" }
        return essence.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
    }
}
