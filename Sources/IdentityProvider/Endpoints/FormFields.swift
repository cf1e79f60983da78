import Verification

/// The parameters of a query or of a form (`application/x-www-form-urlencoded`), in their order.
///
/// A parameter without a value counts as omitted, and duplicates are refused (RFC 6749 section 3.1): another reader
/// might use the other value.
package struct FormFields: Sendable, Equatable {
    package enum Problem: Error, Sendable, Equatable {
        /// A `%` without two hexadecimal digits, or invalid UTF-8.
        case malformed
        case repeated(String)
        case tooMany
    }

    /// More parameters than any endpoint has, including ignored ones.
    static let mostFields = 64

    private(set) var all: [(name: String, value: String)] = []

    init() {}

    package init(_ text: some Collection<UInt8>) throws(Problem) {
        let pairs = text.split(separator: UInt8(ascii: "&"), maxSplits: Self.mostFields)
        guard pairs.count <= Self.mostFields else { throw .tooMany }
        for pair in pairs {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decodeForm(parts[0]),
                let value = parts.count > 1 ? PercentEncoding.decodeForm(parts[1]) : ""
            else { throw .malformed }
            guard !value.isEmpty else { continue }
            guard self[name] == nil else { throw .repeated(name) }
            all.append((name, value))
        }
    }

    package subscript(name: String) -> String? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    package static func == (left: FormFields, right: FormFields) -> Bool {
        left.all.elementsEqual(right.all) { $0.name == $1.name && $0.value == $1.value }
    }
}

/// Writes parameters of a query or a form, and reads the text of one.
package enum FormText {
    /// - Returns: Nil for a `%` without two hexadecimal digits, or invalid UTF-8.
    static func decoded(_ text: some Sequence<UInt8>) -> String? { PercentEncoding.decodeForm(text) }

    /// `name=value` pairs, joined by `&`.
    package static func text(of fields: [(name: String, value: String)]) -> String {
        fields.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    /// Unreserved characters (RFC 3986 section 2.3) unchanged, all others as `%` and two hexadecimal digits, so that
    /// the text is the same in a query and in a form.
    static func encoded(_ text: String) -> String { PercentEncoding.encode(text) }

    /// `url` with further parameters in its query (existing ones are kept, RFC 6749 section 3.1.2).
    static func url(_ url: String, adding fields: [(name: String, value: String)]) -> String {
        guard !fields.isEmpty else { return url }
        let separator = !url.contains("?") ? "?" : url.hasSuffix("?") || url.hasSuffix("&") ? "" : "&"
        return url + separator + text(of: fields)
    }
}
