import HTTPTypes
import Hummingbird
import NIOCore
import NIOSSL
import Tenants

/// Requires an admin token with a scope that the endpoint needs, or a client certificate of an authority that the listener
/// trusts.
///
/// With a certificate, requests of pages of other sites are refused, since a browser sends its certificate for any page. On
/// loopback without token and certificate, requests for a Host other than this machine are refused too (DNS rebinding).
struct AdminAccess: RouterMiddleware {
    typealias Context = AdminContext

    let live: LiveConfiguration
    /// The settings at the start: TLS only changes with a restart.
    let settings: AdminSettings
    /// nil for a listener in plain text.
    let certificates: (any AdminCertificates)?
    let audit: AuditLog

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            let caller = try await caller(request, context)
            context.caller = caller
            try check(caller, request, context)
        } catch let problem as AdminProblem {
            audit.refused(problem, context)
            throw problem
        }
        return try await next(request, context)
    }

    /// Whether this client needs a token: there is one, and it has no client certificate.
    func needsToken(_ context: Context) async -> Bool {
        guard live.current.configuration.gateway.admin?.needsToken == true else { return false }
        guard settings.tls?.clientCAFile != nil else { return true }
        return (try? await context.channel.nioSSL_peerCertificate().get()) == nil
    }

    private func caller(_ request: Request, _ context: Context) async throws -> AdminCaller {
        let asksForCertificates = settings.tls?.clientCAFile != nil
        if asksForCertificates, let certificate = try await context.channel.nioSSL_peerCertificate().get() {
            // A browser sends its certificate for any page.
            guard !isOfAnotherSite(request) else {
                throw AdminProblem(.crossSiteRequest, "pages of other sites may not use your certificate")
            }
            let subject = certificates?.subject(of: certificate) ?? Array("unreadable".utf8)
            return .certificate(subject: String(decoding: subject, as: UTF8.self))
        }
        // A reload may have changed the tokens.
        guard let admin = live.current.configuration.gateway.admin, admin.needsToken else {
            guard !asksForCertificates else {
                throw AdminProblem(.missingToken, "show a client certificate of gateway.admin.tls.client_ca_file")
            }
            guard isForThisMachine(request) else {
                throw AdminProblem(
                    .crossSiteRequest,
                    "without gateway.admin.token, only requests from this machine to this machine are accepted"
                )
            }
            return .loopback
        }
        guard let sent = bearer(request) else {
            throw AdminProblem(.missingToken, "send the admin token as Authorization: Bearer")
        }
        guard let caller = Self.caller(Secret(sent), admin) else {
            throw AdminProblem(.invalidToken, "the token sent is none of gateway.admin")
        }
        return caller
    }

    /// Compares with every token, so that the time it takes says nothing of which is alike.
    private static func caller(_ sent: Secret, _ admin: AdminSettings) -> AdminCaller? {
        var caller: AdminCaller?
        for token in admin.tokens where token.token == sent { caller = AdminCaller(token) }
        if let token = admin.token, token == sent { caller = .token }
        return caller
    }

    /// - Throws: `insufficient_scope` if the caller lacks the scope that the endpoint needs. What is no endpoint needs none.
    private func check(_ caller: AdminCaller, _ request: Request, _ context: Context) throws(AdminProblem) {
        guard let path = context.endpointPath else { return }
        let needed = EndpointScopes.needed(request.method.rawValue, path)
        guard !caller.may(needed, tenant: context.parameters.get("name")) else { return }
        let needs = (needed.filter { $0 != .all } + [.all]).map(\.rawValue).joined(separator: " or ")
        throw AdminProblem(
            .insufficientScope,
            "\(caller.text) has \(caller.scopes.map(\.description).joined(separator: ", ")), but this needs \(needs): "
                + "use another token of gateway.admin, or allow it there"
        )
    }

    private func bearer(_ request: Request) -> String? {
        guard let value = request.headers[.authorization], value.lowercased().hasPrefix("bearer ") else { return nil }
        return String(value.dropFirst(7))
    }

    private func isOfAnotherSite(_ request: Request) -> Bool {
        if let site = request.headers[.secFetchSite], site != "same-origin", site != "none" { return true }
        guard let origin = request.headers[.origin] else { return false }
        let scheme = settings.tls == nil ? "http" : "https"
        return origin != "\(scheme)://\(request.head.authority ?? "")"
    }

    private func isForThisMachine(_ request: Request) -> Bool {
        guard let authority = request.head.authority, !isOfAnotherSite(request) else { return false }
        let host =
            authority.hasPrefix("[") ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        return HostPort(host: String(host), port: 0).isLoopback
    }
}

extension AdminSettings {
    /// Whether there is a token, so that a client without a certificate needs one.
    fileprivate var needsToken: Bool { token != nil || !tokens.isEmpty }
}

extension HTTPField.Name {
    fileprivate static var secFetchSite: Self { Self("Sec-Fetch-Site") ?? .origin }
}
