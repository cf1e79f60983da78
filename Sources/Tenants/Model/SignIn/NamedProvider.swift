import ConfigurationText
public import Verification

/// An identity provider of `sign_in.providers`: any with OpenID metadata, or one with plain OAuth 2.
public struct NamedProvider: Sendable, Equatable {
    public enum Service: Sendable, Equatable {
        case openID(OpenIDService)
        case oauth2(OAuth2Service)
    }

    /// When an e-mail counts as verified.
    public enum EmailRule: Sendable, Hashable {
        case always
        case never
        /// If this claim is true.
        case claim(ClaimPlace)
    }

    /// How the gateway proves at the token endpoint that it is the client (OpenID Connect Core 1.0 section 9).
    public enum ClientProof: String, Sendable, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
    }

    /// A claim of the session, and where the provider has it.
    public struct MappedClaim: Sendable, Equatable {
        public var name: String
        public var place: ClaimPlace
    }

    /// Where apps post the provider's ID tokens.
    public struct Exchange: Sendable, Equatable {
        public var path: PathPattern
        /// The apps that the token may be for.
        public var clientIDs: [String]
        public var then: SignIn.Exchange
    }

    /// Its key in `providers`.
    public var name: String
    /// Its name for people.
    public var label: String
    public var service: Service
    public var clientID: String
    /// nil for a public client, which has PKCE alone.
    public var clientSecret: Secret?
    /// nil: by the provider's metadata, or as RFC 6749 section 2.3.1 prefers: `basic`.
    public var clientProof: ClientProof?
    public var scopes: [String]
    public var subject: ClaimPlace
    public var email: ClaimPlace
    public var emailVerified: EmailRule
    public var fullName: ClaimPlace
    public var claims: [MappedClaim] = []
    public var exchange: Exchange?

    /// What a session's claims and its groups may take, in bytes of JSON: they are part of every token.
    public static let longestClaims = 4096
}

/// A provider whose addresses are in its metadata (OpenID Connect Discovery 1.0).
public struct OpenIDService: Sendable, Equatable {
    /// What stands for the directory in Microsoft's issuer of several directories: `tid` of a token.
    public static let directoryVariable = "{tenantid}"

    /// As the metadata names it, to the letter.
    public var issuer: String
    public var metadataURL: String
    public var keys: RemoteKeySource

    public var isOfSeveralDirectories: Bool { issuer.contains(Self.directoryVariable) }

    /// Whether an `iss` is that of one of several directories.
    public func isIssuerOfSomeDirectory(_ text: String) -> Bool {
        guard let variable = issuer.firstRange(of: Self.directoryVariable) else { return false }
        let before = issuer[..<variable.lowerBound].utf8.count
        let directory = text.utf8.dropFirst(before).prefix(36)
        guard let known = issuer(ofDirectory: String(decoding: directory, as: UTF8.self)) else { return false }
        return known.utf8.elementsEqual(text.utf8)
    }

    /// - Parameter directory: `tid` of a token, not verified.
    /// - Returns: The `iss` that the token must have; nil if that is no directory.
    public func issuer(ofDirectory directory: String) -> String? {
        guard directory.utf8.count == 36, directory.utf8.allSatisfy({ $0.isLetterDigit(or: "-") }) else { return nil }
        return issuer.replacing(Self.directoryVariable, with: directory)
    }
}

/// A provider with OAuth 2 alone, which names its user in a response of its own.
public struct OAuth2Service: Sendable, Equatable {
    public var authorizeURL: String
    public var tokenURL: String
    public var userInfoURL: String
    /// GitHub's list of a user's addresses, of which the primary one counts; nil: the address is in the user info.
    public var emailsURL: String?
}

/// Who may sign in to a tenant.
public struct SignInAdmission: Sendable, Equatable {
    /// In lower case; empty with no `emailsFile`: every address, and also none.
    public var emailDomains: [String]
    /// Resolved.
    public var emailsFile: String?
    /// One is needed; empty: none.
    public var groups: [String]
    public var groupsClaim: ClaimPlace

    public var restrictsEmails: Bool { !emailDomains.isEmpty || emailsFile != nil }
}
