/// The SHA-2 functions that JWS algorithms use.
enum HashFunction: String, Sendable {
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    /// The digest's length in bytes.
    var size: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}
