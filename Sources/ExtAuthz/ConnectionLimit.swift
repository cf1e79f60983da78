internal import NIOCore
internal import Synchronization

/// Limits the number of open connections. Excess ones are closed before anything is read.
///
/// Untrusted peers share a few, so that they get an error response; they cannot use those of trusted proxies.
final class ConnectionLimit: Sendable {
    /// For trusted proxies together.
    static let mostTrusted = 256
    /// For all others together.
    static let mostUntrusted = 16

    private let authorizer: any CheckHandler
    private let trusted = Atomic<Int>(0)
    private let untrusted = Atomic<Int>(0)

    init(authorizer: any CheckHandler) {
        self.authorizer = authorizer
    }

    /// A connection has come. It counts as trusted or not for as long as it lasts, even after a reload.
    ///
    /// - Returns: Whether it is within the limit.
    func accepted(_ channel: any Channel) -> Bool {
        let isTrusted = channel.remoteAddress?.ipAddress.map(authorizer.answers) ?? false
        guard begin(trusted: isTrusted) else { return false }
        channel.closeFuture.whenComplete { _ in self.end(trusted: isTrusted) }
        return true
    }

    /// - Returns: Whether one more is allowed.
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
