import Synchronization
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Apple, as two teams see it while an app moves from one to the other.
final class PretendAppleTransfer: ProviderRequests {
    static let tokenURL = "https://appleid.example/auth/token"
    static let usersURL = "https://appleid.example/auth/usermigrationinfo"
    static let oldTeam = "A1B2C3D4E5"
    static let newTeam = "B7C8D9E0F1"

    private struct State {
        /// Responses that come before any other.
        var first: [ScriptedRequests.Outcome] = []
        var received: [(url: String, fields: FormFields, bearer: String?)] = []
        var unknown: Set<String> = []
        var refusesClient = false
        var atOnce = 0
        var mostAtOnce = 0
        var tokens = 0
    }

    private let state = Mutex(State())
    private let time = Mutex(AccountFixture.start)
    private let pauses = Mutex<[Double]>([])

    var asked: Int { state.withLock { $0.received.count { $0.url == Self.usersURL } } }
    var tokens: Int { state.withLock { $0.tokens } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    /// Seconds of each rest.
    var rests: [Double] { pauses.withLock { $0 } }
    var now: UnixTime { time.withLock { $0 } }

    func answerFirst(_ outcomes: ScriptedRequests.Outcome...) { state.withLock { $0.first += outcomes } }
    func forget(_ subject: String) { state.withLock { _ = $0.unknown.insert(subject) } }
    func refuseClient() { state.withLock { $0.refusesClient = true } }
    func pass(_ seconds: Double) { time.withLock { $0 = $0 + seconds } }

    /// A client of a team, whose rests pass at once.
    func client(_ team: String = PretendAppleTransfer.newTeam) throws -> AppleTransferClient {
        let key = try #require(TestKeys.p256?.privateKeyPEM)
        return try AppleTransferClient(
            AppleTransferClient.Team(clientID: "com.example.chat", teamID: team, keyID: "K", key: Secret(key)),
            audience: "https://appleid.example",
            tokenURL: Self.tokenURL,
            requests: self,
            now: { self.now },
            sleep: { duration in
                let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
                self.pauses.withLock { $0.append(seconds) }
                self.pass(seconds)
            }
        )
    }

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        let outcome = state.withLock { state -> ScriptedRequests.Outcome in
            state.atOnce += 1
            state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
            guard let fields = try? FormFields(request.body) else { return .failure(.garbled) }
            let bearer = request.fields.first { $0.name == "Authorization" }?.value
            state.received.append((request.url, fields, bearer))
            if !state.first.isEmpty { return state.first.removeFirst() }
            return respond(request.url, fields, bearer, &state)
        }
        // Others get their turn.
        await Task.yield()
        state.withLock { $0.atOnce -= 1 }
        return try outcome.get()
    }

    private func respond(
        _ url: String,
        _ fields: FormFields,
        _ bearer: String?,
        _ state: inout State
    ) -> ScriptedRequests.Outcome {
        guard fields["client_id"] == "com.example.chat", fields["client_secret"]?.isEmpty == false,
            !state.refusesClient
        else { return .json(["error": "invalid_client"], status: 400) }
        if url == Self.tokenURL {
            guard fields["grant_type"] == "client_credentials", fields["scope"] == "user.migration" else {
                return .json(["error": "invalid_scope"], status: 400)
            }
            state.tokens += 1
            return .json(["access_token": .string("t-\(state.tokens)"), "expires_in": 3600, "token_type": "Bearer"])
        }
        guard bearer == "Bearer t-\(state.tokens)" else { return .json([:], status: 401) }
        if let subject = fields["sub"], let target = fields["target"], !state.unknown.contains(subject) {
            return .json(["transfer_sub": .string("\(target)-\(subject)")])
        }
        if let transfer = fields["transfer_sub"], transfer.hasPrefix(Self.newTeam), !state.unknown.contains(transfer) {
            let subject = "new-\(transfer.dropFirst(Self.newTeam.count + 1))"
            return .json([
                "sub": .string(subject), "email": .string("\(subject)@privaterelay.appleid.com"),
                "is_private_email": true,
            ])
        }
        return .json(["error": "invalid_request"], status: 400)
    }
}
