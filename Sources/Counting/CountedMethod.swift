/// Methods as metrics count them; all others are one label, since clients can make up methods.
public enum CountedMethod: Int, CaseIterable, Sendable {
    case get, head, post, put, patch, delete, options, other

    /// RFC 9110 section 9.2.1.
    @inlinable public var isSafe: Bool {
        switch self {
        case .get, .head, .options: true
        case .post, .put, .patch, .delete, .other: false
        }
    }

    public var label: String { self == .other ? "other" : "\(self)".uppercased() }
}
