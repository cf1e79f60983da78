import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// A gRPC client of grpc-swift that calls the echo: all calls of one client share one connection.
struct GRPCEchoClient: Sendable {
    fileprivate let client: GRPCClient<HTTP2ClientTransport.Posix>
    fileprivate let metadata: Metadata

    /// A good response to a call with one message each way.
    struct Reply: Sendable {
        var message: [UInt8]
        var headers: Metadata
        var trailers: Metadata
    }

    /// How a call without a response ended.
    struct Failure: Sendable {
        var code: RPCError.Code
        var message: String
        var trailers: Metadata
        /// The response headers, if they came on their own before the status.
        var headers: Metadata?
    }

    // MARK: Calls

    /// - Throws: `RPCError` with the status, if that is not OK.
    func say(_ message: [UInt8]) async throws -> Reply {
        try await unary(EchoMethod.say, message) { response in
            Reply(message: try response.message, headers: response.metadata, trailers: response.trailingMetadata)
        }
    }

    /// Sends one message after another, each only when the one before has come back.
    ///
    /// - Returns: The echoes; a proxy that buffers a side of the call blocks it.
    func talk(_ messages: [[UInt8]]) async throws -> [[UInt8]] {
        try await converse { conversation in
            var echoes: [[UInt8]] = []
            for message in messages {
                conversation.send(message)
                guard let echo = try await conversation.receive() else { throw GRPCSurprise("no echo") }
                echoes.append(echo)
            }
            conversation.finish()
            guard try await conversation.receive() == nil else { throw GRPCSurprise("an echo of nothing") }
            return echoes
        }
    }

    /// A call of which `body` decides what is sent and awaited when.
    ///
    /// - Parameters:
    ///   - method: One in which both sides stream.
    ///   - timeout: The deadline, sent as `grpc-timeout` and kept by the client; nil: none.
    func converse<Result: Sendable>(
        _ method: MethodDescriptor = EchoMethod.talk,
        within timeout: Duration? = nil,
        _ body: @escaping @Sendable (inout GRPCConversation) async throws -> Result
    ) async throws -> Result {
        let (turns, turn) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        let request = StreamingClientRequest(of: [UInt8].self, metadata: metadata) { writer in
            for try await message in turns { try await writer.write(message) }
            // A stream of turns also ends when its task is cancelled, which must not pass for a complete request.
            try Task.checkCancellation()
        }
        var options = Self.options
        options.timeout = timeout
        return try await client.bidirectionalStreaming(
            request: request,
            descriptor: method,
            serializer: RawMessages(),
            deserializer: RawMessages(),
            options: options
        ) { response in
            do {
                var conversation = GRPCConversation(turn: turn, responses: response.messages.makeAsyncIterator())
                let result = try await body(&conversation)
                try Task.checkCancellation()
                turn.finish()
                return result
            } catch {
                turn.finish(throwing: error)
                throw error
            }
        }
    }

    /// A call that the server fails after its response headers.
    func fail() async throws -> Failure {
        try await unary(EchoMethod.fail, [], Self.failure)
    }

    /// A call that the server fails without response headers of its own.
    func refuse() async throws -> Failure {
        try await unary(EchoMethod.refuse, [], Self.failure)
    }

    /// - Returns: The numbers that came, in order.
    func count(_ count: Int) async throws -> [Int] {
        try await client.serverStreaming(
            request: ClientRequest(message: Array("\(count)".utf8), metadata: metadata),
            descriptor: EchoMethod.count,
            serializer: RawMessages(),
            deserializer: RawMessages(),
            options: Self.options
        ) { response in
            var numbers: [Int] = []
            for try await message in response.messages {
                guard let number = Int(String(decoding: message, as: UTF8.self)) else {
                    throw GRPCSurprise("not a number")
                }
                numbers.append(number)
            }
            return numbers
        }
    }

    // MARK: Parts

    /// A server that cannot be reached fails the call at once, instead of when a later attempt succeeds.
    private static var options: CallOptions {
        var options = CallOptions.defaults
        options.waitForReady = false
        options.maxResponseMessageBytes = GRPCEchoServer.largestMessage
        return options
    }

    private func unary<Result: Sendable>(
        _ method: MethodDescriptor,
        _ message: [UInt8],
        _ onResponse: @escaping @Sendable (ClientResponse<[UInt8]>) async throws -> Result
    ) async throws -> Result {
        try await client.unary(
            request: ClientRequest(message: message, metadata: metadata),
            descriptor: method,
            serializer: RawMessages(),
            deserializer: RawMessages(),
            options: Self.options,
            onResponse: onResponse
        )
    }

    @Sendable
    private static func failure(_ response: ClientResponse<[UInt8]>) throws -> Failure {
        let headers: Metadata?
        let error: RPCError
        switch response.accepted {
        case .failure(let refusal): (headers, error) = (nil, refusal)
        case .success(let contents):
            guard case .failure(let failure) = contents.message else { throw GRPCSurprise("no failure") }
            (headers, error) = (contents.metadata, failure)
        }
        return Failure(code: error.code, message: error.message, trailers: error.metadata, headers: headers)
    }
}

/// The client's end of a call in which both sides stream.
struct GRPCConversation {
    fileprivate let turn: AsyncThrowingStream<[UInt8], any Error>.Continuation
    fileprivate var responses: RPCAsyncSequence<[UInt8], any Error>.AsyncIterator

    func send(_ message: [UInt8]) {
        turn.yield(message)
    }

    /// Nothing more is sent.
    func finish() {
        turn.finish()
    }

    /// The next message of the server; nil: it said OK.
    mutating func receive() async throws -> [UInt8]? {
        try await responses.next()
    }
}

/// Connects a client while `test` runs.
func withGRPCEchoClient(_ endpoint: GRPCEndpoint, _ test: (GRPCEchoClient) async throws -> Void) async throws {
    try await withGRPCClient(transport: try endpoint.transport()) { client in
        try await test(GRPCEchoClient(client: client, metadata: endpoint.metadata))
    }
}
