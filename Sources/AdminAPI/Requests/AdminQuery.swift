import HTTPCore
import Hummingbird

/// The parameters of a query (`application/x-www-form-urlencoded`), decoded: each is a known one, and none is there
/// twice.
enum AdminQuery {
    /// - Parameter query: What follows the `?`.
    static func parameters(_ query: String, known: [String]) throws(AdminProblem) -> [String: String] {
        var values: [String: String] = [:]
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = decoded(pair[..<end]), let value = decoded(pair[end...].dropFirst()) else {
                throw .badRequest("the query has a \"%\" without two hexadecimal digits, or what is no UTF-8")
            }
            guard known.contains(name) else {
                throw .badRequest(
                    known.isEmpty
                        ? "there are no parameters here"
                        : "the query has a parameter that is not known; there are \(known.joined(separator: ", "))"
                )
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .badRequest("the query has \(name) twice")
            }
        }
        return values
    }

    private static func decoded(_ text: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Request {
    /// See ``AdminQuery``.
    func adminQuery(_ known: [String]) throws(AdminProblem) -> [String: String] {
        try AdminQuery.parameters(uri.query ?? "", known: known)
    }
}
