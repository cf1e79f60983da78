import Synchronization
import TestSupport
import Testing
import Verification

/// While requests flow at all instances, subjects are revoked one after the other. What each client sees is judged by
/// what was known before it asked and after it was answered.
@Suite struct RevokingUnderLoadTests {
    private static let instances = 3
    private static let subjects = 200

    /// How far the revocation of a subject is, at each instance.
    private enum Stage: Equatable {
        case free
        /// It was asked for, and may or may not be in force.
        case under
        /// It was acknowledged here, or seen in force here.
        case inForce
    }

    private final class Books: Sendable {
        private let state = Mutex(
            (
                stages: Array(repeating: Array(repeating: Stage.free, count: instances), count: subjects),
                wrong: [String](), refusals: 0, welcomes: 0, isOver: false
            )
        )

        var isOver: Bool { state.withLock { $0.isOver } }
        var wrong: [String] { state.withLock { $0.wrong } }
        var refusals: Int { state.withLock { $0.refusals } }
        var welcomes: Int { state.withLock { $0.welcomes } }

        func end() { state.withLock { $0.isOver = true } }

        func begin(_ subject: Int) {
            state.withLock { $0.stages[subject] = Array(repeating: .under, count: instances) }
        }

        func inForce(_ subject: Int, at instance: Int) { state.withLock { $0.stages[subject][instance] = .inForce } }

        func stage(_ subject: Int, at instance: Int) -> Stage { state.withLock { $0.stages[subject][instance] } }

        func judge(_ isRefused: Bool, _ subject: Int, at instance: Int, knownBefore: Stage) {
            state.withLock { state in
                if isRefused { state.refusals += 1 } else { state.welcomes += 1 }
                if isRefused, state.stages[subject][instance] == .free {
                    state.wrong.append("\(subject) was refused at \(instance) and never revoked")
                } else if !isRefused, knownBefore == .inForce {
                    state.wrong.append("\(subject) got in at \(instance) after the revocation was in force there")
                }
            }
        }
    }

    @Test func nobodyRevokedGetsInAndNobodyElseIsRefused() async throws {
        let books = Books()
        try await RedisServer.run { server in
            try await withInstances { fleet in
                var all: [Instance] = []
                for _ in 0..<Self.instances { all.append(try await fleet.start(server.url)) }
                let tokens = try fleet.tokens(of: (0..<Self.subjects).map { "subject-\($0)" })
                try await withThrowingTaskGroup { group in
                    for (place, instance) in all.enumerated() {
                        for seed in 0..<2 {
                            group.addTask {
                                let random = SplitMix64(seed: UInt64(place * 2 + seed))
                                try await Self.flow(at: instance, place, tokens, random, books)
                            }
                        }
                    }
                    // Whatever happens here, the flow has to end.
                    defer { books.end() }
                    try await Self.revokeAll(at: all, tokens, books)
                    // All over again, with the flow still on: nobody comes back.
                    for (place, instance) in all.enumerated() {
                        for token in tokens { #expect(try await instance.refuses(token), "at \(place)") }
                    }
                    books.end()
                    try await group.waitForAll()
                }
                #expect(books.wrong == [])
                #expect(books.refusals > 0 && books.welcomes > 0, "the flow must have seen both")
            }
        }
    }

    private static func revokeAll(at all: [Instance], _ tokens: [String], _ books: Books) async throws {
        for (subject, token) in tokens.enumerated() {
            let told = subject % all.count
            books.begin(subject)
            try await expectRevoked(["subject": .string("subject-\(subject)")], by: all[told])
            books.inForce(subject, at: told)
            for (place, instance) in all.enumerated() where place != told {
                try await instance.awaitRefusal(of: token)
                books.inForce(subject, at: place)
            }
        }
    }

    /// One client after the other on one connection, each some subject.
    private static func flow(
        at instance: Instance,
        _ place: Int,
        _ tokens: [String],
        _ generator: SplitMix64,
        _ books: Books
    ) async throws {
        var generator = generator
        let client = RawClient(try await Wire.connect(to: instance.address))
        while !books.isOver {
            let subject = Int.random(in: tokens.indices, using: &generator)
            let before = books.stage(subject, at: place)
            try await client.send(
                "GET /x HTTP/1.1\r\nHost: app.test\r\nAuthorization: Bearer \(tokens[subject])\r\n\r\n"
            )
            let status = try await client.response().status
            guard status == 200 || status == 401 else { throw Malformed("\(status)") }
            books.judge(status == 401, subject, at: place, knownBefore: before)
        }
        await client.close()
    }
}
