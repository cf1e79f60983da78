import Counting
import HTTPCore
import Issuing
import Tenants
import Time
import Verification

/// A tenant as one event loop serves it: its values, its verifier with OpenSSL contexts, and what the journey would
/// otherwise work out a request.
final class TenantRuntime {
    /// Its place in the configuration; also the label's place in counters.
    let index: Int
    let tenant: Tenant
    let verifier: TokenVerifier
    /// The identity fields that a client may not send, and those that `headers.request` sets or removes, by the hash of
    /// their names.
    private let identityNames: [(hash: UInt32, name: String)]
    /// A bit for each name, chosen by its hash: tells nearly every other field off without a look at the names.
    private let identityMask: UInt64
    /// Without the trailing `/`; empty unless it is to be taken off.
    let strippedPrefix: [UInt8]
    /// What the gateway answers itself, or checks before the backend does.
    let endpoints: EndpointTable
    /// Whether the backend sees these without the token.
    let stripsAuthorization: Bool
    let stripsCookies: Bool
    /// Whether tokens are looked for among the subprotocols of WebSockets.
    let findsSubprotocols: Bool
    let stripsSubprotocols: Bool
    private let stripsTokenHeaders: Bool
    private let tokenHeaders: [(hash: UInt32, name: String)]
    /// Seconds that the costliest signature check of this tenant takes; nil where all are quick.
    let slowCheckCost: Double?
    let servers: BackendServers
    let retries: Retries
    let revocations: TenantRevocations
    /// Nil for a tenant without rate limits.
    let limits: TenantLimits?
    /// Nil for a tenant without CORS rules.
    let crossOrigin: CrossOriginSharing?
    let crossSite: CrossSiteGuard
    /// Nil for a tenant whose answers go out as they are.
    let answerRules: AnswerRules?
    /// What `headers.request` sets, each line with its CRLF.
    let setLines: [UInt8]
    /// Nil for a tenant that knows nothing of proofs of possession.
    let proving: TenantProving?
    /// A bit for each of the first places that tokens are looked for in: whether it is a cookie.
    private let cookiePlaces: UInt64
    /// The cookies with tokens that the backend gets to see; empty where no token comes from a place besides that any
    /// page can fill.
    let forwardedCookies: [TokenSource]
    /// Nil for a tenant that refuses opaque tokens.
    let introspecting: TenantIntrospecting?
    /// Nil for a tenant whose sessions are not refreshed.
    let refreshing: TenantRefreshing?
    /// Whether some of the backend's answers hold tokens to be kept.
    let capturesTokens: Bool
    /// Seconds for which an expired token may still be refreshed.
    let refreshGrace: Double
    /// By the place of an issuer in the policy: which of the loop's ``KeyQuestions`` its keys are; nil where nobody can
    /// be asked for them.
    let keySources: [Int?]
    /// Grows when keys change: what was verified before that is not to be remembered after it.
    private(set) var keyGeneration = 0
    /// Signature checks that are made beside the loop.
    var slowChecksUnderWay = 0
    /// Questions to its endpoints that are not answered yet.
    var questionsUnderWay = 0
    /// Its requests are served on no connection that did not show one.
    let needsClientCertificate: Bool

    /// - Parameters:
    ///   - revocations: Of the same tenant as it was served before; nil for one that is new.
    ///   - remoteKeySources: Of all tenants, each once.
    init(
        index: Int,
        tenant: Tenant,
        servers: BackendServers,
        revocations: TenantRevocations? = nil,
        remoteKeySources: [RemoteKeySource] = [],
        proofNonces: ProofNonces = ProofNonces(),
        limits: TenantLimits? = nil
    ) {
        self.index = index
        self.tenant = tenant
        self.servers = servers
        self.revocations = revocations ?? TenantRevocations(tenant)
        self.revocations.adopt(tenant)
        self.limits = limits
        crossOrigin = CrossOriginSharing(tenant)
        crossSite = CrossSiteGuard(tenant)
        answerRules = AnswerRules(tenant, crossOrigin)
        let changes = tenant.headers.request
        setLines = changes.set.flatMap { Array("\($0.name): ".utf8) + $0.value.bytes + Array("\r\n".utf8) }
        proving = TenantProving(tenant, nonces: proofNonces)
        cookiePlaces = tenant.authenticate.from.prefix(64).enumerated().reduce(0) { bits, source in
            if case .cookie = source.element { bits | 1 << UInt64(source.offset) } else { bits }
        }
        introspecting = tenant.introspection.map(TenantIntrospecting.init)
        refreshing = tenant.refresh.map { TenantRefreshing($0, tenant) }
        capturesTokens = tenant.refresh?.captures.isEmpty == false
        refreshGrace = tenant.refreshGrace.secondsAsDouble
        keySources = tenant.authenticate.keySources.map { source in
            guard case .remote(let remote) = source else { return nil }
            return remoteKeySources.firstIndex(of: remote)
        }
        needsClientCertificate = tenant.tls?.clientCAFile != nil
        retries = Retries(tenant.backend.retries)
        verifier = TokenVerifier(tenant.authenticate.policy)
        slowCheckCost = tenant.authenticate.policy.issuers.flatMap(\.algorithms).compactMap(\.slowCheckCost).max()
        endpoints = EndpointTable(tenant)
        // Whatever the tenant: a backend that several share must not believe the one with the weaker door.
        let identity = tenant.identity.headers.map(\.name) + CheckedSignIn.fieldNames
        let names = identity + changes.set.map(\.name) + changes.remove
        identityNames = names.map { (FieldLine.hash(ofName: $0), $0) }
        identityMask = identityNames.reduce(0) { $0 | 1 << UInt64($1.hash & 63) }
        strippedPrefix = tenant.stripPrefix ? Array((tenant.pathPrefix ?? "").utf8) : []
        let strips = tenant.identity.token == .strip
        let sources = tenant.authenticate.from
        stripsAuthorization = strips && sources.contains(.bearer)
        let cookies = sources.filter { if case .cookie = $0 { true } else { false } }
        stripsCookies = strips && !cookies.isEmpty
        let isOpen = sources.contains { !cookies.contains($0) && $0 != .bearer }
        forwardedCookies = strips || !isOpen ? [] : cookies
        stripsTokenHeaders = strips
        var tokenHeaders: [(hash: UInt32, name: String)] = sources.compactMap {
            guard case .header(let name) = $0, !WebSocketProtocols.isName(name) else { return nil }
            return (FieldLine.hash(ofName: name), name)
        }
        // A proof is of no use without its token, and goes the same way.
        if tenant.proof != nil { tokenHeaders.append((FieldLine.hash(ofName: ProofField.name), ProofField.name)) }
        self.tokenHeaders = tokenHeaders
        findsSubprotocols = sources.contains {
            if case .header(let name) = $0 { WebSocketProtocols.isName(name) } else { false }
        }
        stripsSubprotocols = strips && findsSubprotocols
    }

    /// Issuers whose keys come from `source` have these from now on.
    ///
    /// - Returns: Whether the tenant has such an issuer.
    func use(_ keys: KeySet?, from source: KeySource) -> Bool {
        let places = tenant.authenticate.keySources.indices.filter { tenant.authenticate.keySources[$0] == source }
        guard !places.isEmpty else { return false }
        for place in places { verifier.use(keys, ofIssuer: place) }
        keyGeneration += 1
        return true
    }

    /// Whether the place of a token source is a cookie.
    func isCookie(_ place: Int) -> Bool { place < 64 && cookiePlaces >> UInt64(place) & 1 == 1 }

    /// Whether requests for an endpoint go on to the backend once they are checked.
    func forwardsSignIns(_ endpoint: Endpoint) -> Bool {
        switch endpoint {
        case .appleExchange, .appleNotifications: tenant.signIn?.apple?.then == .forward
        case .googleExchange: tenant.signIn?.google?.then == .forward
        default: false
        }
    }

    /// Whether a request is one of `revoke_on`.
    func endsSession(method: Span<UInt8>, path: Span<UInt8>) -> Bool {
        for rule in tenant.revokeOn where rule.matches(method: method, path: path) { return true }
        return false
    }

    /// Whether the backend does not get to see a field because it holds a token, or could be taken by the backend for
    /// the one that does: an alias was not looked at.
    func isHiddenToken(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        (stripsTokenHeaders || field.isAlias) && isTokenHeader(field, bytes)
    }

    /// Whether a field has the name of a header that tokens are looked for in.
    func isTokenHeader(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        !tokenHeaders.isEmpty
            && tokenHeaders.contains { $0.hash == field.hash && bytes.isFieldName(field.name, equalTo: $0.name) }
    }

    /// Whether a field has the name of an identity header, or of one that is set or removed, in any case and with `_` for
    /// `-`.
    func isIdentityField(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        guard identityMask >> UInt64(field.hash & 63) & 1 == 1 else { return false }
        for identity in identityNames where identity.hash == field.hash {
            if bytes.isFieldName(field.name, equalTo: identity.name) { return true }
        }
        return false
    }
}

/// When a request may be made again.
struct Retries {
    let afterConnectFailure: Bool
    private let afterReset: Bool
    private let attempts: Int
    /// A bit a method.
    private let methods: Int

    init(_ rules: RetryRules) {
        afterConnectFailure = rules.afterConnectFailure
        afterReset = rules.afterReset
        attempts = rules.attempts
        methods = CountedMethod.allCases.reduce(0) { bits, method in
            // `other` is no method but all that are not counted apart.
            rules.methods.contains(method.label) && method != .other ? bits | 1 << method.rawValue : bits
        }
    }

    /// Whether a request that a server had may be made again if the connection breaks before an answer.
    func allows(_ method: CountedMethod, afterTries tries: Int) -> Bool {
        afterReset && tries < attempts && methods >> method.rawValue & 1 == 1
    }
}
