import ConfigurationText
public import Verification

/// A tenant's own issuer of tokens.
public struct BuiltInIssuer: Sendable, Equatable {
    /// `iss`, to the letter.
    public var url: String
    /// `aud` of access tokens.
    public var audience: String
    public var algorithm: SignatureAlgorithm
    public var access = Schema.issuer.access.default
    public var id = Schema.issuer.id.default
    public var refresh = Schema.issuer.refresh.default
    /// How long a browser's own session at the issuer lasts, within which further clients need no sign-in.
    public var singleSignOn = Schema.issuer.singleSignOn.default
    /// The directory of its keys, resolved: absolute, or relative to the working directory. nil: they are given one by
    /// one, or the gateway makes them and keeps them in the store.
    public var keysDirectory: String?
    /// Its private keys where they are given one by one, and not by a directory.
    public var givenKeys: GivenIssuerKeys?
    /// How long a key that the gateway made signs.
    public var rotateEvery = Schema.issuer.rotateEvery.default
    /// The prefix of its endpoints' paths: empty, or with a leading and without a trailing `/`.
    public var basePath: String = ""
    public var refreshRotation = Schema.issuer.refreshRotation.default
    public var refreshFormat = Schema.issuer.refreshFormat.default
    public var clients: [IssuerClient] = []
    public var page: SignInPage = SignInPage()

    /// The host of ``url``, in lower case and without its port; nil if it has none.
    public var host: HostPattern? {
        let origin = WebOrigin.canonical(url)
        guard let start = origin.range(of: "://")?.upperBound else { return nil }
        let authority = origin[start...]
        let name = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let host = name.hasSuffix(".") ? name.dropLast() : name
        return host.isEmpty ? nil : .exact(String(host))
    }
}

/// Whether browsers have a session of their own at the issuer.
public enum SingleSignOnRule: Sendable, Equatable {
    case off
    /// For how long after a sign-in.
    case within(Duration)

    /// nil: there is none.
    public var lifetime: Duration? {
        switch self {
        case .off: nil
        case .within(let duration): duration
        }
    }
}
