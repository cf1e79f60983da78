/// A JWS signature algorithm (RFC 7518 section 3.1, RFC 8037 section 3.1).
///
/// `none` is not among them, so a token that claims it cannot even be named.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// Whether one secret both signs and verifies (HMAC).
    public var isSymmetric: Bool { family == .hmac }

    enum Family {
        case hmac
        case rsaPKCS1
        case rsaPSS
        case ecdsa
        case edDSA
    }

    var family: Family {
        switch self {
        case .hs256, .hs384, .hs512: .hmac
        case .rs256, .rs384, .rs512: .rsaPKCS1
        case .ps256, .ps384, .ps512: .rsaPSS
        case .es256, .es384, .es512: .ecdsa
        case .edDSA: .edDSA
        }
    }

    /// The hash that the algorithm's name carries; EdDSA hashes inside the signature scheme (RFC 8032), here SHA-512.
    var hash: HashFunction {
        switch self {
        case .hs256, .rs256, .ps256, .es256: .sha256
        case .hs384, .rs384, .ps384, .es384: .sha384
        case .hs512, .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }

    /// The index in a table with one entry per algorithm.
    var ordinal: Int {
        switch self {
        case .hs256: 0
        case .hs384: 1
        case .hs512: 2
        case .rs256: 3
        case .rs384: 4
        case .rs512: 5
        case .ps256: 6
        case .ps384: 7
        case .ps512: 8
        case .es256: 9
        case .es384: 10
        case .es512: 11
        case .edDSA: 12
        }
    }

    static let count = 13
}
