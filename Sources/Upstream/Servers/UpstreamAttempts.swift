import Counting
import Tenants

/// Which servers have had a request, and whether another one may get it.
struct UpstreamAttempts: Equatable {
    /// How often servers may refuse a request as unprocessed before that is the response.
    private static let mostRefused = 2

    /// Servers that had the request, or could not be reached for it.
    private(set) var tried: [ServerIndex] = []
    /// How many servers have had it.
    private(set) var count = 0
    private var mayRetry = false
    /// Whether the current server has begun a response.
    private var hasSpoken = false

    /// A server could not be reached, or does not take this kind of request.
    ///
    /// - Parameter server: Nil for a server without a list: it is tried once, and no other is chosen.
    mutating func skipped(_ server: ServerIndex?) {
        if let server { tried.append(server) }
    }

    /// A server has the request.
    ///
    /// - Parameters:
    ///   - retries: Of the tenant; nil if the request is not retried.
    ///   - hasBody: Whether body bytes were sent, which cannot be sent again.
    mutating func sent(_ retries: Retries?, _ method: CountedMethod, hasBody: Bool) {
        count += 1
        hasSpoken = false
        mayRetry = !hasBody && retries?.allows(method, afterTries: count) == true
    }

    /// The server has seen the request: trying again might carry it out twice.
    mutating func serverSpoke() {
        mayRetry = false
        hasSpoken = true
    }

    /// The server is lost.
    ///
    /// - Parameters:
    ///   - server: As for ``skipped(_:)``.
    ///   - wasActedOn: Whether it may have processed the request; if it declared that it did not, any other server may
    ///     get it.
    /// - Returns: Whether another server may have it.
    mutating func lost(_ server: ServerIndex?, wasActedOn: Bool, hasBody: Bool) -> Bool {
        let isUnseen = !wasActedOn && !hasSpoken && !hasBody && count < Self.mostRefused
        guard mayRetry || isUnseen else { return false }
        mayRetry = false
        skipped(server)
        return true
    }
}
