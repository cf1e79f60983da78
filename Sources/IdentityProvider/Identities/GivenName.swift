import Verification

/// A person's name, as apps and providers send it.
enum GivenName {
    private static let longest = 200
    /// The member names used by Apple's web page and by its frameworks.
    private static let parts = [("firstName", "lastName"), ("givenName", "familyName")]

    /// - Parameter json: A string, or an object with `firstName` and `lastName`, or with `givenName` and `familyName`.
    /// - Returns: The name, trimmed; nil if there is none, or it has control characters or more than 200 bytes.
    static func read(_ json: JSONValue?) -> String? {
        switch json {
        case .string(let text)?: return checked(text)
        case .object(let object)?:
            for (first, last) in Self.parts {
                let names = [object[first], object[last]].compactMap { $0?.string }.map(trimmed).filter { !$0.isEmpty }
                if !names.isEmpty { return checked(names.joined(separator: " ")) }
            }
            return nil
        case .null?, .bool?, .number?, .array?, nil: return nil
        }
    }

    private static func checked(_ text: String) -> String? {
        let name = trimmed(text)
        return PlainText.isValid(name, longest: longest) ? name : nil
    }

    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        return String(Substring(scalars))
    }
}

/// The field `user` that Apple posts to the callback at a person's first sign-in. It is not signed, so its e-mail is
/// ignored.
enum AppleUserField {
    private static let longest = 4096

    /// - Returns: Nil if the field is not JSON in Apple's form, or has no name.
    static func name(in text: String) -> String? {
        guard text.utf8.count <= longest, let json = try? JSONParser.parse(Array(text.utf8)) else { return nil }
        return GivenName.read(json.object?["name"])
    }
}
