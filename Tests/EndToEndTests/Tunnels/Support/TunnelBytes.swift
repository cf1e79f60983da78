import TestSupport

/// The bytes that one end of a tunnel receives.
actor TunnelBytes {
    private let more: @Sendable () async throws -> [UInt8]?
    private var received: [UInt8] = []
    private var taken = 0

    /// - Parameter more: Returns the next bytes; nil at the peer's end.
    init(_ more: @escaping @Sendable () async throws -> [UInt8]?) {
        self.more = more
    }

    /// As many bytes; nil when the peer ended before the first of them.
    ///
    /// - Throws: ``Truncated`` when it ends in between.
    func next(_ count: Int) async throws -> [UInt8]? {
        while received.count - taken < count {
            guard let piece = try await more() else {
                if received.count == taken { return nil }
                throw Truncated(missing: count - (received.count - taken))
            }
            received.removeSubrange(..<taken)
            taken = 0
            received += piece
        }
        defer { taken += count }
        return Array(received[taken..<(taken + count)])
    }

    /// - Throws: ``Truncated`` when the peer ends earlier.
    func exactly(_ count: Int) async throws -> [UInt8] {
        guard let bytes = try await next(count) else { throw Truncated(missing: count) }
        return bytes
    }

    /// Waits for the peer's end (FIN or RST) and returns the bytes before it.
    func rest() async throws -> [UInt8] {
        do {
            while let piece = try await more() { received += piece }
        } catch let error as NothingCame {
            throw error
        } catch {
            // A reset ends it too.
        }
        defer { taken = received.count }
        return Array(received[taken...])
    }
}
