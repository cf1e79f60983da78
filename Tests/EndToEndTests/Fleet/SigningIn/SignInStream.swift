import Demo
import NIOCore
import Synchronization
import TestSupport
import Testing
import Verification

/// People who sign in at one of two instances and use and refresh their tokens at the other, one after the other and in
/// both directions at once.
final class SignInStream: Sendable {
    private struct State: Sendable {
        var isOver = false
        var signers: Set<String> = []
        var complaints: [String] = []
        var people = 0
    }

    private let scene: SignInScene
    private let instances: [Instance]
    private let turns = Mailbox<Void>("a sign-in of the stream")
    private let state = Mutex(State())

    init(_ scene: SignInScene, _ first: Instance, _ second: Instance) {
        self.scene = scene
        instances = [first, second]
    }

    /// IDs of the keys that signed.
    var signers: Set<String> { state.withLock { $0.signers } }

    /// What went wrong.
    var complaints: [String] { state.withLock { $0.complaints } }

    func end() { state.withLock { $0.isOver = true } }

    /// Waits until both directions have begun.
    func begun() async throws { try await goOn(turns: 4) }

    func goOn(turns count: Int) async throws {
        for _ in 0..<count { try await turns.next() }
    }

    /// Goes on until ``end()``, or until a person's tokens of both instances are signed by `keyID`, within the patience
    /// of a test.
    func walk(until keyID: String? = nil) async throws {
        let end = NIODeadline.now() + .patience + .patience
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (home, away) in [(0, 1), (1, 0)] {
                group.addTask {
                    while !Task.isCancelled, !self.state.withLock({ $0.isOver }), NIODeadline.now() < end {
                        let signers = try await self.person(self.instances[home], self.instances[away])
                        self.turns.put(())
                        if signers == [keyID] { return }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// - Returns: IDs of the keys that signed for this person.
    private func person(_ home: Instance, _ away: Instance) async throws -> Set<String?> {
        let number = state.withLock { state in
            state.people += 1
            return state.people
        }
        // Each person has an e-mail address.
        let address = "X-Forwarded-For: 198.18.\(number / 250).\(number % 250 + 1)"
        let user = ProviderUser(subject: "person-\(number)", email: "person-\(number)@example.com")
        let identity = try scene.identity(user, nonce: "person-\(number)")
        let session = try GivenTokens(try await home.app().post(SignInScene.path, json: identity, fields: [address]))
        try await use(session, at: [away, home])
        let renewed = try GivenTokens(try await away.renew(session.refresh, fields: [address]))
        try await use(renewed, at: [home, away])
        return [session.keyID, renewed.keyID]
    }

    private func use(_ session: GivenTokens, at instances: [Instance]) async throws {
        state.withLock { _ = $0.signers.insert(session.keyID ?? "") }
        for instance in instances {
            let status = try await instance.status(of: session.access)
            let isPublished = try await instance.publishedKeyIDs().contains(session.keyID ?? "")
            guard status != 200 || !isPublished else { continue }
            let complaint = "\(status) for a token of \(session.keyID ?? "nobody"), published: \(isPublished)"
            state.withLock { $0.complaints.append(complaint) }
        }
    }
}
