import Store

/// Sign-ins that go from the page to a provider by way of a path of ours: only there the provider's address is looked
/// for, so that one that does not answer keeps nobody from the others.
extension BrowserEndpoints {
    private static let parameter = "start"

    /// The path where the provider returns to, which also leads to it.
    func startURL(_ provider: any BrowserProvider, _ id: SignInID, _ leg: SignInTransaction.Leg) -> String {
        FormText.url(
            leg.redirectURI,
            adding: [(Self.parameter, SignInState(id: id, provider: provider.provider).text)]
        )
    }

    /// Leads the browser that began the sign-in to the provider.
    ///
    /// - Returns: Nil for a request that does not ask for that.
    func begins(
        _ request: EndpointRequest,
        at endpoint: CallbackEndpoint
    ) async throws(SignInProblem) -> EndpointResponse? {
        guard request.method == "GET", let fields = try? FormFields(try parameters(of: request)),
            let text = fields[Self.parameter]
        else { return nil }
        guard let state = SignInState(text), state.provider == endpoint.provider.provider else { throw .malformed }
        let stored = try await mappingErrors(SignInProblem.init) { () async throws(StoreError) in
            try await transactions.read(state.id, at: request.now)
        }
        guard let stored, let leg = endpoint.leg(of: stored.transaction) else { throw .over }
        guard leg.isReturned(to: request) else { throw .malformed }
        guard SignInBinding.find(stored.id, hash: stored.transaction.bindingHash, in: request) == .matching else {
            throw .otherBrowser
        }
        return .redirect(
            to: try await providerURL(
                endpoint.provider,
                stored.id,
                leg,
                of: stored.transaction,
                for: request
            )
        )
    }
}
