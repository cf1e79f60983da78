import HTTPCore

/// The fields of a request for an endpoint that decide how its body is read: the backend must read what was checked.
enum BodyReadingFields {
    private static let prefix: StaticString = "content-"
    /// Frameworks take the method from these, and with it the location of the parameters.
    private static let methodOverrides: [StaticString] = [
        "x-http-method-override", "x-http-method", "x-method-override",
    ]

    /// - Returns: Nil if every reader of the head reads the body alike.
    static func refusal(_ head: RequestHead, _ bytes: Span<UInt8>) -> Refusal? {
        var types = 0
        for index in 0..<head.fieldCount {
            let field = head.fields[index]
            if field.isAlias, isContentField(field, bytes) { return .aliasedContentField }
            if methodOverrides.contains(where: { bytes.isFieldName(field.name, $0) }) { return .methodOverride }
            if bytes.isFieldName(field.name, "content-type") { types += 1 }
            guard bytes.isFieldName(field.name, "content-encoding") else { continue }
            if !bytes.isCaseInsensitively("identity", field.value) { return .encodedSignIn }
        }
        return types > 1 ? .severalTypes : nil
    }

    /// `Content-Type` and all others that describe a body (RFC 9110 section 8). Servers that pass fields as environment
    /// variables, such as CGI, WSGI and PHP, read `Content_Type` as one of them; no others do.
    private static func isContentField(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        let length = prefix.utf8CodeUnitCount
        guard field.name.count > length else { return false }
        return bytes.isFieldName(field.name.lowerBound..<(field.name.lowerBound + length), prefix)
    }
}

extension Refusal {
    fileprivate static let aliasedContentField = Refusal(
        .badRequest,
        status: 400,
        detail: "a Content- field is written with another sign than \"-\": write Content-Type"
    )

    fileprivate static let methodOverride = Refusal(
        .badRequest,
        status: 400,
        detail: "this endpoint takes no field that stands for another method: send the request with its own"
    )

    fileprivate static let encodedSignIn = Refusal(
        .badRequest,
        status: 415,
        detail: "this endpoint takes no Content-Encoding: send the body as it is"
    )

    fileprivate static let severalTypes = Refusal(
        .badRequest,
        status: 400,
        detail: "there are several Content-Type fields"
    )
}
