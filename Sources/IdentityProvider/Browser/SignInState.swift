import Tenants
import Verification

/// The unguessable identifier of a sign-in under way: 256 random bits in base64url.
struct SignInID: Sendable, Hashable {
    private static let byteCount = 32

    let bytes: [UInt8]

    static func make() -> SignInID { SignInID(bytes: RandomBytes.make(byteCount)) }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init?(_ text: Substring) {
        guard let bytes = Base64URL.decode(Array(text.utf8)), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    var text: String { Base64URL.encode(bytes) }
}

/// The `state` that a provider returns: the sign-in, and the provider that was asked. The latter detects a response
/// from another provider (mix-up, RFC 9700 section 4.4).
struct SignInState: Sendable, Equatable {
    let id: SignInID
    let provider: SignIn.Provider

    init(id: SignInID, provider: SignIn.Provider) {
        self.id = id
        self.provider = provider
    }

    /// - Returns: Nil for anything but what ``text`` gives.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = SignInID(parts[0]), let provider = SignIn.Provider(stateMark: parts[1]) else {
            return nil
        }
        self.init(id: id, provider: provider)
    }

    var text: String { "\(id.text).\(provider.stateMark)" }
}

extension SignIn.Provider {
    private static let namePrefix = "n-"

    fileprivate var stateMark: String {
        switch self {
        case .apple: "a"
        case .google: "g"
        case .named(let name): Self.namePrefix + name
        }
    }

    fileprivate init?(stateMark mark: Substring) {
        switch mark {
        case "a": self = .apple
        case "g": self = .google
        default:
            guard mark.utf8.starts(with: Self.namePrefix.utf8),
                case .named(let name)? = SignIn.Provider(rawValue: String(mark.dropFirst(Self.namePrefix.count)))
            else { return nil }
            self = .named(name)
        }
    }
}
