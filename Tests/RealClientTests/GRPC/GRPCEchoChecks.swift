import GRPCCore
import Testing

/// What holds of the echo however many hops a call takes: the direct tests and those through the gateway share it.
enum GRPCEchoChecks {
    static func unaryCallIsEchoed(_ client: GRPCEchoClient) async throws {
        #expect(try await client.say([1, 2, 3]).message == [1, 2, 3])
        #expect(try await client.say([]).message == [])
    }

    static func messagesOfFourMebibytesPassBothWays(_ client: GRPCEchoClient) async throws {
        // A pattern whose period divides neither frames nor windows: a piece lost, doubled or moved shows.
        let message = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 % 251) }
        let answer = try await client.say(message).message
        // Compared on its own, so that a failure does not print eight million numbers.
        let isSame = answer == message
        #expect(isSame)
    }

    static func eachMessageIsAnsweredBeforeTheNextIsSent(_ client: GRPCEchoClient) async throws {
        let messages = (0..<100).map { Array("message \($0)".utf8) }
        #expect(try await client.talk(messages) == messages)
    }

    static func thousandMessagesArriveInOrder(_ client: GRPCEchoClient) async throws {
        #expect(try await client.count(1000) == Array(0..<1000))
    }

    static func statusTravelsInTrailers(_ client: GRPCEchoClient) async throws {
        let failure = try await client.fail()
        #expect(failure.code == .permissionDenied)
        #expect(failure.message == "not for you")
        #expect(failure.trailers.texts("fail-reason") == ["a whim"])
        #expect(failure.headers != nil, "the status is in the response headers, or nothing came")
        #expect(failure.headers?.texts("fail-reason") == [])
    }

    static func statusTravelsWithoutTrailers(_ client: GRPCEchoClient) async throws {
        let failure = try await client.refuse()
        #expect(failure.code == .failedPrecondition)
        #expect(failure.message == "not now")
    }

    static func callsShareAConnectionWithoutMixing(_ client: GRPCEchoClient) async throws {
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

    static func cancellationReachesTheServer(_ client: GRPCEchoClient, _ server: GRPCEchoServer) async throws {
        let (echoes, echo) = AsyncStream.makeStream(of: [UInt8]?.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { echo.finish() }
                try await client.converse(EchoMethod.hold) { conversation in
                    conversation.send([7])
                    echo.yield(try await conversation.receive())
                    // Nothing more comes: the call stands until it is cancelled.
                    _ = try await conversation.receive()
                }
            }
            try #require(await echoes.first { _ in true } == [7])
            group.cancelAll()
            #expect(await server.book.nextCancellation() == EchoMethod.hold.method)
        }
        // The connection outlives the call.
        #expect(try await client.say([8]).message == [8])
    }

    static func deadlineReachesTheServerAndEndsTheCall(
        _ client: GRPCEchoClient,
        _ server: GRPCEchoServer
    ) async throws {
        let echo = try await client.converse(within: .seconds(3600)) { conversation in
            conversation.send([9])
            return try await conversation.receive()
        }
        #expect(echo == [9])
        #expect(server.book.calls.first?.metadata.texts("grpc-timeout").count == 1)
        // The server says nothing until it is spoken to: this call cannot end in another way, however slow the machine.
        let error = await #expect(throws: RPCError.self) {
            try await client.converse(within: .milliseconds(200)) { conversation in
                _ = try await conversation.receive()
            }
        }
        #expect(error?.code == .deadlineExceeded)
    }
}
