import Verification

/// What someone is called, as apps and providers say it.
enum GivenName {
    private static let longest = 200
    /// The parts, as Apple's web page and as its frameworks call them.
    private static let parts = [("firstName", "lastName"), ("givenName", "familyName")]

    /// - Parameter json: A text, or an object with `firstName` and `lastName`, or with `givenName` and `familyName`.
    /// - Returns: The name, trimmed; nil if there is none, or one with control characters or of more than 200 bytes.
    static func read(_ json: JSONValue?) -> String? {
        switch json {
        case .string(let text)?: return checked(text)
        case .object(let object)?:
            for (first, last) in Self.parts {
                let words = [object[first], object[last]].compactMap { $0?.string }.map(trimmed).filter { !$0.isEmpty }
                if !words.isEmpty { return checked(words.joined(separator: " ")) }
            }
            return nil
        case .null?, .bool?, .number?, .array?, nil: return nil
        }
    }

    private static func checked(_ text: String) -> String? {
        let name = trimmed(text)
        return PlainText.isGood(name, longest: longest) ? name : nil
    }

    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        return String(Substring(scalars))
    }
}

/// The field `user` that Apple posts to the callback at someone's first sign-in. Nobody has signed it, so that its
/// e-mail is not read.
enum AppleUserField {
    private static let longest = 4096

    /// - Returns: Nil if the field is not JSON as Apple writes it, or has no name.
    static func name(in text: String) -> String? {
        guard text.utf8.count <= longest, let json = try? JSONParser.parse(Array(text.utf8)) else { return nil }
        return GivenName.read(json.object?["name"])
    }
}
