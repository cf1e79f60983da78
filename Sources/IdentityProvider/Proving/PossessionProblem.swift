import Verification

/// Why a request's proof of possession is refused.
enum PossessionProblem: Error, Sendable, Equatable {
    /// A proof is required, and there is none.
    case missing
    /// There are several (RFC 9449 section 4.3).
    case several
    case refused(DPoPFailure)
    /// It was used before.
    case replayed
    /// Its nonce is missing or too old (RFC 9449 sections 8 and 9).
    case nonceNeeded
    /// A token bound to a key came as a bearer token (RFC 9449 section 7.2).
    case downgraded
    /// A token came with a proof, but is bound to no key.
    case notBound
    /// A token came as a bearer token, but the tenant requires bound ones.
    case bearer
    /// A token is bound to another certificate than the connection's, or in a way that cannot be checked.
    case otherCertificate
    case unknownConfirmation
    case storeUnavailable

    /// For developers: ASCII without quotes and backslashes, and without client input.
    var detail: String {
        switch self {
        case .missing: "a DPoP proof is needed"
        case .several: "there is more than one DPoP field"
        case .refused(let failure): failure.summary
        case .replayed: "the DPoP proof was used before"
        case .nonceNeeded: "the DPoP proof must contain the nonce in this response"
        case .downgraded: "the token is bound to a key: send it with the scheme DPoP and a proof"
        case .notBound: "the token is bound to no key"
        case .bearer: "a token that is bound to a key is needed"
        case .otherCertificate: "the token is bound to another client certificate"
        case .unknownConfirmation: "the token is bound to something that cannot be checked here"
        case .storeUnavailable: "this is not possible at the moment: try again"
        }
    }

    /// Whether the proof is at fault, and not the token.
    fileprivate var isOfProof: Bool {
        switch self {
        case .missing, .several, .refused, .replayed: true
        case .nonceNeeded, .downgraded, .notBound, .bearer, .otherCertificate, .unknownConfirmation, .storeUnavailable:
            false
        }
    }

    /// `error` of a DPoP challenge (RFC 9449 section 7.1).
    fileprivate var code: OAuthError.Code {
        if self == .nonceNeeded { return .useDPoPNonce }
        return isOfProof ? .invalidDPoPProof : .invalidToken
    }
}

// MARK: - As errors

extension OAuthError {
    /// At the token endpoint (RFC 9449 sections 5 and 8).
    init(atTokenEndpoint problem: PossessionProblem) {
        switch problem {
        case .storeUnavailable: self = .storeUnavailable
        case .missing: self = .invalidRequest(problem.detail)
        case .several, .refused, .replayed, .nonceNeeded, .downgraded, .notBound, .bearer, .otherCertificate,
            .unknownConfirmation:
            self.init(problem.code, status: 400, problem.detail)
        }
    }

    /// For an endpoint that uses an access token (RFC 9449 sections 7.1 and 9).
    ///
    /// - Parameter algorithms: The accepted algorithms of proofs; nil if DPoP is not used.
    init(_ problem: PossessionProblem, realm: String, algorithms: [SignatureAlgorithm]?) {
        guard problem != .storeUnavailable else {
            self = .storeUnavailable
            return
        }
        let field = problem.challenge(realm: realm, algorithms: algorithms)
        self.init(problem.code, status: 401, problem.detail, fields: [field])
    }
}

extension EndpointRefusal {
    init(_ problem: PossessionProblem, realm: String, algorithms: [SignatureAlgorithm]?) {
        guard problem != .storeUnavailable else {
            self = .storeUnavailable
            return
        }
        self = .invalidToken(problem.detail)
        // Without DPoP the gateway's general challenge is enough.
        if algorithms != nil { fields = [problem.challenge(realm: realm, algorithms: algorithms)] }
    }
}

extension PossessionProblem {
    fileprivate func challenge(realm: String, algorithms: [SignatureAlgorithm]?) -> EndpointResponse.Field {
        let error = [("error", code.rawValue), ("error_description", detail)]
        guard let algorithms else { return OAuthError.challenge("Bearer", realm: realm, error) }
        return OAuthError.proofChallenge(realm: realm, algorithms: algorithms, error)
    }
}

extension OAuthError {
    /// `WWW-Authenticate: DPoP` (RFC 9449 section 7.1).
    static func proofChallenge(
        realm: String,
        algorithms: [SignatureAlgorithm],
        _ error: [(name: String, value: String)] = []
    ) -> EndpointResponse.Field {
        let names = algorithms.map(\.rawValue).joined(separator: " ")
        return challenge("DPoP", realm: realm, [(name: "algs", value: names)] + error)
    }
}
