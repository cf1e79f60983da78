internal import NIOCore
internal import Synchronization

/// Bounds the connections that peers have at once. One too many is closed before a byte of it is answered.
///
/// Peers that are not trusted get a few all together, for calls that tell them so; they cannot take the room of proxies
/// that are.
final class ConnectionLimit: Sendable {
    /// Of proxies that are trusted, all together.
    static let mostTrusted = 256
    /// Of everybody else, all together.
    static let mostUntrusted = 16

    private let authorizer: any CheckHandler
    private let trusted = Atomic<Int>(0)
    private let untrusted = Atomic<Int>(0)

    init(authorizer: any CheckHandler) {
        self.authorizer = authorizer
    }

    /// A connection was accepted. Whose it is counts for as long as it lasts, whatever a reload says meanwhile.
    func accepted(_ channel: any Channel) {
        let isTrusted = channel.remoteAddress?.ipAddress.map(authorizer.answers) ?? false
        guard begin(trusted: isTrusted) else {
            // A failed initializer would end the listener; this ends the connection alone.
            return channel.eventLoop.execute { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { _ in self.end(trusted: isTrusted) }
    }

    /// - Returns: Whether there is room for one more.
    func begin(trusted isTrusted: Bool) -> Bool {
        let number =
            isTrusted
            ? trusted.wrappingAdd(1, ordering: .relaxed).newValue
            : untrusted.wrappingAdd(1, ordering: .relaxed).newValue
        if number <= (isTrusted ? Self.mostTrusted : Self.mostUntrusted) { return true }
        end(trusted: isTrusted)
        return false
    }

    func end(trusted isTrusted: Bool) {
        if isTrusted {
            trusted.wrappingSubtract(1, ordering: .relaxed)
        } else {
            untrusted.wrappingSubtract(1, ordering: .relaxed)
        }
    }
}
