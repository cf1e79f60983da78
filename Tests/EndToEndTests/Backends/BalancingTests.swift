import TestSupport
import Testing
import Verification

/// Load balancing.
@Suite struct BalancingTests {
    // MARK: round_robin

    @Test func tenServersGetEqualShares() async throws {
        try await withFleet(10) { fixture, fleet async throws in
            let client = try await fixture.connect()
            for _ in 0..<250 {
                #expect(try await client.request(fixture.head("/open/x")).status == 200)
            }
            #expect(fleet.counts == [Int](repeating: 25, count: 10))
        }
    }

    // MARK: least_requests

    @Test func hangingServerGetsNothingWhileAnotherIsIdle() async throws {
        let taken = Mailbox<Int>("a request at a server")
        let release = Gate("the hanging server answers")
        let script = { (index: Int) in
            BackendScript { exchange in
                try await exchange.body()
                taken.put(index)
                if index == 0 { try await release.passed() }
                try await exchange.sendOK("\(index)")
            }
        }
        try await withFleet(2, "balance: least_requests", script: script) { fixture, fleet async throws in
            var hanging: RawClient?
            for _ in 0..<200 where hanging == nil {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/x"))
                if try await taken.next() == 0 { hanging = client } else { _ = try await client.response() }
            }
            let before = fleet.counts[1]
            for _ in 0..<40 { #expect(try await fixture.request("/open/x").body.text == "1") }
            #expect(fleet.counts == [1, before + 40])
            release.open()
            #expect(try await hanging?.response().body.text == "0")
        }
    }

    // MARK: hash:subject

    /// The server of each subject.
    private func homes(_ fixture: GatewayFixture, _ subjects: [String]) async throws -> [String: String] {
        var homes: [String: String] = [:]
        for subject in subjects {
            let response = try await fixture.request("/x", token: try fixture.token(["sub": .string(subject)]))
            #expect(response.status == 200)
            homes[subject] = response.body.text
        }
        return homes
    }

    @Test func subjectStaysWithItsServer() async throws {
        let subjects = (0..<40).map { "user-\($0)" }
        try await withFleet(4, "balance: hash:subject") { fixture, fleet async throws in
            let first = try await homes(fixture, subjects)
            #expect(Set(first.values).count == 4)
            #expect(try await homes(fixture, subjects) == first)

            // Without a server only its subjects move, and to more than one server.
            await fleet.servers[2].stop()
            let second = try await homes(fixture, subjects)
            let moved = subjects.filter { first[$0] != second[$0] }
            #expect(Set(moved) == Set(subjects.filter { first[$0] == "2" }))
            #expect(try await homes(fixture, subjects) == second)
        }
    }

    @Test func anonymousRequestsAreSpread() async throws {
        try await withFleet(4, "balance: hash:subject") { fixture, fleet async throws in
            for _ in 0..<200 { #expect(try await fixture.request("/open/x").status == 200) }
            // 50 each expected; seven standard deviations of a fair draw.
            #expect(fleet.counts.allSatisfy { abs($0 - 50) < 43 }, "\(fleet.counts)")
        }
    }
}
