import HTTPCore
import IdentityProvider

/// Checks the head of a request for an endpoint before its body is read.
package enum EndpointHeadCheck {
    /// The longest body, in bytes, that an endpoint accepts: tokens and forms are much shorter.
    package static let maximumBytes = 64 << 10

    /// - Returns: Nil if the head is valid.
    static func refusal(_ endpoint: Endpoint, _ head: RequestHead, _ bytes: Span<UInt8>) -> Refusal? {
        let methods = endpoint.methods
        guard methods.contains(where: { bytes.isEqual(head.method, to: $0) }) else { return .methodNotAllowed(methods) }
        if case .length(let length) = head.framing, length > maximumBytes { return .payloadTooLarge }
        return BodyReadingFields.refusal(head, bytes)
    }
}
