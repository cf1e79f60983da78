import HTTPCore

/// A browser that opens a page: somebody who can be led to sign in, which a program cannot.
struct Navigation: Equatable {
    enum Kind: Equatable {
        /// Asks for a page (GET or HEAD).
        case page
        /// Sends a form (POST), whose content is lost if the browser is led elsewhere.
        case form
    }

    let kind: Kind
    /// The value of `Referer`; nil if there is none.
    let referrer: Range<Int>?

    private static let modeHash = FieldLine.hash(ofName: "sec-fetch-mode")
    private static let destinationHash = FieldLine.hash(ofName: "sec-fetch-dest")
    private static let referrerHash = FieldLine.hash(ofName: "referer")
    private static let authorizationHash = FieldLine.hash(ofName: "authorization")

    /// Browsers say so in `Sec-Fetch-Mode` (Fetch Metadata, section 2.3), and pages in frames do not count; one that does
    /// not send it prefers HTML to JSON, as for the form of a refusal. Nobody who sends `Authorization` navigates.
    ///
    /// - Returns: Nil for every other request.
    init?(_ head: RequestHead, _ bytes: Span<UInt8>) {
        guard let kind = Self.kind(bytes.extracting(head.method)) else { return nil }
        var (mode, destination, referrer): (Range<Int>?, Range<Int>?, Range<Int>?)
        let fields = head.fields
        for index in 0..<head.fieldCount {
            let field = fields[index]
            if field.hash == Self.modeHash, bytes.isFieldName(field.name, "sec-fetch-mode") {
                guard mode == nil else { return nil }
                mode = field.value
            } else if field.hash == Self.destinationHash, bytes.isFieldName(field.name, "sec-fetch-dest") {
                guard destination == nil else { return nil }
                destination = field.value
            } else if field.hash == Self.referrerHash, bytes.isFieldName(field.name, "referer") {
                referrer = field.value
            } else if field.hash == Self.authorizationHash, bytes.isFieldName(field.name, "authorization") {
                return nil
            }
        }
        if let mode {
            guard bytes.isExactly("navigate", mode) else { return nil }
            if let destination, !bytes.isExactly("document", destination) { return nil }
        } else if destination != nil || !PreferredForm.isHTML(head, bytes) {
            return nil
        }
        self.kind = kind
        self.referrer = referrer
    }

    private static func kind(_ method: Span<UInt8>) -> Kind? {
        if method.isExactly("GET", 0..<method.count) || method.isExactly("HEAD", 0..<method.count) { return .page }
        return method.isExactly("POST", 0..<method.count) ? .form : nil
    }
}
