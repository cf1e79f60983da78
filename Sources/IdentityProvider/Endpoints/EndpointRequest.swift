public import Time

/// A complete request for one of the gateway's own endpoints.
public struct EndpointRequest: Sendable {
    /// The request fields that endpoints use; nil if a field was not sent.
    public struct Fields: Sendable, Equatable {
        public var contentType: String?
        public var authorization: String?
        /// Each `Cookie` field as received.
        public var cookies: [String]
        public var origin: String?
        public var secFetchSite: String?
        public var secFetchMode: String?
        public var secFetchDest: String?
        /// Whether one of these two came twice, or under a name that backends may read as the same.
        public var isOriginAmbiguous: Bool
        public var userAgent: String?
        public var acceptLanguage: String?
        /// Each `DPoP` field as received (RFC 9449 section 4.1).
        public var proofs: [String]

        public init(
            contentType: String? = nil,
            authorization: String? = nil,
            cookies: [String] = [],
            origin: String? = nil,
            secFetchSite: String? = nil,
            secFetchMode: String? = nil,
            secFetchDest: String? = nil,
            isOriginAmbiguous: Bool = false,
            userAgent: String? = nil,
            acceptLanguage: String? = nil,
            proofs: [String] = []
        ) {
            self.contentType = contentType
            self.authorization = authorization
            self.cookies = cookies
            self.origin = origin
            self.secFetchSite = secFetchSite
            self.secFetchMode = secFetchMode
            self.secFetchDest = secFetchDest
            self.isOriginAmbiguous = isOriginAmbiguous
            self.userAgent = userAgent
            self.acceptLanguage = acceptLanguage
            self.proofs = proofs
        }
    }

    public var endpoint: Endpoint
    public var method: String
    /// As the client sent it, without the query.
    public var path: String
    /// Without the `?`; nil if there is none.
    public var query: String?
    /// Whether the client's own connection, or that to the trusted proxy before us, is TLS.
    public var isSecure: Bool
    /// False behind a trusted proxy that does not report the client's scheme.
    public var isSchemeKnown: Bool
    /// Host and port as the client sent them; the host is one of the tenant's.
    public var authority: String
    public var fields: Fields
    /// The token found by the tenant's `authenticate.from`: from the bearer field, or a cookie. Not verified.
    public var presentedToken: PresentedToken?
    /// Those found after it, at later locations.
    public var furtherTokens: [PresentedToken]
    public var body: [UInt8]
    /// The client's address in network byte order (4 or 16 bytes), for limits; empty if unknown.
    public var clientAddress: [UInt8]
    /// SHA-256 of the certificate on the client's own connection (RFC 8705 section 3.1); nil if there is none.
    public var clientCertificateThumbprint: [UInt8]?
    /// The request's identifier in logs.
    public var id: String
    public var now: UnixTime

    public init(
        endpoint: Endpoint,
        method: String,
        path: String = "/",
        query: String? = nil,
        isSecure: Bool = true,
        isSchemeKnown: Bool = true,
        authority: String,
        fields: Fields = Fields(),
        presentedToken: PresentedToken? = nil,
        furtherTokens: [PresentedToken] = [],
        body: [UInt8] = [],
        clientAddress: [UInt8] = [],
        clientCertificateThumbprint: [UInt8]? = nil,
        id: String = "",
        now: UnixTime
    ) {
        self.endpoint = endpoint
        self.method = method
        self.path = path
        self.query = query
        self.isSecure = isSecure
        self.isSchemeKnown = isSchemeKnown
        self.authority = authority
        self.fields = fields
        self.presentedToken = presentedToken
        self.furtherTokens = furtherTokens
        self.body = body
        self.clientAddress = clientAddress
        self.clientCertificateThumbprint = clientCertificateThumbprint
        self.id = id
        self.now = now
    }

    /// The origin of the request's URL (RFC 6454), without a trailing slash.
    public var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }
}

/// A token as presented in a request.
public struct PresentedToken: Sendable, Equatable {
    public var token: String
    /// The cookie that it came in; nil for other sources, which browsers do not fill by themselves.
    public var cookie: String?

    public init(token: String, cookie: String? = nil) {
        self.token = token
        self.cookie = cookie
    }
}

extension EndpointRequest {
    /// Whether a window opens it as a page, by what browsers say of it (Fetch Metadata, sections 2.1 and 2.2). A script that
    /// somebody has got into a page of this host would read what only the person may see: the token of a form, or a code.
    var isOpened: Bool {
        (fields.secFetchMode ?? "navigate") == "navigate" && (fields.secFetchDest ?? "document") == "document"
    }
}
