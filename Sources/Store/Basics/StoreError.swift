/// Why a store operation failed.
public enum StoreError: Error, Sendable, Equatable {
    /// It cannot be reached, or did not respond in time. Trying again may help; the operation may have been carried
    /// out.
    case unavailable(String)
    /// A permanent problem: an unusable file or certificate, a wrong password, a missing right.
    case unusable(String)
    /// None of the keys opens a sealed value: the key is a different one, or the value was changed.
    case sealBroken(String)
    /// The content of the store is not what was written.
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
