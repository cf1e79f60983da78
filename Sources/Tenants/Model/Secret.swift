/// Bytes that no description, dump or mirror shows.
///
/// `==` takes constant time for two secrets of one length, so that a comparison with a client's input reveals nothing of
/// the content.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text that is printed instead of a secret.
    public static let redaction = "<redacted>"

    /// The content, which must not be logged.
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The UTF-8 bytes of `text`.
    public init(_ text: String) {
        self.bytes = Array(text.utf8)
    }

    public var isEmpty: Bool { bytes.isEmpty }

    public var description: String { Self.redaction }
    public var debugDescription: String { Self.redaction }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Runs `body` on the content without a copy.
    public func withBytes<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try body(bytes.span)
    }

    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.bytes.count == right.bytes.count else { return false }
        var difference: UInt8 = 0
        for index in left.bytes.indices {
            difference |= left.bytes[index] ^ right.bytes[index]
        }
        return difference == 0
    }
}
