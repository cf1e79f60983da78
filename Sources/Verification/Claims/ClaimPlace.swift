/// Where something is in a claims set: the name of a claim, or a JSON pointer to a value within one.
public struct ClaimPlace: Sendable, Hashable {
    /// The longest that is read, in bytes.
    public static let maximumLength = 256
    /// How many names a pointer may have. No claim is nested deeper than ``JSONParser/maximumDepth``.
    public static let maximumDepth = 16

    /// As it was written.
    public let text: String
    private let pointer: JSONPointer?

    /// - Parameter text: A JSON pointer (RFC 6901) if it begins with `/`, else the name of a claim, to the letter.
    /// - Returns: Nil if it is empty, too long, nested too deeply or a malformed pointer.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumLength else { return nil }
        if text.utf8.first == UInt8(ascii: "/") {
            guard let pointer = JSONPointer(text), pointer.tokens.count <= Self.maximumDepth else { return nil }
            self.pointer = pointer
        } else {
            pointer = nil
        }
        self.text = text
    }

    /// The value there; nil if there is none.
    public func value(in claims: JSONObject) -> JSONValue? {
        guard let pointer else { return claims[text] }
        return pointer.value(in: .object(claims))
    }

    /// Puts a value there, with the objects around it. Where something else than an object is on the way, nothing
    /// changes.
    public func put(_ value: JSONValue, in claims: inout JSONObject) {
        Self.put(value, at: names[...], in: &claims)
    }

    /// From the claim inwards.
    private var names: [String] { pointer?.tokens ?? [text] }

    /// The name of the claim that it is in.
    public var claim: String { names.first ?? "" }

    /// The innermost name.
    var lastName: String { names.last ?? "" }

    private static func put(_ value: JSONValue, at names: ArraySlice<String>, in object: inout JSONObject) {
        guard let name = names.first else { return }
        let inner = names.dropFirst()
        if inner.isEmpty {
            object[name] = value
            return
        }
        guard case .object(var below) = object[name] ?? .object(JSONObject()) else { return }
        put(value, at: inner, in: &below)
        object[name] = .object(below)
    }

    public static func == (left: ClaimPlace, right: ClaimPlace) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        // No byte of UTF-8: where the text ends.
        hasher.combine(0xFF as UInt8)
    }
}
