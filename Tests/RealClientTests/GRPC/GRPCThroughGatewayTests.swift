import GRPCCore
import Testing

/// grpc-swift on both sides of the gateway: streams, trailers, flow control and cancellation pass unchanged, and a call
/// without a valid token does not pass.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct GRPCThroughGatewayTests {
    @Test(arguments: GRPCRoute.allCases)
    func unaryCallIsEchoed(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ async throws in
            #expect(try await client.say([1, 2, 3]).message == [1, 2, 3])
            #expect(try await client.say([]).message == [])
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func messagesOfFourMebibytesPassBothWays(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ async throws in
            // A pattern whose period divides neither frames nor windows: a part that is lost, repeated or moved shows.
            let message = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 % 251) }
            let response = try await client.say(message).message
            // Compared on its own, so that a failure does not print eight million numbers.
            let isSame = response == message
            #expect(isSame)
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func eachMessageIsAnsweredBeforeNextIsSent(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ async throws in
            let messages = (0..<100).map { Array("message \($0)".utf8) }
            #expect(try await client.talk(messages) == messages)
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func thousandMessagesArriveInOrder(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ async throws in
            #expect(try await client.count(1000) == Array(0..<1000))
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func statusTravelsInTrailers(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ async throws in
            let failure = try await client.fail()
            #expect(failure.code == .permissionDenied)
            #expect(failure.message == "not for you")
            #expect(failure.trailers.texts("fail-reason") == ["a whim"])
            #expect(failure.headers != nil, "the status is in the response headers, or nothing came")
            #expect(failure.headers?.texts("fail-reason") == [])
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func statusTravelsWithoutTrailers(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ async throws in
            let failure = try await client.refuse()
            #expect(failure.code == .failedPrecondition)
            #expect(failure.message == "not now")
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func callsShareConnectionWithoutMixing(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ async throws in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let message = Array(repeating: UInt8(number), count: 1 + number * 1000)
                        return try await client.say(message).message == message
                    }
                }
                for try await isSame in group { #expect(isSame) }
            }
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func cancellationReachesServer(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, server async throws in
            let (echoes, echo) = AsyncStream.makeStream(of: [UInt8]?.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { echo.finish() }
                    try await client.converse(EchoMethod.hold) { conversation in
                        conversation.send([7])
                        echo.yield(try await conversation.receive())
                        // Nothing more arrives: the call is open until it is cancelled.
                        _ = try await conversation.receive()
                    }
                }
                try #require(await echoes.first { _ in true } == [7])
                group.cancelAll()
                #expect(await server.log.nextCancellation() == EchoMethod.hold.method)
            }
            // The connection outlives the call.
            #expect(try await client.say([8]).message == [8])
        }
    }

    @Test func deadlineReachesServerAndEndsCall() async throws {
        try await withEcho { client, server async throws in
            let echo = try await client.converse(within: .seconds(3600)) { conversation in
                conversation.send([9])
                return try await conversation.receive()
            }
            #expect(echo == [9])
            #expect(server.log.calls.first?.metadata.texts("grpc-timeout").count == 1)
            // The server sends nothing before it receives a message: this call cannot end in another way, even on a
            // slow machine.
            let error = await #expect(throws: RPCError.self) {
                try await client.converse(within: .milliseconds(200)) { conversation in
                    _ = try await conversation.receive()
                }
            }
            #expect(error?.code == .deadlineExceeded)
        }
    }

    // MARK: Identity

    @Test func identityHeaderArrivesWhateverClientClaims() async throws {
        try await withGRPCGateway { fixture in
            var endpoint = fixture.endpoint
            endpoint.fields = ["x-user-id": "mallory", "note": "kept"]
            try await withGRPCEchoClient(endpoint) { client in
                let response = try await client.say([1])
                #expect(response.headers.texts("echo-x-user-id") == [GRPCGateway.subject])
                #expect(response.trailers.texts("echo-x-user-id") == [GRPCGateway.subject])
                #expect(response.headers.texts("echo-authorization") == ["Bearer \(endpoint.token ?? "")"])
            }
            let call = fixture.server.log.calls.first?.metadata
            #expect(call?.texts("x-user-id") == [GRPCGateway.subject])
            #expect(call?.texts("note") == ["kept"])
            // Servers other than this one refuse a call without it, for then trailers would not come back.
            #expect(call?.texts("te") == ["trailers"])
        }
    }

    @Test(arguments: [nil, "not-a-token"] as [String?])
    func callWithoutGoodTokenIsUnauthenticated(_ token: String?) async throws {
        try await withGRPCGateway { fixture in
            var endpoint = fixture.endpoint
            endpoint.token = token
            try await withGRPCEchoClient(endpoint) { client in
                let error = await #expect(throws: RPCError.self) { try await client.say([1]) }
                #expect(error?.code == .unauthenticated)
                #expect(error?.message == (token == nil ? "missing_token" : "invalid_token"))
                // One with unfinished messages is refused too, without waiting for their end.
                let refused = await #expect(throws: RPCError.self) { try await client.talk([[1], [2]]) }
                #expect(refused?.code == .unauthenticated)
            }
            #expect(fixture.server.log.calls.isEmpty)
        }
    }

    @Test func callToUnknownAuthorityReachesNoBackend() async throws {
        try await withGRPCGateway { fixture in
            var endpoint = fixture.endpoint
            endpoint.authority = "elsewhere.test"
            try await withGRPCEchoClient(endpoint) { client in
                let error = await #expect(throws: RPCError.self) { try await client.say([1]) }
                #expect(error?.code == .unimplemented)
                #expect(error?.message == "unknown_host")
            }
            #expect(fixture.server.log.calls.isEmpty)
        }
    }

    private func withEcho(
        _ route: GRPCRoute = .plaintext,
        _ test: (GRPCEchoClient, GRPCEchoServer) async throws -> Void
    ) async throws {
        try await withGRPCGateway(route) { fixture in
            try await withGRPCEchoClient(fixture.endpoint) { client in try await test(client, fixture.server) }
        }
    }
}
