/// Why a verified token is no logout token, or no security event token. Holds nothing that the token contained.
public enum SignalProblem: Error, Sendable, Equatable {
    /// A required claim.
    case missing(String)
    /// A claim of another form, or too long.
    case unusable(String)
    case tooOld
    /// A logout token has none (OpenID Connect Back-Channel Logout 1.0 section 2.4), so that it is no ID token.
    case nonce
    /// `events` does not have the logout event with an object.
    case notALogout
    /// Neither `sub` nor `sid`.
    case nobody
    /// `events` has no member, or too many.
    case badEvents
    case badSubject(SubjectProblem)
}

extension SignalProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let claim): "the claim \(claim) is required and missing"
        case .unusable(let claim): "the claim \(claim) has a form or a length that is not accepted"
        case .tooOld: "the token was issued too long ago"
        case .nonce: "a logout token must have no nonce"
        case .notALogout: "events does not have \(LogoutToken.event) with an object"
        case .nobody: "the token has neither sub nor sid"
        case .badEvents: "events must have 1 to \(SecurityEventToken.mostEvents) members, each an object"
        case .badSubject(.noFormat): "the subject has no format"
        case .badSubject(.badMember(let name)): "the subject's \(name) is missing or unusable"
        case .badSubject(.badAliases):
            "a subject with aliases has 1 to \(SubjectIdentifier.mostAliases) identifiers"
        case .badSubject(.tooDeep): "the subject is nested too deeply"
        }
    }
}
