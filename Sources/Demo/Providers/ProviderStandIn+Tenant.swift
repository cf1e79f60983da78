public import Tenants

extension ProviderStandIn {
    /// Makes the stand-in the Apple and Google of a tenant, and registers the tenant's clients here. It has to be
    /// started.
    ///
    /// A cookie sign-in with Google uses the addresses of `sign_in.google`: a tenant without that section is unchanged.
    public func apply(to tenant: inout Tenant) {
        guard var signIn = tenant.signIn else { return }
        let url = url
        if var apple = signIn.apple {
            apple.issuer = appleIssuer
            apple.keys.location = .keySet(url: "\(url)/apple/auth/keys")
            apple.authorizeURL = "\(url)/apple/auth/authorize"
            apple.tokenURL = "\(url)/apple/auth/token"
            apple.revokeURL = "\(url)/apple/auth/revoke"
            apple.web?.privateKey = Secret(appleP8)
            signIn.apple = apple
        }
        if var google = signIn.google {
            // As at Google, with and without the scheme.
            google.issuers = [googleIssuer, String(googleIssuer.dropFirst("http://".count))]
            google.keys.location = .keySet(url: "\(url)/google/certs")
            google.userInfoURL = "\(url)/google/userinfo"
            google.tokenInfoURL = "\(url)/google/tokeninfo"
            google.authorizeURL = "\(url)/google/auth"
            google.tokenURL = "\(url)/google/token"
            google.revokeURL = "\(url)/google/revoke"
            signIn.google = google
        }
        tenant.signIn = signIn
        register(tenant, signIn)
    }

    private func register(_ tenant: Tenant, _ signIn: SignIn) {
        let base = (tenant.issuer?.basePath ?? "") + "/oauth2/callback"
        state.withLock { state in
            if let web = signIn.apple?.web {
                let client = AppleClient(teamID: web.teamID, keyID: web.keyID)
                state.add(client, web.clientID, tenant.hosts, "\(base)/apple")
                // Its apps, which have codes without a redirect URI.
                for id in signIn.apple?.clientIDs ?? [] { state.add(client, id) }
                if let own = signIn.web, own.provider == .apple, let id = own.clientID {
                    state.add(client, id, tenant.hosts, own.callback.description)
                }
                if let own = signIn.web, own.provider == nil {
                    state.add(client, web.clientID, tenant.hosts, own.callback(of: .apple))
                }
            }
            if let web = signIn.google?.web {
                let client = GoogleClient(secret: web.clientSecret.bytes)
                state.add(client, web.clientID, tenant.hosts, "\(base)/google")
                if let own = signIn.web, own.provider == nil {
                    state.add(client, web.clientID, tenant.hosts, own.callback(of: .google))
                }
            }
            if let own = signIn.web, own.provider == .google, let id = own.clientID {
                let client = GoogleClient(secret: own.clientSecret?.bytes)
                state.add(client, id, tenant.hosts, own.callback.description)
            }
        }
    }
}

extension StandInState {
    fileprivate mutating func add(_ client: AppleClient, _ id: String) {
        if appleClients[id] == nil { appleClients[id] = client }
    }

    fileprivate mutating func add(_ client: AppleClient, _ id: String, _ hosts: [HostPattern], _ path: String) {
        let redirectTargets = hosts.map { RedirectTarget(host: $0, path: path) }
        appleClients[id, default: client].redirectTargets += redirectTargets
    }

    fileprivate mutating func add(_ client: GoogleClient, _ id: String, _ hosts: [HostPattern], _ path: String) {
        let redirectTargets = hosts.map { RedirectTarget(host: $0, path: path) }
        googleClients[id, default: client].redirectTargets += redirectTargets
    }
}
