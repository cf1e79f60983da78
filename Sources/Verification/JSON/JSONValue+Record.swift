package import Time

/// Times and bytes in the records of stores.
extension JSONValue {
    /// Null, which does not parse again, for an invalid time.
    package static func time(_ time: UnixTime) -> JSONValue { JSONNumber(time.seconds).map(JSONValue.number) ?? .null }

    /// Times up to the year 5138: larger numbers may not fit an integer.
    package var time: UnixTime? {
        guard let double, (0...1e11).contains(double) else { return nil }
        return UnixTime(double)
    }

    package static func bytes(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }

    /// Decodes a string in base64url.
    package var bytes: [UInt8]? { string.flatMap { Base64URL.decode($0) } }
}
