import IdentityProvider
import Tenants

/// Notes on a request that the gateway answers itself, or checks before it goes on.
extension Explanation {
    /// - Parameter query: Of the request, which begins with `?` if there is one.
    func note(_ endpoint: Endpoint, of runtime: TenantRuntime, query: Range<Int>, _ bytes: Span<UInt8>) {
        let tenant = runtime.tenant
        let lines = tenant.lines
        if runtime.forwardsSignIns(endpoint) {
            note(
                .endpoint,
                "the path is a sign-in's (\(endpoint.words)): the gateway checks the body, which is not looked at "
                    + "here, before it goes on; no rule of access is asked",
                line: lines["sign_in"]
            )
            return
        }
        note(
            .endpoint,
            "the gateway answers this path itself (\(endpoint.words)): no rule of access is asked, and the backend does "
                + "not see it",
            line: endpoint.takesSignals ? lines["signals"] : lines["sign_in"] ?? lines["issuer"]
        )
        if let issuer = tenant.issuer {
            let text = bytes.extracting(query).withUnsafeBufferPointer { Array($0.drop { $0 == UInt8(ascii: "?") }) }
            note(endpoint, at: issuer, lines, query: text)
        }
        if endpoint.takesSignals { noteSenders(tenant) }
        if let signIn = tenant.signIn { noteSignIn(endpoint, signIn, tenant) }
        noteEvents(endpoint)
    }

    private func note(_ endpoint: Endpoint, at issuer: BuiltInIssuer, _ lines: KeyLines, query: [UInt8]) {
        switch endpoint {
        case .authorize:
            let request = AuthorizationRequestExplanation(query, at: issuer)
            note(.endpoint, request.singleSignOn, line: lines["issuer.single_sign_on"] ?? lines["issuer"])
            if let client = request.client {
                note(.endpoint, client, line: lines["issuer.clients"] ?? lines["issuer"])
            }
        case .jwks:
            let keys = ["keys_dir", "key", "key_file", "key_files"].first { lines["issuer.\($0)"] != nil }
            let source =
                issuer.hasStoredKeys
                ? "made by the gateway and kept in the store" : "the operator's own (\(keys ?? "keys_dir or key"))"
            note(
                .endpoint,
                "the issuer's keys are \(source)",
                line: keys.flatMap { lines["issuer.\($0)"] } ?? lines["issuer"]
            )
        case .token:
            note(.endpoint, issuer.refreshExplanation, line: lines["issuer.refresh_rotation"] ?? lines["issuer"])
            let clients = issuer.clients.map {
                "\($0.id) by \($0.authMethods.map(\.rawValue).joined(separator: " or "))"
            }
            note(.endpoint, "clients authenticate: \(Self.list(clients))", line: lines["issuer.clients"])
        default: break
        }
        if endpoint.endsSessions { noteLogouts(issuer, lines, isInBrowser: endpoint == .logout) }
    }

    /// The clients that are told when a session of theirs ends.
    private func noteLogouts(_ issuer: BuiltInIssuer, _ lines: KeyLines, isInBrowser: Bool) {
        var told = issuer.clients.compactMap { client in
            client.backChannelLogout.map { "\(client.id) at \(Self.host(of: $0.uri)) (back-channel)" }
        }
        if isInBrowser {
            told += issuer.clients.compactMap { client in
                client.frontChannelLogoutURI.map { "\(client.id) at \(Self.host(of: $0)) (front-channel)" }
            }
        }
        guard !told.isEmpty else { return }
        note(
            .events,
            "clients that are told when a session of theirs ends: \(Self.list(told))",
            line: lines["issuer.clients"]
        )
    }

    /// From whom a tenant takes logout tokens and security events, and where.
    private func noteSenders(_ tenant: Tenant) {
        var (senders, known) = ([String](), Set<TrustedSender.Role>())
        for sender in tenant.trustedSenders {
            let role =
                switch sender.role {
                case .issuer: "a trusted issuer"
                case .provider(let provider): "the sign-in provider \(provider.rawValue)"
                case .transmitter: "an entry of signals"
                }
            // Google has several forms of its name: with and without the scheme, and with a slash at the end of its events.
            if case .provider = sender.role, !known.insert(sender.role).inserted { continue }
            senders.append("\(sender.policy.issuer) as \(role)")
        }
        let prefix = tenant.pathPrefix ?? ""
        note(
            .endpoint,
            "signals are taken at \(prefix)\(SignalPath.signals.rawValue), logout tokens at "
                + "\(prefix)\(SignalPath.backChannelLogout.rawValue), from: \(Self.list(senders))",
            line: tenant.lines["signals"] ?? tenant.lines["authenticate.issuers"]
        )
    }

    /// The events that requests at an endpoint can lead to, and who is told of them.
    private func noteEvents(_ endpoint: Endpoint) {
        guard let events else { return }
        let types = endpoint.eventTypes.filter(events.types.contains).map(\.rawValue)
        guard !types.isEmpty else { return }
        note(.events, "\(Self.host(of: events.url)) is told, if it comes to that: \(types.joined(separator: ", "))")
    }

    /// That a refusal is an event, if it is.
    package func noteRefusalEvent() {
        guard let events, events.types.contains(.refused) else { return }
        note(.events, "\(Self.host(of: events.url)) is told of refusals, once a second at most: refused")
    }

    /// Host and port of a URL, without what may be secret.
    private static func host(of url: String) -> String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return shown(String(authority.split(separator: "@").last ?? authority))
    }
}

extension BuiltInIssuer {
    fileprivate var refreshExplanation: String {
        switch refreshRotation {
        case .enforce: "a used refresh token is replaced, and its late use ends the session (refresh_rotation: enforce)"
        case .log: "a used refresh token is replaced, and its late use is only logged (refresh_rotation: log)"
        case .off: "a used refresh token stays the same (refresh_rotation: off)"
        }
    }
}

extension Endpoint {
    fileprivate var takesSignals: Bool { self == .signals || self == .backChannelLogout }

    /// Whether a request can end sessions of the tenant's own issuer.
    fileprivate var endsSessions: Bool {
        eventTypes.contains(.signedOut) || eventTypes.contains(.revoked) || eventTypes.contains(.deleted)
    }

    /// What requests there can lead to.
    fileprivate var eventTypes: [EventType] {
        switch self {
        case .appleExchange, .googleExchange, .namedExchange, .webCallback: [.signedIn, .linked]
        case .appleCallback, .googleCallback, .namedCallback: [.signedIn, .linked]
        case .passkeySignIn: [.signedIn]
        case .token: [.signedIn, .refreshed, .revoked]
        case .sessionRefresh: [.refreshed, .revoked]
        case .sessionLogout, .logout: [.signedOut]
        case .accountPage: [.signedOut, .revoked, .linked]
        case .revoke, .backChannelLogout, .signals: [.revoked]
        case .appleNotifications, .accountDeletion: [.revoked, .deleted]
        case .webLogin, .sessionValidate, .sessionMe, .passkeyScript, .deletionReceipt, .discovery, .jwks, .authorize,
            .introspect, .userInfo:
            []
        }
    }
}
