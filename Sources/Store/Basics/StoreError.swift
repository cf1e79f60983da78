/// Why the store did not do what it was asked.
public enum StoreError: Error, Sendable, Equatable {
    /// It cannot be reached, or did not answer in time. Trying again may help; what was asked for may have been done.
    case unavailable(String)
    /// Nothing that time mends: a file or certificate that cannot be used, a wrong password or missing right.
    case unusable(String)
    /// A sealed value that none of the keys opens: the key is another one, or the value was changed.
    case sealBroken(String)
    /// What the store holds is not what was written there.
    case garbled(String)
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let reason): "the store is not available: \(reason)"
        case .unusable(let reason): "the store cannot be used: \(reason)"
        case .sealBroken(let reason): "a sealed value cannot be opened: \(reason)"
        case .garbled(let reason): "the store holds something unexpected: \(reason)"
        }
    }
}
