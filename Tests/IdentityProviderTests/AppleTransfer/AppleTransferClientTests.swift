import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// How Apple is asked: how often, how fast, and what its refusals mean.
struct AppleTransferClientTests {
    private let apple = PretendAppleTransfer()

    @Test func accessTokenIsUsedUntilItExpires() async throws {
        let client = try apple.client()
        #expect(try await client.transferSubject(of: "u", to: "T") == "T-u")
        #expect(try await client.transferSubject(of: "v", to: "T") == "T-v")
        #expect(apple.tokens == 1)
        apple.pass(3541)
        _ = try await client.transferSubject(of: "w", to: "T")
        #expect(apple.tokens == 2)
        // One that was withdrawn.
        apple.answerFirst(.json([:], status: 401))
        _ = try await client.transferSubject(of: "x", to: "T")
        #expect(apple.tokens == 3)
    }

    @Test func requestsRestAsLongAsAppleAsks() async throws {
        let client = try apple.client()
        try await client.signIn()
        let busy = ProviderResponse(status: 429, body: [], retryAfterSeconds: 17)
        apple.answerFirst(.success(busy), .failure(.timeout), .text("", status: 503))
        #expect(try await client.transferSubject(of: "u", to: "T") == "T-u")
        #expect(apple.rests == [17, 2, 4])
    }

    @Test func retryAfterIsBounded() async throws {
        let client = try apple.client()
        try await client.signIn()
        let forever = ProviderResponse(status: 429, body: [], retryAfterSeconds: 100_000)
        let negative = ProviderResponse(status: 429, body: [], retryAfterSeconds: -5)
        apple.answerFirst(.success(forever), .success(negative))
        _ = try await client.transferSubject(of: "u", to: "T")
        #expect(apple.rests == [300])
    }

    @Test func appleThatStaysAwayEndsTheRun() async throws {
        let client = try apple.client()
        let down = ScriptedRequests.Outcome.failure(.unreachable)
        apple.answerFirst(down, down, down, down, down, down, down, down)
        await #expect(throws: AppleTransferProblem.unavailable) { try await client.signIn() }
        #expect(apple.rests.count == 7)
    }

    @Test(arguments: [
        (ScriptedRequests.Outcome.json(["error": "invalid_request"], status: 400), AppleTransferProblem.unknownUser),
        (.json(["error": "unauthorized_client"], status: 403), .refusedClient("unauthorized_client")),
        (.json(["error": "two words"], status: 400), .refusedClient("another error")),
        (.text("<html>", status: 200), .garbled), (.json(["transfer_sub": 1]), .garbled), (.json([:]), .garbled),
        (.text("", status: 302), .garbled), (.text("", status: 404), .unknownUser),
    ])
    func refusalSaysWhatToDo(_ outcome: ScriptedRequests.Outcome, _ problem: AppleTransferProblem) async throws {
        let client = try apple.client()
        try await client.signIn()
        apple.answerFirst(outcome)
        await #expect(throws: problem) { try await client.transferSubject(of: "u", to: "T") }
    }

    @Test func keyThatIsNoneIsReported() {
        let team = AppleTransferClient.Team(clientID: "c", teamID: "t", keyID: "k", key: Secret("no PEM"))
        #expect(throws: AppleTransferProblem.unusableKey) {
            try AppleTransferClient(team, audience: "a", tokenURL: "https://a.example/token", requests: apple)
        }
        #expect(!"\(team)".contains("no PEM"))
    }

    // MARK: Runs

    private func repository(_ count: Int) async throws -> AccountRepository {
        let repository = AccountFixture.repository(MemoryStore.still)
        for index in 0..<count { _ = try await repository.enter(AccountFixture.apple("u\(index)", email: nil)) }
        return repository
    }

    private func before(_ repository: AccountRepository, atOnce: Int = 4) async throws -> AppleTransferCounts {
        let client = try apple.client(PretendAppleTransfer.oldTeam)
        let step = AppleTransferRun.Step.before(recipient: PretendAppleTransfer.newTeam)
        return try await AppleTransferRun(step, of: repository, client: client, atOnce: atOnce).run()
    }

    @Test func noMoreAreAskedAtOnceThanAllowed() async throws {
        let repository = try await repository(30)
        #expect(try await before(repository, atOnce: 3).done == 30)
        #expect(apple.mostAtOnce <= 3)
    }

    @Test func refusedClientEndsTheRunBeforeAnybodyIsAsked() async throws {
        apple.refuseClient()
        let repository = try await repository(3)
        await #expect(throws: AppleTransferProblem.refusedClient("invalid_client")) { try await before(repository) }
        #expect(apple.asked == 0)
    }

    /// A wrong team or client makes Apple refuse one user after another.
    @Test func refusalOfEverybodyEndsTheRun() async throws {
        let repository = try await repository(60)
        for index in 0..<60 { apple.forget("u\(index)") }
        await #expect(throws: AppleTransferProblem.self) { try await before(repository) }
        #expect(apple.asked < 30)
    }

    @Test func runThatAppleBreaksOffGoesOnLater() async throws {
        let repository = try await repository(10)
        let client = try apple.client(PretendAppleTransfer.oldTeam)
        try await client.signIn()
        apple.answerFirst(.json(["transfer_sub": "t-0"]), .json(["error": "invalid_scope"], status: 403))
        let step = AppleTransferRun.Step.before(recipient: PretendAppleTransfer.newTeam)
        await #expect(throws: AppleTransferProblem.refusedClient("invalid_scope")) {
            try await AppleTransferRun(step, of: repository, client: client, atOnce: 1).run()
        }
        let again = try await before(repository)
        #expect(again.earlier == 1 && again.done == 9)
    }
}
