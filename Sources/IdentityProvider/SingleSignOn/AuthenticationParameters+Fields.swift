extension AuthenticationParameters {
    /// Bytes of a `login_hint`: more than any address or telephone number has.
    private static let longestLoginHint = 320

    /// - Throws: For `prompt=none` beside other values, and a `max_age` that is no number of seconds.
    init(_ fields: FormFields) throws(AuthorizationError) {
        func words(_ name: String) -> [String] {
            (fields[name] ?? "").utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        }
        let named = words("prompt")
        // Unknown values are ignored, so that clients may send those of extensions.
        prompts = Set(named.compactMap(Prompt.init))
        if prompts.contains(.none), named.count > 1 {
            throw AuthorizationError(.invalidRequest, "prompt combines none with other values")
        }
        if let text = fields["max_age"] {
            guard text.utf8.count <= 10, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let seconds = Double(text)
            else { throw AuthorizationError(.invalidRequest, "max_age is not a number of seconds") }
            maxAge = seconds
        }
        idTokenHint = fields["id_token_hint"]
        loginHint = fields["login_hint"].flatMap { $0.utf8.count <= Self.longestLoginHint ? $0 : nil }
        contextClasses = words("acr_values")
        locales = fields["ui_locales"]
    }

    /// `Accept-Language` for the page: `ui_locales` before what the browser prefers.
    func acceptedLanguages(before field: String?) -> String? {
        guard let locales else { return field }
        let wanted = locales.split(separator: " ").filter { $0.utf8.allSatisfy(Self.isOfTag) }.prefix(8)
        return (wanted.map(String.init) + (field.map { [$0] } ?? [])).joined(separator: ", ")
    }

    private static func isOfTag(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
