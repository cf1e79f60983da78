import Logging
import Tenants
import TokenSigning
import Verification

/// The endpoints of a tenant's OpenID issuer, except those with pages: discovery, keys, tokens, revocation,
/// introspection, user info and logout.
struct IssuerEndpoints: Sendable {
    private static let own: Set<Endpoint> = [.discovery, .jwks, .token, .revoke, .introspect, .userInfo, .logout]
    /// For responses that are the same for all clients: a key is published long before it signs.
    private static let cachedByAll = "public, max-age=300"
    /// For responses that contain the requested host and port: a shared cache would give one client's to others.
    private static let cachedByClient = "private, max-age=300"

    private let context: SignInContext
    private let issuer: BuiltInIssuer
    private let keys: any IssuerKeys
    private let token: TokenEndpoint
    private let revocation: RevocationEndpoint
    private let introspection: IntrospectionEndpoint
    private let userInfo: UserInfoEndpoint
    private let logout: LogoutEndpoint

    /// - Parameters:
    ///   - verifier: For the issuer's own tokens.
    /// - Returns: Nil for a tenant without its own issuer.
    init?(
        _ context: SignInContext,
        codes: AuthorizationCodes,
        verifier: OwnTokenVerifier,
        counts: SignInCounts = SignInCounts()
    ) {
        guard let issuer = context.tenant.issuer, let sessions = context.sessions, let keys = context.keys else {
            return nil
        }
        self.context = context
        self.issuer = issuer
        self.keys = keys
        let clients = ClientAuthentication(
            clients: issuer.clients,
            realm: context.tenant.name,
            assertions: ClientAssertions(
                issuer,
                of: context.tenant,
                store: context.store,
                keys: context.clientKeys
            ),
            limits: context.limits,
            logger: context.logger
        )
        let possession = PossessionChecks(context)
        let tokens = OwnTokens(context: context, sessions: sessions, verifier: verifier, possession: possession)
        token = TokenEndpoint(
            context: context,
            sessions: sessions,
            codes: codes,
            clients: clients,
            tokens: tokens,
            possession: possession
        )
        revocation = RevocationEndpoint(context: context, sessions: sessions, tokens: tokens, clients: clients)
        introspection = IntrospectionEndpoint(tokens: tokens, clients: clients)
        userInfo = UserInfoEndpoint(context: context, tokens: tokens)
        logout = LogoutEndpoint(
            context: context,
            sessions: sessions,
            tokens: tokens,
            issuer: issuer,
            singleSignOn: SingleSignOn(context, counts: counts)
        )
    }

    /// - Returns: 404 for any other endpoint.
    func respond(to request: EndpointRequest) async -> EndpointResult {
        let methods = request.endpoint.methods
        guard Self.own.contains(request.endpoint) else { return .response(EndpointResponse(status: 404)) }
        guard methods.contains(request.method) else {
            let allow = EndpointResponse.Field("Allow", methods.joined(separator: ", "))
            return OAuthError(.invalidRequest, status: 405, "the method is not allowed", fields: [allow]).result
        }
        do throws(OAuthError) {
            return try await checked(request)
        } catch {
            return error.result
        }
    }

    private func checked(_ request: EndpointRequest) async throws(OAuthError) -> EndpointResult {
        switch request.endpoint {
        case .discovery:
            published(
                DiscoveryDocument(
                    issuer: issuer,
                    origin: request.origin,
                    proof: context.tenant.proof,
                    hasPasskeys: context.tenant.signIn?.passkeys != nil
                ).object,
                Self.cachedByClient
            )
        case .jwks: try await published(keySet(), Self.cachedByAll)
        case .token: try await token.respond(to: request)
        case .revoke: try await revocation.respond(to: request)
        case .introspect: try await introspection.respond(to: request)
        case .userInfo: try await userInfo.respond(to: request)
        case .logout: await logout.respond(to: request)
        // Handled elsewhere.
        case .backChannelLogout, .signals, .appleExchange, .googleExchange, .namedExchange, .namedCallback,
            .appleNotifications, .webLogin,
            .webCallback, .sessionRefresh, .sessionValidate, .sessionMe, .sessionLogout, .authorize, .appleCallback,
            .googleCallback, .accountPage, .passkeyScript, .passkeySignIn, .accountDeletion, .deletionReceipt:
            .response(EndpointResponse(status: 404))
        }
    }

    private func keySet() async throws(OAuthError) -> JSONObject {
        do throws(SigningProblem) {
            return try await keys.published().document
        } catch {
            context.logger.error(
                "the issuer has no keys to publish",
                metadata: ["tenant": "\(context.tenant.name)", "error": "\(error)"]
            )
            throw .keysUnavailable
        }
    }

    private func published(_ object: JSONObject, _ caching: String) -> EndpointResult {
        .response(
            EndpointResponse(
                status: 200,
                fields: [
                    EndpointResponse.Field("Content-Type", "application/json"),
                    EndpointResponse.Field("Cache-Control", caching),
                ],
                body: JSONWriter.bytes(of: object)
            )
        )
    }
}
