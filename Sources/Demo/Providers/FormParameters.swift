import Verification

/// The parameters of a query or a form (`application/x-www-form-urlencoded`), without duplicates (RFC 6749 section
/// 3.1).
struct FormParameters: Sendable {
    private var values: [String: String] = [:]

    init(_ text: some StringProtocol) throws(StandInRefusal) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decodeForm(parts[0].utf8),
                let value = PercentEncoding.decodeForm((parts.count > 1 ? parts[1] : "").utf8)
            else {
                throw .request("a parameter is not percent-encoded UTF-8")
            }
            guard values.updateValue(value, forKey: name) == nil else { throw .request("\(name) is repeated") }
        }
    }

    /// Nil if it is missing or empty.
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func require(_ name: String) throws(StandInRefusal) -> String {
        guard let value = self[name] else { throw .request("\(name) is missing") }
        return value
    }

    /// `name=value` pairs, joined by `&`.
    static func text(of fields: [(name: String, value: String)]) -> String {
        fields.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}

/// Why the stand-in refuses a request (RFC 6749 section 5.2).
struct StandInRefusal: Error, Equatable {
    let status: Int
    let error: String
    let reason: String

    static func request(_ reason: String) -> StandInRefusal {
        StandInRefusal(status: 400, error: "invalid_request", reason: reason)
    }

    static func grant(_ reason: String) -> StandInRefusal {
        StandInRefusal(status: 400, error: "invalid_grant", reason: reason)
    }
}
