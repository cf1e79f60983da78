import TestSupport
import Testing

/// A peer that does not read slows down the other one instead of filling the gateway's memory.
@Suite struct BackPressureTests {
    /// The most that two pairs of socket buffers and the gateway hold; the body is 64 MiB.
    private static let bound = 24 << 20

    @Test func clientThatDoesNotReadHoldsUpBackend() async throws {
        let large = LargeBody(pieces: 1024)
        try await withGateway(backend: large.sender) { fixture async throws in
            let client = try await fixture.connect(receiveBuffer: LargeBody.buffer)
            try await client.send(fixture.head("/open/large"))
            _ = try await fixture.backend.arrivals.next()
            try await fixture.ping(times: 400)
            #expect(large.accepted.value < Self.bound)
            large.expectWhole(try await client.response().body.bytes)
        }
    }

    @Test func backendThatDoesNotReadHoldsUpClient() async throws {
        let read = Gate("the backend reads")
        try await withGateway(backend: LargeBody.receiver(after: read)) { fixture async throws in
            let large = LargeBody(pieces: 1024)
            let client = try await fixture.connect()
            try await client.setSendBuffer(LargeBody.buffer)
            try await client.send(
                fixture.head("/open/large", method: "POST", fields: ["Content-Length: \(large.size)"])
            )
            async let sent: Void = large.pour { block, _ in try await client.send(block) }
            _ = try await fixture.backend.heads.next()
            try await fixture.ping(times: 400)
            #expect(large.accepted.value < Self.bound)
            read.open()
            try await sent
            #expect(try await client.response(to: "POST").status == 200)
            large.expectWhole(try #require(fixture.backend.requests.first { $0.method == "POST" }).body.bytes)
        }
    }

    @Test func pipelinedRequestsAreNotReadWithoutBound() async throws {
        let response = Gate("the backend answers")
        try await withGateway(backend: .ok(after: response, at: "/open/first")) { fixture async throws in
            let client = try await fixture.connect()
            let count = 2000
            try await client.send(fixture.head("/open/first"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<count { try await client.send(fixture.head("/open/\(number)")) }
                }
                _ = try await fixture.backend.arrivals.next()
                #expect(fixture.backend.requests.count == 1)
                response.open()
                for _ in 0...count { #expect(try await client.response().status == 200) }
                try await group.waitForAll()
            }
            #expect(fixture.backend.requests.dropFirst().map(\.target) == (0..<count).map { "/open/\($0)" })
        }
    }
}
