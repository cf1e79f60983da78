import ConfigurationText

extension SchemaType {
    var mayBeSecret: Bool {
        switch self {
        case .secret, .url: true
        case .text, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .choice, .list, .object, .dictionary,
            .either, .partial, .anything:
            false
        }
    }

    /// Whether a value of the type must not be shown.
    func isSecret(_ text: String) -> Bool {
        switch self {
        case .secret: return !text.isEmpty
        case .url:
            guard let start = text.range(of: "://")?.upperBound else { return false }
            return text[start...].contains("?") || text[start...].prefix { $0 != "/" }.contains("@")
        case .text, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .choice, .list, .object, .dictionary,
            .either, .partial, .anything:
            return false
        }
    }
}
