import Verification

/// A request of a trial.
struct TrialRequest: Sendable {
    var method = "GET"
    /// As a client names it, with the port.
    let host: String
    let path: String
    var fields: [(name: String, value: String)] = []
    var body: JSONObject?
    /// A body that is no JSON; nil if there is none.
    var text: String?
}

/// The response to a request of a trial.
struct TrialResponse: Sendable {
    let status: Int
    let reason: String
    let fields: [(name: String, value: String)]
    let body: String

    var json: JSONObject { (try? JSONParser.parse(Array(body.utf8)).object) ?? JSONObject() }

    /// - Parameter name: In any case.
    func first(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The value of a cookie that the response sets.
    func cookie(_ name: String) -> String? {
        let prefix = "\(name)="
        let pair = fields.first { $0.name.lowercased() == "set-cookie" && $0.value.hasPrefix(prefix) }?.value
        return pair.map { String($0.dropFirst(prefix.count).prefix { $0 != ";" }) }
    }
}
