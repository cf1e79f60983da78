import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf

@testable import ExtAuthzMessages

/// Sends queries as Envoy does, with the gRPC client of grpc-swift.
struct ExtAuthzClient: Sendable {
    private static let check = MethodDescriptor(
        service: ServiceDescriptor(fullyQualifiedService: "envoy.service.auth.v3.Authorization"),
        method: "Check",
        type: .unary
    )

    fileprivate let client: GRPCClient<HTTP2ClientTransport.Posix>

    /// - Throws: `RPCError` with the status, if that is not OK.
    func check(_ request: Envoy_Service_Auth_V3_CheckRequest) async throws -> Envoy_Service_Auth_V3_CheckResponse {
        try await client.unary(
            request: ClientRequest(message: request),
            descriptor: Self.check,
            serializer: ProtobufSerializer<Envoy_Service_Auth_V3_CheckRequest>(),
            deserializer: ProtobufDeserializer<Envoy_Service_Auth_V3_CheckResponse>(),
            options: .defaults
        ) { try $0.message }
    }

    /// GET of `path` at `app.test`, of a client at 203.0.113.7.
    static func question(_ path: String, _ fields: [String: String] = [:]) -> Envoy_Service_Auth_V3_CheckRequest {
        .with {
            $0.attributes.source.address.socketAddress.address = "203.0.113.7"
            $0.attributes.request.http.method = "GET"
            $0.attributes.request.http.path = path
            $0.attributes.request.http.host = "app.test"
            $0.attributes.request.http.scheme = "https"
            $0.attributes.request.http.protocol = "HTTP/2"
            $0.attributes.request.http.headers = fields
        }
    }
}

func withExtAuthzClient(_ fixture: ExtAuthzGateway, _ test: (ExtAuthzClient) async throws -> Void) async throws {
    let transport = try HTTP2ClientTransport.Posix(
        target: .ipv4(address: "127.0.0.1", port: fixture.port),
        transportSecurity: .plaintext,
        config: .defaults { $0.channelDebuggingCallbacks.onCreateTCPConnection = keepWritable }
    )
    try await withGRPCClient(transport: transport) { try await test(ExtAuthzClient(client: $0)) }
}
