internal import HTTPCore
internal import NIOCore

/// The head of a call (gRPC over HTTP/2, "Requests").
struct CallHead {
    /// Why a call gets no reply.
    enum Refusal: Error {
        /// It is not gRPC: 415, without a gRPC status.
        case unsupportedMediaType
        case status(CallStatus)
    }

    /// How long the caller waits; nil if it does not say.
    let timeout: TimeAmount?

    /// - Parameters:
    ///   - list: A request head that RFC 9113 allows.
    ///   - isTrusted: Whether the peer's calls are answered.
    init(_ list: borrowing HeaderList, isTrusted: Bool) throws(Refusal) {
        var (method, path, contentType) = (0..<0, 0..<0, 0..<0)
        var encoding: Range<Int>?
        var timeout: Range<Int>?
        let bytes = list.bytes.span
        let fields = list.fields
        for field in fields {
            if bytes.isExactly(":method", field.name) {
                method = field.value
            } else if bytes.isExactly(":path", field.name) {
                path = field.value
            } else if bytes.isExactly("content-type", field.name) {
                contentType = field.value
            } else if bytes.isExactly("grpc-encoding", field.name) {
                encoding = field.value
            } else if bytes.isExactly("grpc-timeout", field.name) {
                timeout = field.value
            }
        }
        guard bytes.isExactly("application/grpc", contentType) || bytes.isExactly("application/grpc+proto", contentType)
        else { throw .unsupportedMediaType }
        guard bytes.isExactly("POST", method) else {
            throw .status(
                CallStatus(
                    .invalidArgument,
                    ":method header is expected to be present and have a value of \"POST\"."
                )
            )
        }
        guard isTrusted else {
            throw .status(CallStatus(.permissionDenied, "only proxies that are trusted are answered"))
        }
        guard bytes.isExactly("/envoy.service.auth.v3.Authorization/Check", path) else {
            throw .status(CallStatus(.unimplemented, "Requested RPC isn't implemented by this server."))
        }
        if let encoding, !bytes.isExactly("identity", encoding) {
            throw .status(CallStatus(.unimplemented, "compression is not supported"))
        }
        self.timeout = timeout.flatMap { Self.timeout(bytes, $0) }
    }

    /// - Returns: Nil if it is malformed, or centuries away.
    private static func timeout(_ bytes: Span<UInt8>, _ value: Range<Int>) -> TimeAmount? {
        guard (2...9).contains(value.count), let unit = Self.unit(bytes[value.upperBound - 1]) else { return nil }
        var count: Int64 = 0
        for position in value.dropLast() {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) else { return nil }
            count = count * 10 + Int64(bytes[position] - UInt8(ascii: "0"))
        }
        let (nanoseconds, isTooLong) = count.multipliedReportingOverflow(by: unit)
        return isTooLong ? nil : .nanoseconds(nanoseconds)
    }

    /// In nanoseconds.
    private static func unit(_ byte: UInt8) -> Int64? {
        switch byte {
        case UInt8(ascii: "H"): 3_600_000_000_000
        case UInt8(ascii: "M"): 60_000_000_000
        case UInt8(ascii: "S"): 1_000_000_000
        case UInt8(ascii: "m"): 1_000_000
        case UInt8(ascii: "u"): 1_000
        case UInt8(ascii: "n"): 1
        default: nil
        }
    }
}
