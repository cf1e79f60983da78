import CommandSupport
import Demo
import Verification

/// Does what the buttons of the start page say, through the gateway as any client.
struct TrialRunner: Sendable {
    let sessions: DemoSessions
    let tokens: DemoTokens
    let admin: DemoAdminAPI
    /// Reports stolen accounts.
    let signals: SignalStandIn
    /// Had signed people in to the clans app before.
    let former: FormerIssuer
    let tokensFile: String?

    func run(_ trial: Trial, of app: SampleAppName, telling events: TrialEvents) async {
        let client = TrialApp(app: app, port: sessions.gateway.port)
        do {
            switch trial {
            case .signIn: _ = try await signIn(client, events)
            case .call: try await call(client, try await session(of: client, events), events)
            case .callWithoutToken:
                let request = client.call(nil)
                try await exchange(request, "A call without a token", client.curl(.none), client, events)
            case .expire: try await expire(client, events)
            case .revoke: try await revoke(client, events)
            case .signal: try await signal(client, events)
            case .adopt: try await adopt(client, events)
            case .flood: try await flood(client, events)
            }
        } catch let failure as CommandFailure {
            events.failure(failure.description)
        } catch {
            events.failure("the demo could not do that: \(error)")
        }
        if let session = await state(of: app) { events.session(session) }
    }

    /// The session of an app as the page shows it: `{ app, state, expires_at }`; nil before the first sign-in.
    func state(of app: SampleAppName) async -> JSONObject? {
        guard let session = await tokens.session(of: app), let state = await tokens.state(of: app) else { return nil }
        let claims = try? UnverifiedToken(Array(session.accessToken.utf8)).claims()
        return [
            "app": .string(app.rawValue), "state": .string(state.rawValue), "expires_at": claims?["exp"] ?? .null,
        ]
    }
}

/// The single trials.
extension TrialRunner {
    private func signIn(_ client: TrialApp, _ events: TrialEvents) async throws -> SampleSession {
        let request = try client.signIn(sessions.providers)
        // Apple's tokens work once: the line for the shell has another one.
        let curl = client.curlToSignIn(try client.signIn(sessions.providers))
        let response = try await exchange(request, "Sign in", curl, client, events)
        guard let session = client.session(signedInBy: response) else {
            throw CommandFailure("the sign-in was answered without tokens: try again in a moment")
        }
        try await tokens.set(session, of: client.app)
        return session
    }

    private func call(_ client: TrialApp, _ session: SampleSession, _ events: TrialEvents) async throws {
        let response = try await exchange(
            client.call(session),
            "A call with my token",
            client.curl(.current),
            client,
            events
        )
        try await keep(session, refreshedBy: response, client, events)
    }

    private func expire(_ client: TrialApp, _ events: TrialEvents) async throws {
        let session = try await session(of: client, valid: true, events)
        let token = try sessions.expired(session.accessToken, of: client.app)
        let expired = SampleSession(accessToken: token, refreshToken: session.refreshToken)
        events.note("My token is replaced by one that expired an hour ago.")
        let response = try await exchange(
            client.call(expired),
            "A call with my expired token",
            client.curl(.expired),
            client,
            events
        )
        try await keep(session, refreshedBy: response, client, events)
        // A line for the shell may have used the last one up.
        try await tokens.setExpired(
            sessions.begin(client.app, role: nil, expiredFor: DemoSessions.hour),
            of: client.app
        )
    }

    private func revoke(_ client: TrialApp, _ events: TrialEvents) async throws {
        let session = try await session(of: client, valid: true, events)
        let request = admin.revocation(of: session.accessToken, tenant: client.app.rawValue)
        events.request(request, title: "Revoke my token, at the admin API", curl: client.curlToRevoke(request))
        let response = try await TrialClient.send(request, to: admin.address)
        events.response(response)
        guard response.status == 200 else { throw CommandFailure("the token was not revoked") }
        await tokens.setRevoked(client.app)
        try await exchange(client.call(session), "The next call", client.curl(.current), client, events)
    }

    private func signal(_ client: TrialApp, _ events: TrialEvents) async throws {
        let session = try await session(of: client, valid: true, events)
        let request = TrialRequest(
            method: "POST",
            host: client.host,
            path: "/.gatehouse/signals",
            fields: [("Content-Type", "application/secevent+jwt")],
            text: try signals.sessionRevoked(session.accessToken)
        )
        let title = "A provider reports that my session is over"
        let response = try await exchange(request, title, client.curlToSignal(request), client, events)
        guard response.status == 202 else { throw CommandFailure("the signal was not taken") }
        await tokens.setRevoked(client.app)
        try await exchange(client.call(session), "The next call", client.curl(.current), client, events)
    }

    private func adopt(_ client: TrialApp, _ events: TrialEvents) async throws {
        guard client.app.adoptsSessions else {
            throw CommandFailure("no other issuer has signed people in to \(client.app.rawValue) before")
        }
        events.note("The app had another issuer before, and I still have a token of that: it is in refresh.adopt.")
        let session = SampleSession(accessToken: try former.token())
        // A session brings another one once: the line for the shell has one of its own.
        let curl = client.curl(presenting: try former.token())
        let response = try await exchange(
            client.call(session),
            "A call with my token of before",
            curl,
            client,
            events
        )
        guard let new = client.session(session, refreshedBy: response) else {
            throw CommandFailure("the response brought no session: try again in a moment")
        }
        events.note("The response brought a token of the gateway's own issuer: I have a session there now, unasked.")
        try await tokens.set(new, of: client.app)
    }

    /// Asks for a new session where there is none, or none that is of use.
    func session(
        of client: TrialApp,
        valid: Bool = false,
        _ events: TrialEvents
    ) async throws -> SampleSession {
        let state = await tokens.state(of: client.app)
        if let session = await tokens.session(of: client.app), !valid || state == .valid { return session }
        events.note("My token was revoked, so I sign in again first.")
        return try await signIn(client, events)
    }

    private func keep(
        _ session: SampleSession,
        refreshedBy response: TrialResponse,
        _ client: TrialApp,
        _ events: TrialEvents
    ) async throws {
        guard let new = client.session(session, refreshedBy: response) else { return }
        events.note("A new token came with the response; the backend got the request with the new one.")
        try await tokens.set(new, of: client.app)
    }

    /// Sends a request through the gateway; its decision is asked for first, as the request may change it.
    @discardableResult
    private func exchange(
        _ request: TrialRequest,
        _ title: String,
        _ curl: String,
        _ client: TrialApp,
        _ events: TrialEvents
    ) async throws -> TrialResponse {
        events.request(request, title: title, curl: curl)
        events.decision(try await admin.explain(request, of: client.app.rawValue))
        let response = try await TrialClient.send(request, to: sessions.gateway)
        events.response(response)
        return response
    }
}
