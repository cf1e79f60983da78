import Demo
import TestSupport
import Testing
import Verification

/// Somebody who signs in again and again, and records what the gateway has acknowledged.
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

    /// What was acknowledged until the gateway was gone.
    func signInUntilTheEnd() async -> Acknowledged {
        var books = Acknowledged()
        for turn in 0... {
            do {
                try await signIn(turn, &books)
            } catch {
                break
            }
        }
        return books
    }

    /// An exchange, its refreshing, a code that is redeemed and one that is not.
    private func signIn(_ turn: Int, _ books: inout Acknowledged) async throws {
        let app = instance.app()
        let user = ProviderUser(subject: "\(name)-\(turn)", email: "\(name)-\(turn)@example.com")
        let session = try await scene.signIn(user, nonce: "\(name)-\(turn)", at: instance)
        books.exchanged.append(session)
        note(&books)
        for isRedeemed in [true, false] {
            let code = try await Browser(app).code(Acknowledged.client, at: scene.standIn, as: user)
            books.codes.append(code)
            note(&books)
            if isRedeemed { try await redeem(code, app, &books) }
        }
        // If there is no answer any more, the token may have been used or not, and has to be good for another try.
        let renewed = try SignedIn(try await instance.renew(session.refresh))
        books.exchanged[books.exchanged.count - 1] = renewed
        note(&books)
    }

    private func redeem(_ code: String, _ app: AppClient, _ books: inout Acknowledged) async throws {
        // Whether it was used is not known until there is an answer.
        books.codes.removeLast()
        let form = Acknowledged.client.tokenForm(code)
        let answer = try await app.post(Acknowledged.client.tokenPath, form: form)
        books.redeemed.append((form, try SignedIn(answer)))
        note(&books)
    }

    private func note(_ books: inout Acknowledged) {
        books.count += 1
        acknowledged.put(())
    }
}

/// What a gateway has said it did.
struct Acknowledged: Sendable {
    static let client = ClientSignIn.games

    /// Sessions with the tokens they had last.
    var exchanged: [SignedIn] = []
    /// Codes that nobody has presented.
    var codes: [String] = []
    /// Codes that were used, as the form that was sent, and what they gave.
    var redeemed: [(form: String, session: SignedIn)] = []
    /// How many acknowledgements there were.
    var count = 0

    /// Expects that all of it is so.
    ///
    /// - Returns: The sessions that go on, with the tokens they have now.
    func expectAll(at instance: Instance) async throws -> [SignedIn] {
        let app = instance.app()
        var sessions: [SignedIn] = []
        for session in exchanged + redeemed.map(\.session) {
            #expect(try await instance.status(of: session.access) == 200)
        }
        for session in exchanged { sessions.append(try SignedIn(try await instance.renew(session.refresh))) }
        for code in codes {
            let form = Self.client.tokenForm(code)
            sessions.append(try SignedIn(try await app.post(Self.client.tokenPath, form: form)))
        }
        for (form, session) in redeemed {
            let refresh = Self.client.refreshForm(session.refresh)
            let renewed = try SignedIn(try await app.post(Self.client.tokenPath, form: refresh))
            let again = try await app.post(Self.client.tokenPath, form: form)
            #expect(again.json?["error"] == "invalid_grant", "that the code was used is not forgotten")
            #expect(try await instance.refuses(renewed.access, host: SignInScene.host))
        }
        return sessions
    }
}
