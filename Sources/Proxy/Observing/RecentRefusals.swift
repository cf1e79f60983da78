import Authorization
package import Counting
import HTTPCore
import Time
import Verification

/// The last refusals of one event loop, for the admin API. Their number and the size of each are bounded; in the long run
/// nothing is allocated for them.
package struct RecentRefusals: Sendable {
    static let capacity = 64
    /// Bytes of a path, as the log writes it; the rest is left out.
    static let longestPath = 256
    /// How many are kept of one second. A flood of refusals costs no more, and takes as long to displace earlier ones.
    static let mostInSecond = 32

    private struct Entry: Sendable {
        var time: UnixTime
        var id: RequestID
        /// A tenant that is gone is not held.
        var tenant: String?
        var method: CountedMethod?
        /// Escaped for a JSON string.
        var path: [UInt8] = []
        var isPathCut = false
        var status: Int
        var code: RefusalCode
        var reason: String?
        var isObserved: Bool
        var client: [UInt8]
    }

    private var entries: [Entry] = []
    /// Of the oldest entry, once all places are taken.
    private var oldest = 0
    private var taken = (second: UInt64(0), count: 0)

    /// Whether a refusal of this moment is kept, as one more of its second.
    mutating func take(at now: MonotonicTime) -> Bool {
        let second = now.nanoseconds / 1_000_000_000
        if second > taken.second { taken = (second, 0) }
        guard taken.count < Self.mostInSecond else { return false }
        taken.count += 1
        return true
    }

    /// - Parameters:
    ///   - code: The outcome of the record.
    ///   - time: When the response was complete.
    mutating func add(_ record: ExchangeRecord, _ code: RefusalCode, peer: Peer, at time: UnixTime) {
        let head = record.request.logFragment
        var entry = Entry(
            time: time,
            id: record.id,
            tenant: record.tenant?.tenant.name,
            method: head.isEmpty ? nil : record.request.askedMethod ?? record.request.method,
            status: record.response.status,
            code: code,
            reason: record.reason,
            isObserved: record.isObserved,
            client: record.client.address ?? peer.text
        )
        let isFull = entries.count == Self.capacity
        if isFull {
            // Its memory is used again.
            swap(&entry.path, &entries[oldest].path)
            entry.path.removeAll(keepingCapacity: true)
        }
        entry.path += head.text[head.path].prefix(Self.longestPath)
        entry.isPathCut = head.path.count > Self.longestPath
        guard isFull else { return entries.append(entry) }
        entries[oldest] = entry
        oldest = (oldest + 1) % Self.capacity
    }

    /// The newest first. To be called off the loop: it makes texts of all.
    ///
    /// - Parameter tenant: The name of the only one to look at; nil for all, and for requests without a tenant.
    package func latest(ofTenant tenant: String?) -> [RecentRefusal] {
        let inOrder = entries[oldest...] + entries[..<oldest]
        return inOrder.reversed().compactMap { entry in
            guard tenant == nil || tenant == entry.tenant else { return nil }
            return RecentRefusal(
                time: entry.time,
                requestID: entry.id.text,
                tenant: entry.tenant,
                method: entry.method?.label,
                path: Self.text(entry.path),
                isPathCut: entry.isPathCut,
                status: entry.status,
                code: entry.code,
                reason: entry.reason ?? "\(entry.code.title)",
                isObserved: entry.isObserved,
                client: String(decoding: entry.client, as: UTF8.self)
            )
        }
    }

    /// The path behind its escapes; the last one may be cut.
    private static func text(_ path: [UInt8]) -> String? {
        guard !path.isEmpty else { return nil }
        let quote = UInt8(ascii: "\"")
        for dropped in 0...longestEscape {
            if let text = try? JSONParser.parse([quote] + path.dropLast(dropped) + [quote]).string { return text }
        }
        return nil
    }

    /// Bytes of `\u0000`, but for one.
    private static let longestEscape = 5
}
