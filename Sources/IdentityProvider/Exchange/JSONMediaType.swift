import Localization

/// Checks the `Content-Type` of a body (RFC 9110 section 8.3).
enum JSONMediaType {
    /// Whether it is `application/json`, or JSON by its suffix (RFC 6839 section 3.1), and no charset other than UTF-8,
    /// in which a backend would read different text. Types that another site can send without a preflight, above all
    /// `text/plain`, are excluded.
    static func isUTF8(_ contentType: String) -> Bool {
        let parts = contentType.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmingSpaces)
        let name = parts[0].lowercased()
        guard name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json") else {
            return false
        }
        return parts.dropFirst().allSatisfy { parameter in
            let text = parameter.lowercased()
            return !text.hasPrefix("charset") || text == "charset=utf-8" || text == "charset=\"utf-8\""
        }
    }
}
