package import Authorization
import HTTPCore
package import NIOCore

/// The head of a request as HTTP/1.1, in the form that a server gets. Everything sent to a server begins with one, and
/// there are three ways to make one: from a ``Grant``, from a request of the gateway's own, and from the head that a
/// lost server had.
package struct ForwardedHead {
    package let bytes: ByteBuffer

    /// The head of a client's request.
    ///
    /// - Parameters:
    ///   - grant: Proof that the request may reach the tenant's backend.
    ///   - bytes: The head as received.
    ///   - buffer: Empty; the head is written into it.
    package init(_ grant: Grant, _ bytes: Span<UInt8>, _ context: ForwardingContext, in buffer: consuming ByteBuffer) {
        var out = buffer
        BackendRequest.write(grant, grant.request.head, bytes, context: context, to: &out)
        self.bytes = out
    }

    /// The head of a request of the gateway's own: a health check, or a refresh call.
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

    /// A head that was sent to a lost server.
    fileprivate init(takenBack bytes: ByteBuffer) {
        self.bytes = bytes
    }
}

extension BackendOutput {
    /// Takes the head for another server: this one is lost and has not responded. Nothing but the head was sent to it.
    mutating func takeHead() -> ForwardedHead { ForwardedHead(takenBack: takeKept()) }
}
