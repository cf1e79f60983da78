/// What an event asks to be ended, and whose word it is.
public enum SignalTarget: Sendable, Hashable {
    /// Everything of a subject.
    case subject(String, Owner)
    /// One session, by its `sid`.
    case session(String, Owner)
    /// One token.
    case token(issuer: String, tokenID: String)

    /// To whom the name belongs.
    public enum Owner: Sendable, Hashable {
        /// The tokens of this issuer have it.
        case issuer(String)
        /// The tokens of whoever the tenant trusts have it: an address, or a name that the transmitter and we know.
        case anyone
    }
}

extension SubjectIdentifier {
    private static let accountScheme = "acct:"

    /// The targets, without duplicates, in the order of the subject.
    ///
    /// - Parameter issuer: Of the token. Names without an issuer of their own are taken to be its.
    public func targets(from issuer: String) -> [SignalTarget] {
        var targets: [SignalTarget] = []
        for target in found(from: issuer) where !targets.contains(target) { targets.append(target) }
        return targets
    }

    private func found(from issuer: String) -> [SignalTarget] {
        switch self {
        case .issuerAndSubject(let issuer, let subject): [.subject(subject, .issuer(issuer))]
        case .opaque(let name): [.subject(name, .issuer(issuer))]
        case .email(let text), .phoneNumber(let text): [.subject(text, .anyone)]
        case .account(let uri):
            uri.utf8.starts(with: Self.accountScheme.utf8)
                ? [.subject(uri, .anyone), .subject(String(uri.dropFirst(Self.accountScheme.count)), .anyone)]
                : [.subject(uri, .anyone)]
        case .tokenID(let issuer, let tokenID): [.token(issuer: issuer, tokenID: tokenID)]
        case .aliases(let aliases): aliases.flatMap { $0.found(from: issuer) }
        // The session alone, if there is one: its user's others go on.
        case .complex(let user, let session): session?.sessions(from: issuer) ?? user?.found(from: issuer) ?? []
        case .unsupported: []
        }
    }

    private func sessions(from issuer: String) -> [SignalTarget] {
        found(from: issuer).map { target in
            if case .subject(let name, let owner) = target { .session(name, owner) } else { target }
        }
    }
}
