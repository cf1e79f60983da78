import Counting
import Tenants

/// Which servers have had a request, and whether it may be sent to another one.
struct UpstreamAttempts: Equatable {
    /// Times that servers may send a request back unseen before that is the response.
    private static let mostRefused = 2

    /// Servers that had the request, or could not be reached for it.
    private(set) var tried: [ServerIndex] = []
    /// How many servers have had it.
    private(set) var count = 0
    private var mayRetry = false
    /// Whether the server that has the request now has begun a response.
    private var hasSpoken = false

    /// A server could not be reached, or does not take this kind of request.
    ///
    /// - Parameter server: Nil for a server of no list: it is asked once and no other is chosen.
    mutating func skipped(_ server: ServerIndex?) {
        if let server { tried.append(server) }
    }

    /// A server has the request.
    ///
    /// - Parameters:
    ///   - retries: Of the tenant; nil where a request is not made again.
    ///   - hasBody: What was sent of a body cannot be sent again.
    mutating func sent(_ retries: Retries?, _ method: CountedMethod, hasBody: Bool) {
        count += 1
        hasSpoken = false
        mayRetry = !hasBody && retries?.allows(method, afterTries: count) == true
    }

    /// The server has seen the request: making it again might do it twice.
    mutating func serverSpoke() {
        mayRetry = false
        hasSpoken = true
    }

    /// The server is lost.
    ///
    /// - Parameters:
    ///   - server: As for ``skipped(_:)``.
    ///   - wasActedOn: Whether it may have acted on the request; if it said that it did not, any other may.
    /// - Returns: Whether another server may have it.
    mutating func lost(_ server: ServerIndex?, wasActedOn: Bool, hasBody: Bool) -> Bool {
        let isUnseen = !wasActedOn && !hasSpoken && !hasBody && count < Self.mostRefused
        guard mayRetry || isUnseen else { return false }
        mayRetry = false
        skipped(server)
        return true
    }
}
