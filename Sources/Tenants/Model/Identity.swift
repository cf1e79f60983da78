/// What a backend gets of the caller's identity.
public struct Identity: Sendable, Equatable {
    public struct Header: Sendable, Equatable {
        /// As it is written to the backend, e.g. `X-User-Id`.
        public var name: String
        /// The claim that fills it; an absent claim leaves the header out.
        public var claim: String
    }

    public enum TokenForwarding: String, Sendable, CaseIterable {
        case keep, strip
    }

    public var headers: [Header] = Identity.defaultHeaders
    public var token = Schema.identity.token.default

    /// The headers of a tenant without an `identity` section.
    public static let defaultHeaders = (Schema.identity.headers.default?.entries ?? []).map {
        Header(name: $0.key, claim: $0.value.scalar?.text ?? "")
    }
}
