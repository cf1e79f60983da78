import Demo
import TestSupport
import Testing
import Verification

/// Signs in repeatedly and records what the gateway acknowledged.
struct SignInLog: Sendable {
    /// One for each acknowledgement.
    let acknowledged = Mailbox<Void>("an acknowledgement")
    private let scene: SignInScene
    private let instance: Instance
    private let name: String

    init(_ scene: SignInScene, _ instance: Instance, name: String) {
        self.scene = scene
        self.instance = instance
        self.name = name
    }

    /// All acknowledgements until the gateway was gone.
    func signInUntilTheEnd() async -> Acknowledged {
        var acknowledged = Acknowledged()
        for turn in 0... {
            do {
                try await signIn(turn, &acknowledged)
            } catch {
                break
            }
        }
        return acknowledged
    }

    /// An exchange, its refresh, a redeemed code and an unredeemed one.
    private func signIn(_ turn: Int, _ acknowledged: inout Acknowledged) async throws {
        let app = instance.app()
        let user = ProviderUser(subject: "\(name)-\(turn)", email: "\(name)-\(turn)@example.com")
        let session = try await scene.signIn(user, nonce: "\(name)-\(turn)", at: instance)
        acknowledged.exchanged.append(session)
        note(&acknowledged)
        for isRedeemed in [true, false] {
            let code = try await Browser(app).code(Acknowledged.client, at: scene.standIn, as: user)
            acknowledged.codes.append(code)
            note(&acknowledged)
            if isRedeemed { try await redeem(code, app, &acknowledged) }
        }
        // Without a response the token may be used or not, and must be valid for another attempt.
        let renewed = try GivenTokens(try await instance.renew(session.refresh))
        acknowledged.exchanged[acknowledged.exchanged.count - 1] = renewed
        note(&acknowledged)
    }

    private func redeem(_ code: String, _ app: AppClient, _ acknowledged: inout Acknowledged) async throws {
        // Without a response its use is unknown.
        acknowledged.codes.removeLast()
        let form = Acknowledged.client.tokenForm(code)
        let response = try await app.post(Acknowledged.client.tokenPath, form: form)
        acknowledged.redeemed.append((form, try GivenTokens(response)))
        note(&acknowledged)
    }

    private func note(_ acknowledged: inout Acknowledged) {
        acknowledged.count += 1
        self.acknowledged.put(())
    }
}

/// What a gateway acknowledged.
struct Acknowledged: Sendable {
    static let client = ClientSignIn.games

    /// Sessions with their latest tokens.
    var exchanged: [GivenTokens] = []
    /// Unused codes.
    var codes: [String] = []
    /// Used codes: the form that was sent, and the tokens.
    var redeemed: [(form: String, session: GivenTokens)] = []
    /// The number of acknowledgements.
    var count = 0

    /// Expects all of it to hold.
    ///
    /// - Returns: The sessions that go on, with the tokens they have now.
    func expectAll(at instance: Instance) async throws -> [GivenTokens] {
        let app = instance.app()
        var sessions: [GivenTokens] = []
        for session in exchanged + redeemed.map(\.session) {
            #expect(try await instance.status(of: session.access) == 200)
        }
        for session in exchanged { sessions.append(try GivenTokens(try await instance.renew(session.refresh))) }
        for code in codes {
            let form = Self.client.tokenForm(code)
            sessions.append(try GivenTokens(try await app.post(Self.client.tokenPath, form: form)))
        }
        for (form, session) in redeemed {
            let refresh = Self.client.refreshForm(session.refresh)
            let renewed = try GivenTokens(try await app.post(Self.client.tokenPath, form: refresh))
            let again = try await app.post(Self.client.tokenPath, form: form)
            #expect(again.json?["error"] == "invalid_grant", "that the code was used is not forgotten")
            #expect(try await instance.refuses(renewed.access, host: SignInScene.host))
        }
        return sessions
    }
}
