import GRPCCore
import Testing

/// The client and the server of the gRPC tests with nothing between them: what fails through the gateway and holds
/// here is the gateway's doing.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct GRPCDirectTests {
    @Test(arguments: [false, true])
    func unaryCallIsEchoed(tls: Bool) async throws {
        try await withEcho(tls: tls) { client, _ in try await GRPCEchoChecks.unaryCallIsEchoed(client) }
    }

    @Test(arguments: [false, true])
    func messagesOfFourMebibytesPassBothWays(tls: Bool) async throws {
        try await withEcho(tls: tls) { client, _ in
            try await GRPCEchoChecks.messagesOfFourMebibytesPassBothWays(client)
        }
    }

    @Test(arguments: [false, true])
    func eachMessageIsAnsweredBeforeTheNextIsSent(tls: Bool) async throws {
        try await withEcho(tls: tls) { client, _ in
            try await GRPCEchoChecks.eachMessageIsAnsweredBeforeTheNextIsSent(client)
        }
    }

    @Test(arguments: [false, true])
    func thousandMessagesArriveInOrder(tls: Bool) async throws {
        try await withEcho(tls: tls) { client, _ in try await GRPCEchoChecks.thousandMessagesArriveInOrder(client) }
    }

    @Test func statusTravelsInTrailers() async throws {
        try await withEcho { client, _ in try await GRPCEchoChecks.statusTravelsInTrailers(client) }
    }

    @Test func statusTravelsWithoutTrailers() async throws {
        try await withEcho { client, _ in
            try await GRPCEchoChecks.statusTravelsWithoutTrailers(client)
            #expect(try await client.refuse().headers == nil)
        }
    }

    @Test func callsShareAConnectionWithoutMixing() async throws {
        try await withEcho { client, _ in try await GRPCEchoChecks.callsShareAConnectionWithoutMixing(client) }
    }

    @Test func cancellationReachesTheServer() async throws {
        try await withEcho { client, server in
            try await GRPCEchoChecks.cancellationReachesTheServer(client, server)
        }
    }

    @Test func deadlineReachesTheServerAndEndsTheCall() async throws {
        try await withEcho { client, server in
            try await GRPCEchoChecks.deadlineReachesTheServerAndEndsTheCall(client, server)
        }
    }

    @Test func serverSaysWhichFieldsItSaw() async throws {
        try await withEcho(fields: ["x-user-id": "alice"]) { client, server in
            let answer = try await client.say([1])
            for fields in [answer.headers, answer.trailers, try await client.fail().trailers] {
                #expect(fields.texts("echo-x-user-id") == ["alice"])
                #expect(fields.texts("echo-authorization") == ["Bearer a-token"])
            }
            let calls = server.book.calls
            #expect(calls.map(\.method) == ["Say", "Fail"])
            #expect(calls.first?.metadata.texts("te") == ["trailers"])
        }
    }

    @Test func clientTrustsOnlyTheCertificateThatItIsGiven() async throws {
        let certificate = try GRPCCertificate.shared()
        try await withGRPCEchoServer(certificate: certificate) { server in
            let stranger = GRPCEndpoint(port: server.port, authority: "other.test", certificate: certificate)
            try await withGRPCEchoClient(stranger) { client in
                let error = await #expect(throws: RPCError.self) { try await client.say([1]) }
                #expect(error?.code == .unavailable)
            }
        }
    }

    private func withEcho(
        tls: Bool = false,
        fields: Metadata = [:],
        _ visit: (GRPCEchoClient, GRPCEchoServer) async throws -> Void
    ) async throws {
        let certificate = tls ? try GRPCCertificate.shared() : nil
        try await withGRPCEchoServer(certificate: certificate) { server in
            let endpoint = GRPCEndpoint(
                port: server.port,
                authority: GRPCCertificate.name,
                token: "a-token",
                certificate: certificate,
                fields: fields
            )
            try await withGRPCEchoClient(endpoint) { client in try await visit(client, server) }
        }
    }
}
