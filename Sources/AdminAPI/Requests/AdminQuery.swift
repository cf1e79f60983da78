import Hummingbird
import Verification

/// The decoded parameters of a query (`application/x-www-form-urlencoded`). Unknown and repeated ones are refused.
enum AdminQuery {
    /// - Parameter query: Without the `?`.
    static func parameters(_ query: String, known: [String]) throws(AdminProblem) -> [String: String] {
        var values: [String: String] = [:]
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = PercentEncoding.decodeForm(pair[..<end]),
                let value = PercentEncoding.decodeForm(pair[end...].dropFirst())
            else {
                throw .badRequest("the query has a \"%\" without two hexadecimal digits, or what is no UTF-8")
            }
            guard known.contains(name) else {
                throw .badRequest(
                    known.isEmpty
                        ? "there are no parameters here"
                        : "the query has an unknown parameter; known parameters are \(known.joined(separator: ", "))"
                )
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .badRequest("the query has \(name) twice")
            }
        }
        return values
    }
}

extension Request {
    /// See ``AdminQuery``.
    func adminQuery(_ known: [String]) throws(AdminProblem) -> [String: String] {
        try AdminQuery.parameters(uri.query ?? "", known: known)
    }
}
