import GRPCCore
import NIOPosix
import Testing
import Verification

@testable import ExtAuthzMessages

extension RealClients {
    /// The gRPC listener, without an Envoy in between.
    @Suite struct ExtAuthzDirectTests {
        @Test func callerFieldsAreSetAndCopiesRemoved() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withExtAuthzClient(fixture) { client async throws in
                    let fields = [
                        "authorization": "Bearer \(try fixture.token(role: nil))", "x-user-id": "root",
                        "x_user_role": "admin",
                    ]
                    let response = try await client.check(ExtAuthzClient.question("/private", fields))
                    #expect(response.status.code == 0)
                    let headers = response.okResponse.headers
                    #expect(headers.map { "\($0.header.key): \($0.header.value)" } == ["X-User-Id: alice"])
                    #expect(headers.map(\.appendAction) == [.overwriteIfExistsOrAdd])
                    let removed = response.okResponse.headersToRemove
                    #expect(Set(removed).isSuperset(of: ["X-User-Role", "x_user_role", "Authorization"]))
                    #expect(!removed.contains { $0.lowercased() == "x-user-id" })
                }
            }
        }

        @Test func refusalIsPassedToClient() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withExtAuthzClient(fixture) { client async throws in
                    let missing = try await client.check(ExtAuthzClient.question("/private"))
                    #expect(missing.status.code == 16)
                    #expect(missing.deniedResponse.status.code.rawValue == 401)
                    let fields = missing.deniedResponse.headers.map { "\($0.header.key): \($0.header.value)" }
                    #expect(fields.contains("WWW-Authenticate: Bearer realm=\"app\""))
                    #expect(try jsonLine(missing.deniedResponse.body)["code"] == "missing_token")
                    let bearer = ["authorization": "Bearer \(try fixture.token())"]
                    let forbidden = try await client.check(ExtAuthzClient.question("/admin/x", bearer))
                    #expect(forbidden.status.code == 7)
                    #expect(forbidden.deniedResponse.status.code == .forbidden)
                    #expect(try jsonLine(forbidden.deniedResponse.body)["code"] == "insufficient_role")
                }
            }
        }

        @Test func queryWithoutRequestIsRefused() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withExtAuthzClient(fixture) { client async throws in
                    let response = try await client.check(Envoy_Service_Auth_V3_CheckRequest())
                    #expect(response.deniedResponse.status.code == .badRequest)
                }
            }
        }

        @Test func untrustedPeerGetsNoDecision() async throws {
            try await withExtAuthzGateway(trusting: "10.0.0.0/8") { fixture async throws in
                try await withExtAuthzClient(fixture) { client async throws in
                    let bearer = ["authorization": "Bearer \(try fixture.token())"]
                    let error = await #expect(throws: RPCError.self) {
                        _ = try await client.check(ExtAuthzClient.question("/private", bearer))
                    }
                    #expect(error?.code == .permissionDenied)
                }
            }
        }

        @Test func queriesShareConnectionsAndEventLoops() async throws {
            try await withExtAuthzGateway { fixture async throws in
                let token = try fixture.token()
                try await withExtAuthzClient(fixture) { client async throws in
                    let codes = try await withThrowingTaskGroup(of: (Bool, Int32).self) { group in
                        for number in 0..<400 {
                            group.addTask {
                                let isGood = number % 3 != 0
                                let fields = isGood ? ["authorization": "Bearer \(token)"] : [:]
                                let question = ExtAuthzClient.question("/private/\(number)", fields)
                                return (isGood, try await client.check(question).status.code)
                            }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    #expect(codes.count == 400)
                    #expect(codes.allSatisfy { $0.1 == ($0.0 ? 0 : 16) })
                }
            }
        }

        @Test func accessLogNamesQueriedRequestAndClient() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withExtAuthzClient(fixture) { client async throws in
                    var question = ExtAuthzClient.question("/private?q=secret", ["x-forwarded-for": "192.0.2.1"])
                    question.attributes.request.http.headers["authorization"] = "Bearer \(try fixture.token())"
                    #expect(try await client.check(question).status.code == 0)
                    // The proxy in front of Envoy is trusted, and so its header is used.
                    question.attributes.source.address.socketAddress.address = "127.0.0.1"
                    question.attributes.request.http.headers["authorization"] = nil
                    #expect(try await client.check(question).status.code == 16)
                }
                let lines = try await fixture.shutdown()
                let sorted = lines.sorted { ($0["remote"]?.string ?? "") > ($1["remote"]?.string ?? "") }
                #expect(sorted.map { $0["remote"]?.string } == ["203.0.113.7", "192.0.2.1"])
                #expect(sorted.map { $0["path"]?.string } == ["/private", "/private"])
                #expect(sorted.map { $0["outcome"]?.string } == ["granted", "missing_token"])
                #expect(sorted.map { $0["subject"]?.string } == ["alice", nil])
                #expect(sorted.map { $0["protocol"]?.string } == ["HTTP/2", "HTTP/2"])
            }
        }

        @Test func shutdownEndsListener() async throws {
            try await withExtAuthzGateway { fixture async throws in
                try await withExtAuthzClient(fixture) { client async throws in
                    #expect(try await client.check(ExtAuthzClient.question("/open/anyone")).status.code == 0)
                    try await fixture.shutdown()
                }
                let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                await #expect(throws: (any Error).self) {
                    _ = try await bootstrap.connect(host: "127.0.0.1", port: fixture.port).get()
                }
            }
        }
    }
}
