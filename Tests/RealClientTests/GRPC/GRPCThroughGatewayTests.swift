import GRPCCore
import Testing

/// grpc-swift on both sides of the gateway: streams, trailers, flow control and cancellation pass as if it were not
/// there, and a call without a good token does not pass at all.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct GRPCThroughGatewayTests {
    @Test(arguments: GRPCRoute.allCases)
    func unaryCallIsEchoed(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ in try await GRPCEchoChecks.unaryCallIsEchoed(client) }
    }

    @Test(arguments: GRPCRoute.allCases)
    func messagesOfFourMebibytesPassBothWays(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ in
            try await GRPCEchoChecks.messagesOfFourMebibytesPassBothWays(client)
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func eachMessageIsAnsweredBeforeTheNextIsSent(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ in
            try await GRPCEchoChecks.eachMessageIsAnsweredBeforeTheNextIsSent(client)
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func thousandMessagesArriveInOrder(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ in try await GRPCEchoChecks.thousandMessagesArriveInOrder(client) }
    }

    @Test(arguments: GRPCRoute.allCases)
    func statusTravelsInTrailers(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ in try await GRPCEchoChecks.statusTravelsInTrailers(client) }
    }

    @Test(arguments: GRPCRoute.allCases)
    func statusTravelsWithoutTrailers(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ in try await GRPCEchoChecks.statusTravelsWithoutTrailers(client) }
    }

    @Test(arguments: GRPCRoute.allCases)
    func callsShareAConnectionWithoutMixing(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, _ in
            try await GRPCEchoChecks.callsShareAConnectionWithoutMixing(client)
        }
    }

    @Test(arguments: GRPCRoute.allCases)
    func cancellationReachesTheServer(_ route: GRPCRoute) async throws {
        try await withEcho(route) { client, server in
            try await GRPCEchoChecks.cancellationReachesTheServer(client, server)
        }
    }

    @Test func deadlineReachesTheServerAndEndsTheCall() async throws {
        try await withEcho { client, server in
            try await GRPCEchoChecks.deadlineReachesTheServerAndEndsTheCall(client, server)
        }
    }

    // MARK: Identity

    @Test func identityHeaderArrivesWhateverTheClientClaims() async throws {
        try await withGRPCGateway { fixture in
            var endpoint = fixture.endpoint
            endpoint.fields = ["x-user-id": "mallory", "note": "kept"]
            try await withGRPCEchoClient(endpoint) { client in
                let answer = try await client.say([1])
                #expect(answer.headers.texts("echo-x-user-id") == [GRPCGateway.subject])
                #expect(answer.trailers.texts("echo-x-user-id") == [GRPCGateway.subject])
                #expect(answer.headers.texts("echo-authorization") == ["Bearer \(endpoint.token ?? "")"])
            }
            let call = fixture.server.book.calls.first?.metadata
            #expect(call?.texts("x-user-id") == [GRPCGateway.subject])
            #expect(call?.texts("note") == ["kept"])
            // Servers other than this one refuse a call without it, for then trailers would not come back.
            #expect(call?.texts("te") == ["trailers"])
        }
    }

    @Test(arguments: [nil, "not-a-token"] as [String?])
    func callWithoutAGoodTokenIsUnauthenticated(_ token: String?) async throws {
        try await withGRPCGateway { fixture in
            var endpoint = fixture.endpoint
            endpoint.token = token
            try await withGRPCEchoClient(endpoint) { client in
                let error = await #expect(throws: RPCError.self) { try await client.say([1]) }
                #expect(error?.code == .unauthenticated)
                #expect(error?.message == (token == nil ? "missing_token" : "invalid_token"))
                // One with messages under way is refused too, without waiting for their end.
                let refused = await #expect(throws: RPCError.self) { try await client.talk([[1], [2]]) }
                #expect(refused?.code == .unauthenticated)
            }
            #expect(fixture.server.book.calls.isEmpty)
        }
    }

    @Test func callToAnUnknownAuthorityReachesNoBackend() async throws {
        try await withGRPCGateway { fixture in
            var endpoint = fixture.endpoint
            endpoint.authority = "elsewhere.test"
            try await withGRPCEchoClient(endpoint) { client in
                let error = await #expect(throws: RPCError.self) { try await client.say([1]) }
                #expect(error?.code == .unimplemented)
                #expect(error?.message == "unknown_host")
            }
            #expect(fixture.server.book.calls.isEmpty)
        }
    }

    private func withEcho(
        _ route: GRPCRoute = .plaintext,
        _ visit: (GRPCEchoClient, GRPCEchoServer) async throws -> Void
    ) async throws {
        try await withGRPCGateway(route) { fixture in
            try await withGRPCEchoClient(fixture.endpoint) { client in try await visit(client, fixture.server) }
        }
    }
}
