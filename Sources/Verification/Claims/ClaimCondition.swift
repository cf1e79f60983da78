/// A claim that an issuer's tokens must have with one of some values, like `token_use` with `access`.
public struct ClaimCondition: Sendable, Equatable {
    public var place: ClaimPlace
    /// Texts, numbers as JSON writes them, `true` and `false`.
    public var values: [String]
    /// Whether a token without the claim passes.
    public var allowsMissing: Bool

    public init(_ place: ClaimPlace, _ values: [String], allowsMissing: Bool = false) {
        self.place = place
        self.values = values
        self.allowsMissing = allowsMissing
    }

    /// Whether the claim has one of the values, byte for byte; of an array, whether one of its elements does.
    public func holds(in claims: JSONObject) -> Bool {
        switch place.value(in: claims) {
        case nil, .null?: allowsMissing
        case .array(let elements)?: elements.contains(where: isAccepted)
        case let value?: isAccepted(value)
        }
    }

    private func isAccepted(_ value: JSONValue) -> Bool {
        let text: String
        switch value {
        case .string(let string): text = string
        case .number(let number): text = number.literal
        case .bool(let flag): text = flag ? "true" : "false"
        case .null, .array, .object: return false
        }
        return values.contains { $0.hasSameBytes(as: text) }
    }
}
