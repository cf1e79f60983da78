import TestSupport
import Testing
import Verification

/// Which server a request goes to.
@Suite struct BalancingTests {
    // MARK: round_robin

    @Test func tenServersGetEqualShares() async throws {
        try await withFleet(10) { fixture, fleet async throws in
            let client = try await fixture.connect()
            for _ in 0..<250 {
                try await client.send(fixture.head("/open/x"))
                #expect(try await client.response().status == 200)
            }
            #expect(fleet.counts == [Int](repeating: 25, count: 10))
        }
    }

    @Test func sharesAreByWeight() async throws {
        let weights = Array(1...10)
        let sum = weights.reduce(0, +)
        try await withFleet(10, "balance: round_robin", weights: weights) { fixture, fleet async throws in
            let client = try await fixture.connect()
            for number in 1...(5 * sum) {
                try await client.send(fixture.head("/open/x"))
                #expect(try await client.response().status == 200)
                guard number % sum == 0 else { continue }
                // Turns are spread out: nobody is ever ahead or behind by two.
                for (count, weight) in zip(fleet.counts, weights) {
                    #expect(abs(count - weight * number / sum) < 2, "\(fleet.counts) after \(number)")
                }
            }
            #expect(fleet.counts.reduce(0, +) == 5 * sum)
        }
    }

    @Test func turnsOfAHeavyServerAreSpreadOut() async throws {
        try await withFleet(3, weights: [6, 1, 1]) { fixture, _ async throws in
            var order = ""
            for _ in 0..<40 { order += try await fixture.request("/open/x").body.text }
            // Six turns of eight. Where in the eight the others have theirs is a matter of chance, and then stays so.
            #expect(order.count { $0 == "0" } == 30)
            for light in ["1", "2"] as [Character] {
                let turns = order.enumerated().filter { $0.element == light }.map(\.offset)
                #expect(zip(turns, turns.dropFirst()).allSatisfy { $1 - $0 == 8 }, "\(order)")
            }
        }
    }

    // MARK: least_requests

    @Test func aServerThatHangsIsLeftAloneWhileAnotherIsIdle() async throws {
        let taken = Mailbox<Int>("a request at a server")
        let release = Gate("the hanging server answers")
        let script = { (place: Int) in
            BackendScript { exchange in
                try await exchange.body()
                taken.put(place)
                if place == 0 { try await release.passed() }
                try await exchange.sendOK("\(place)")
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

    @Test func idleServersShareByWeight() async throws {
        try await withFleet(2, "balance: least_requests", weights: [1, 3]) { fixture, fleet async throws in
            let client = try await fixture.connect()
            for _ in 0..<400 {
                try await client.send(fixture.head("/open/x"))
                _ = try await client.response()
            }
            // 100 expected; seven standard deviations of a fair draw.
            #expect(abs(fleet.counts[0] - 100) < 61, "\(fleet.counts)")
        }
    }

    // MARK: hash:subject

    /// The server that answers each subject.
    private func homes(_ fixture: GatewayFixture, _ subjects: [String]) async throws -> [String: String] {
        var homes: [String: String] = [:]
        for subject in subjects {
            let response = try await fixture.request("/x", token: try fixture.token(["sub": .string(subject)]))
            #expect(response.status == 200)
            homes[subject] = response.body.text
        }
        return homes
    }

    @Test func aSubjectStaysWithItsServer() async throws {
        let subjects = (0..<40).map { "user-\($0)" }
        try await withFleet(4, "balance: hash:subject") { fixture, fleet async throws in
            let first = try await homes(fixture, subjects)
            #expect(Set(first.values).count == 4)
            #expect(try await homes(fixture, subjects) == first)

            // With a server gone only its subjects move, and they move to more than one.
            await fleet.servers[2].stop()
            let second = try await homes(fixture, subjects)
            let moved = subjects.filter { first[$0] != second[$0] }
            #expect(Set(moved) == Set(subjects.filter { first[$0] == "2" }))
            #expect(try await homes(fixture, subjects) == second)
        }
    }

    @Test func whoIsNotSignedInIsSpread() async throws {
        try await withFleet(4, "balance: hash:subject") { fixture, fleet async throws in
            for _ in 0..<200 { #expect(try await fixture.request("/open/x").status == 200) }
            // 50 each expected; seven standard deviations of a fair draw.
            #expect(fleet.counts.allSatisfy { abs($0 - 50) < 43 }, "\(fleet.counts)")
        }
    }
}
