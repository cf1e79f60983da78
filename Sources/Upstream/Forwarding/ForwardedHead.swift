package import Authorization
import HTTPCore
package import NIOCore

/// The head of a request in the form of HTTP/1.1, as a server gets it. A server is sent nothing that does not begin with
/// one, and there are three ways to make one: of a ``Grant``, of a request of the gateway's own, and of what another
/// server was to have.
package struct ForwardedHead {
    package let bytes: ByteBuffer

    /// The head of a client's request.
    ///
    /// - Parameters:
    ///   - grant: Leave to reach the tenant's backend.
    ///   - bytes: The head as received.
    ///   - buffer: Empty, and written into.
    package init(_ grant: Grant, _ bytes: Span<UInt8>, _ context: ForwardingContext, in buffer: consuming ByteBuffer) {
        var out = buffer
        BackendRequest.write(grant, grant.request.head, bytes, context: context, to: &out)
        self.bytes = out
    }

    /// The head of a request of the gateway's own: a health check, or a call for new tokens.
    ///
    /// - Parameters:
    ///   - target: In origin form.
    ///   - fields: Besides `Host` and those that frame the body.
    ///   - contentLength: Nil for a request without a body.
    package init(
        gatewayOwn method: String,
        _ target: String,
        host: [UInt8],
        fields: [(name: String, value: [UInt8])],
        contentLength: Int? = nil
    ) {
        var out = ByteBuffer()
        out.writeString("\(method) \(target) HTTP/1.1\r\nHost: ")
        out.writeBytes(host)
        out.writeString("\r\n")
        for field in fields {
            out.writeString("\(field.name): ")
            out.writeBytes(field.value)
            out.writeString("\r\n")
        }
        if let contentLength { out.writeString("Content-Length: \(contentLength)\r\n") }
        out.writeString("\r\n")
        bytes = out
    }

    /// The head that another server was sent.
    fileprivate init(takenBack bytes: ByteBuffer) {
        self.bytes = bytes
    }
}

extension BackendOutput {
    /// The head, for another server: this one is lost and has not answered. Nothing but the head was sent to it.
    mutating func takeHead() -> ForwardedHead { ForwardedHead(takenBack: takeKept()) }
}
