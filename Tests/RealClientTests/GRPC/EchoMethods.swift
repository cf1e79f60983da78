import GRPCCore

/// The methods of the echo, as the client calls them and the server answers them.
enum EchoMethod {
    private static let service = ServiceDescriptor(package: "gatehouse.test", service: "Echo")

    /// Unary: the same bytes.
    static let say = MethodDescriptor(service: service, method: "Say", type: .unary)
    /// Both sides stream: each message is returned as it arrives.
    static let talk = MethodDescriptor(service: service, method: "Talk", type: .bidirectionalStreaming)
    /// Both sides stream: the first message is returned, then nothing until the client gives up.
    static let hold = MethodDescriptor(service: service, method: "Hold", type: .bidirectionalStreaming)
    /// Unary: response headers, then a status that is not OK in the trailers.
    static let fail = MethodDescriptor(service: service, method: "Fail", type: .unary)
    /// Unary: a status that is not OK in the only header block that the response has ("Trailers-Only").
    static let refuse = MethodDescriptor(service: service, method: "Refuse", type: .unary)
    /// The server streams: as many messages as the request says in decimal, each its own index in decimal.
    static let count = MethodDescriptor(service: service, method: "Count", type: .serverStreaming)
}

/// Messages are plain bytes, without a schema.
struct RawMessages: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes {
        Bytes(message)
    }

    func deserialize<Bytes: GRPCContiguousBytes>(_ serializedMessageBytes: Bytes) throws -> [UInt8] {
        serializedMessageBytes.withUnsafeBytes { Array($0) }
    }
}

extension Metadata {
    /// The text values of a name; names are compared without regard to case.
    func texts(_ name: String) -> [String] {
        Array(self[stringValues: name])
    }
}
