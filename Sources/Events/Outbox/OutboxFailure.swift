import Verification

/// Why a message could not be delivered.
public struct OutboxFailure: Error, Sendable, Equatable {
    /// A closed set, for use as a label.
    public enum Reason: String, Sendable, CaseIterable {
        case unreachable
        case timeout
        /// What was answered is not HTTP, or too long.
        case garbled
        /// Any status that does not mean success.
        case refused
        /// There is no key that a logout token could be signed with.
        case keyProblem = "key_problem"
    }

    public let reason: Reason
    /// Of the response; nil without one.
    public let status: Int?

    public init(_ reason: Reason, status: Int? = nil) {
        self.reason = reason
        self.status = status
    }

    /// In the store.
    var json: JSONObject {
        var object: JSONObject = ["reason": .string(reason.rawValue)]
        object["status"] = status.map { .number(JSONNumber($0)) }
        return object
    }

    init?(json object: JSONObject) {
        guard let reason = object["reason"]?.string.flatMap(Reason.init(rawValue:)) else { return nil }
        self.init(reason, status: object["status"]?.double.flatMap { Int(exactly: $0) })
    }
}
