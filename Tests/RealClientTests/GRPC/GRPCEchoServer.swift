import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// A gRPC server of grpc-swift on loopback that returns what it receives.
///
/// The response headers and the trailers of every response carry the request's `x-user-id` and `authorization`, as
/// `echo-x-user-id` and `echo-authorization`.
struct GRPCEchoServer: Sendable {
    let port: Int
    let log: GRPCCallLog

    /// Larger than any message of the tests; the default, 4 MiB, would be met exactly.
    static let largestMessage = 8 << 20
}

/// Runs the echo on a free port while `test` runs.
///
/// - Parameter certificate: Nil: HTTP/2 with prior knowledge in plain text; else TLS with ALPN.
func withGRPCEchoServer(
    certificate: GRPCCertificate? = nil,
    _ test: (GRPCEchoServer) async throws -> Void
) async throws {
    let transport = HTTP2ServerTransport.Posix(
        address: .ipv4(host: "127.0.0.1", port: 0),
        transportSecurity: certificate.map(GRPCCertificate.serverSecurity) ?? .plaintext,
        config: .defaults {
            $0.rpc.maxRequestPayloadSize = GRPCEchoServer.largestMessage
            $0.channelDebuggingCallbacks.onAcceptTCPConnection = keepWritable
        }
    )
    let log = GRPCCallLog()
    try await withGRPCServer(transport: transport, services: [EchoService(log: log)]) { server in
        guard let port = try await server.listeningAddress?.ipv4?.port else { throw GRPCSurprise("no port") }
        try await test(GRPCEchoServer(port: port, log: log))
    }
}

/// A protocol violation of the other side.
struct GRPCSurprise: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

private struct EchoService: RegistrableRPCService {
    let log: GRPCCallLog

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        register(EchoMethod.say, with: &router) { request, writer, _ in
            try await writer.write(try await only(request))
        }
        register(EchoMethod.talk, with: &router) { request, writer, _ in
            for try await message in request { try await writer.write(message) }
        }
        register(EchoMethod.hold, with: &router) { request, writer, context in
            if let message = try await request.first(where: { _ in true }) { try await writer.write(message) }
            // grpc-swift's client ends its side before it resets the call; the end alone must not finish it here.
            try await context.cancellation.cancelled
        }
        register(EchoMethod.fail, with: &router) { _, _, _ in
            throw RPCError(code: .permissionDenied, message: "not for you", metadata: ["fail-reason": "a whim"])
        }
        register(EchoMethod.count, with: &router) { request, writer, _ in
            guard let count = Int(String(decoding: try await only(request), as: UTF8.self)), count >= 0 else {
                throw RPCError(code: .invalidArgument, message: "not a number")
            }
            for index in 0..<count { try await writer.write(Array("\(index)".utf8)) }
        }
        router.registerHandler(
            forMethod: EchoMethod.refuse,
            deserializer: RawMessages(),
            serializer: RawMessages()
        ) { [log] request, _ in
            log.note(GRPCCallLog.Call(method: EchoMethod.refuse.method, metadata: request.metadata))
            let refusal = RPCError(code: .failedPrecondition, message: "not now", metadata: echoed(request.metadata))
            return StreamingServerResponse(error: refusal)
        }
    }

    /// A method whose response headers go out before it reads its first message.
    private func register<Transport: ServerTransport>(
        _ method: MethodDescriptor,
        with router: inout RPCRouter<Transport>,
        _ answer:
            @escaping @Sendable (
                RPCAsyncSequence<[UInt8], any Error>, RPCWriter<[UInt8]>, ServerContext
            ) async throws -> Void
    ) {
        let log = log
        router.registerHandler(
            forMethod: method,
            deserializer: RawMessages(),
            serializer: RawMessages()
        ) { request, context in
            log.note(GRPCCallLog.Call(method: method.method, metadata: request.metadata))
            let echoed = echoed(request.metadata)
            return StreamingServerResponse(metadata: echoed) { writer in
                do {
                    try await withRPCCancellationHandler {
                        try await answer(request.messages, writer, context)
                    } onCancelRPC: {
                        log.noteCancellation(of: method.method)
                    }
                } catch var error as RPCError {
                    error.metadata.add(contentsOf: echoed)
                    throw error
                }
                return echoed
            }
        }
    }
}

/// The message of a request that must have exactly one.
private func only(_ messages: RPCAsyncSequence<[UInt8], any Error>) async throws -> [UInt8] {
    var all: [[UInt8]] = []
    for try await message in messages { all.append(message) }
    guard let message = all.first, all.count == 1 else {
        throw RPCError(code: .invalidArgument, message: "\(all.count) messages")
    }
    return message
}

private func echoed(_ metadata: Metadata) -> Metadata {
    var echoed = Metadata()
    for name in ["x-user-id", "authorization"] {
        for value in metadata.texts(name) { echoed.addString(value, forKey: "echo-\(name)") }
    }
    return echoed
}
