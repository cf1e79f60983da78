import Synchronization
import TestSupport
import Testing
import Verification

/// Subjects are revoked one after another under load. Each response is checked against what was known before the
/// request and after the response.
@Suite struct RevokingUnderLoadTests {
    private static let instances = 3
    private static let subjects = 200

    /// The progress of a subject's revocation at each instance.
    private enum Stage: Equatable {
        case free
        /// Requested; may or may not be in force.
        case under
        /// Acknowledged or seen in force here.
        case inForce
    }

    private final class Observations: Sendable {
        private let state = Mutex(
            (
                stages: Array(repeating: Array(repeating: Stage.free, count: instances), count: subjects),
                wrong: [String](), refusals: 0, acceptances: 0, isOver: false
            )
        )

        var isOver: Bool { state.withLock { $0.isOver } }
        var wrong: [String] { state.withLock { $0.wrong } }
        var refusals: Int { state.withLock { $0.refusals } }
        var acceptances: Int { state.withLock { $0.acceptances } }

        func end() { state.withLock { $0.isOver = true } }

        func begin(_ subject: Int) {
            state.withLock { $0.stages[subject] = Array(repeating: .under, count: instances) }
        }

        func inForce(_ subject: Int, at instance: Int) { state.withLock { $0.stages[subject][instance] = .inForce } }

        func stage(_ subject: Int, at instance: Int) -> Stage { state.withLock { $0.stages[subject][instance] } }

        func record(_ isRefused: Bool, _ subject: Int, at instance: Int, knownBefore: Stage) {
            state.withLock { state in
                if isRefused { state.refusals += 1 } else { state.acceptances += 1 }
                if isRefused, state.stages[subject][instance] == .free {
                    state.wrong.append("\(subject) was refused at \(instance) and never revoked")
                } else if !isRefused, knownBefore == .inForce {
                    state.wrong.append("\(subject) got in at \(instance) after the revocation was in force there")
                }
            }
        }
    }

    @Test func onlyRevokedSubjectsAreRefusedUnderLoad() async throws {
        let observations = Observations()
        try await RedisServer.run { server in
            try await withInstances { fleet in
                var all: [Instance] = []
                for _ in 0..<Self.instances { all.append(try await fleet.start(server.url)) }
                let tokens = try fleet.tokens(of: (0..<Self.subjects).map { "subject-\($0)" })
                try await withThrowingTaskGroup { group in
                    for (index, instance) in all.enumerated() {
                        for seed in 0..<2 {
                            group.addTask {
                                let random = SplitMix64(seed: UInt64(index * 2 + seed))
                                try await Self.flow(at: instance, index, tokens, random, observations)
                            }
                        }
                    }
                    // The load must end in any case.
                    defer { observations.end() }
                    try await Self.revokeAll(at: all, tokens, observations)
                    // Again under load: no revoked subject is accepted.
                    for (index, instance) in all.enumerated() {
                        for token in tokens { #expect(try await instance.refuses(token), "at \(index)") }
                    }
                    observations.end()
                    try await group.waitForAll()
                }
                #expect(observations.wrong == [])
                #expect(observations.refusals > 0 && observations.acceptances > 0, "the flow must have seen both")
            }
        }
    }

    private static func revokeAll(at all: [Instance], _ tokens: [String], _ observations: Observations) async throws {
        for (subject, token) in tokens.enumerated() {
            let target = subject % all.count
            observations.begin(subject)
            try await expectRevoked(["subject": .string("subject-\(subject)")], by: all[target])
            observations.inForce(subject, at: target)
            for (index, instance) in all.enumerated() where index != target {
                try await instance.awaitRefusal(of: token)
                observations.inForce(subject, at: index)
            }
        }
    }

    /// Requests of random subjects on one connection.
    private static func flow(
        at instance: Instance,
        _ index: Int,
        _ tokens: [String],
        _ generator: SplitMix64,
        _ observations: Observations
    ) async throws {
        var generator = generator
        let client = RawClient(try await Wire.connect(to: instance.address))
        while !observations.isOver {
            let subject = Int.random(in: tokens.indices, using: &generator)
            let before = observations.stage(subject, at: index)
            try await client.send(
                "GET /x HTTP/1.1\r\nHost: app.test\r\nAuthorization: Bearer \(tokens[subject])\r\n\r\n"
            )
            let status = try await client.response().status
            guard status == 200 || status == 401 else { throw Malformed("\(status)") }
            observations.record(status == 401, subject, at: index, knownBefore: before)
        }
        await client.close()
    }
}
