import Hummingbird
import Tenants
import Time
import Verification

/// The sign-in pages.
extension ProviderStandIn {
    /// Seconds for which a code is valid, as at Apple.
    private static let codeLifetime = 300.0

    /// The response that a signed-in user's browser brings back from an authorization URL, without a browser.
    ///
    /// - Parameter cancelling: Whether the user cancels.
    /// - Throws: The reason if the page would show an error.
    public func redirect(for authorizationURL: String, cancelling: Bool = false) throws -> ProviderRedirect {
        let query = authorizationURL.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let provider: SignIn.Provider = authorizationURL.hasPrefix("\(url)/apple/") ? .apple : .google
        let authorization = try authorization(String(query), at: provider)
        return cancelling ? refusal(of: authorization, at: provider) : consent(to: authorization, at: provider)
    }

    func authorize(_ request: Request, at provider: SignIn.Provider) -> Response {
        do throws(StandInRefusal) {
            let authorization = try authorization(request.uri.query ?? "", at: provider)
            let (user, atOnce) = state.withLock { ($0.users[provider], $0.skipsConsent) }
            let consent = consent(to: authorization, at: provider)
            if atOnce && !consent.isPost {
                return Response(status: .found, headers: [.location: consent.location, .cacheControl: "no-store"])
            }
            return StandInPage.signIn(
                provider,
                name: user?.name ?? "",
                consent: consent,
                refusal: refusal(of: authorization, at: provider),
                atOnce: atOnce
            )
        } catch {
            return StandInPage.problem(error)
        }
    }

    private func authorization(
        _ query: String,
        at provider: SignIn.Provider
    ) throws(StandInRefusal) -> ProviderAuthorizationRequest {
        let parameters = try FormParameters(query)
        let (apple, google) = state.withLock { ($0.appleClients, $0.googleClients) }
        return switch provider {
        case .apple: try ProviderAuthorizationRequest(parameters, appleClients: apple)
        case .google: try ProviderAuthorizationRequest(parameters, googleClients: google)
        case .named: throw .request("the stand-in is Apple and Google alone")
        }
    }

    /// A code, with the name at the first sign-in at Apple and with the issuer at Google (RFC 9207).
    private func consent(to authorization: ProviderAuthorizationRequest, at provider: SignIn.Provider)
        -> ProviderRedirect
    {
        let code = RandomText.make(bytes: 32)
        let expiresAt = now() + Self.codeLifetime
        return state.withLock { state in
            var fields = authorization.state.map { [(name: "state", value: $0)] } ?? []
            fields.append((name: "code", value: code))
            if let user = state.users[provider] {
                state.codes.insert(
                    IssuedCode(authorization: authorization, user: user, expiresAt: expiresAt),
                    for: code
                )
                if provider == .apple, state.sentNames["\(authorization.clientID) \(user.subject)"] == nil,
                    let text = user.appleField(authorization.scopes)
                {
                    fields.append((name: "user", value: text))
                }
            }
            if provider == .google {
                fields += [(name: "iss", value: state.googleIssuer), (name: "scope", value: authorization.scope)]
            }
            return ProviderRedirect(
                isPost: authorization.isPosted,
                url: authorization.redirectURI ?? "",
                fields: fields
            )
        }
    }

    private func refusal(of authorization: ProviderAuthorizationRequest, at provider: SignIn.Provider)
        -> ProviderRedirect
    {
        var fields = authorization.state.map { [(name: "state", value: $0)] } ?? []
        fields.append((name: "error", value: provider == .apple ? "user_cancelled_authorize" : "access_denied"))
        return ProviderRedirect(isPost: authorization.isPosted, url: authorization.redirectURI ?? "", fields: fields)
    }
}

extension ProviderUser {
    /// The unsigned field that Apple posts with the code; nil if nothing was requested.
    fileprivate func appleField(_ scopes: [String]) -> String? {
        var object = JSONObject()
        if scopes.contains("name") {
            object["name"] = ["firstName": .string(givenName), "lastName": .string(familyName)]
        }
        if scopes.contains("email") { object["email"] = .string(email) }
        return object.members.isEmpty ? nil : JSONWriter.text(of: .object(object))
    }
}
