import IdentityProvider

/// Why an attempt at a step of a deletion did not succeed.
public struct DeletionFailure: Error, Sendable, Equatable {
    /// A closed set, for use as a label.
    public enum Reason: String, Sendable, CaseIterable {
        case storeUnavailable = "store_unavailable"
        case unreachable
        case timeout
        /// What was answered is not HTTP, or too long.
        case garbled
        /// Apple or Google does not take the gateway's client credentials.
        case clientRefused = "client_refused"
        /// The tenant has no key or secret for the client that a token was given to.
        case noCredentials = "no_credentials"
        /// `GATEHOUSE_KEY` does not open what is sealed, or a request cannot be signed.
        case keyProblem = "key_problem"
        /// The subject cannot be a segment of the call's path.
        case unsafeSubject = "unsafe_subject"
        /// Any other status than those that mean success.
        case refused
    }

    public let reason: Reason
    /// Of the response; nil without one.
    public let status: Int?
    /// The tenant whose backend failed; nil for another failure, and for one from the store.
    private(set) var tenant: String?

    init(_ reason: Reason, status: Int? = nil) {
        self.reason = reason
        self.status = status
    }

    init(_ failure: ProviderRequestFailure) {
        switch failure {
        case .unreachable: self.init(Reason.unreachable)
        case .timeout: self.init(Reason.timeout)
        case .garbled: self.init(Reason.garbled)
        }
    }

    func at(_ tenant: String) -> DeletionFailure {
        var failure = self
        failure.tenant = tenant
        return failure
    }

    /// What an operator does about it; nil where it passes by itself, or where the other side is to blame.
    public var remedy: String? {
        switch reason {
        case .clientRefused: "check the client ID, and the secret or key, in sign_in"
        case .noCredentials: "add web, with the key or secret of that client, to apple or google of sign_in"
        case .keyProblem: "start the gateway with the GATEHOUSE_KEY that the token was sealed with"
        case .unsafeSubject: "let the call's path have more than the subject in that segment, as in /users/id-{subject}"
        case .storeUnavailable, .unreachable, .timeout, .garbled, .refused: nil
        }
    }
}
