import ConfigurationText

/// Reads the methods that a rule or a route is for.
enum MethodsReader {
    /// - Returns: Empty for every method; nil if any is malformed, so that no rule or route becomes wider than it was
    ///   meant.
    static func read(_ node: DocumentNode?, _ session: ReadingSession) -> [String]? {
        guard let node else { return [] }
        var methods: [String] = []
        var isValid = !node.items.isEmpty
        for item in node.items {
            guard let scalar = item.filled else {
                isValid = false
                continue
            }
            if !NetworkText.isToken(scalar.text) {
                session.at(item).error("\(scalar.shown) is not a method: write it like GET or POST")
                isValid = false
            } else if scalar.text != scalar.text.uppercased() {
                session.at(item)
                    .error("\(scalar.shown) matches no known method, methods are case-sensitive: write it in capitals")
                isValid = false
            } else {
                MethodNames.check(scalar.text, shown: scalar.shown, at: session.at(item))
            }
            methods.append(scalar.text)
        }
        return isValid ? methods : nil
    }
}
