import Authorization
import Counting
import Time
import Verification

/// The access-log lines of one event loop, as bytes waiting to be written: one JSON object per line.
struct AccessLogLines {
    private var bytes: [UInt8] = []

    var count: Int { bytes.count }

    /// The part of a line that comes from the request's head.
    ///
    /// - Parameters:
    ///   - path: Without the query, which may hold secrets.
    ///   - query: The part of it to log, escaped for a JSON string.
    static func fragment(
        tenant: String?,
        method: Span<UInt8>,
        path: Span<UInt8>,
        query: [UInt8] = []
    ) -> [UInt8] {
        var fragment: [UInt8] = []
        fragment.reserveCapacity(path.count + 96)
        if let tenant {
            fragment += "\"tenant\":\"\(tenant)\"".utf8
        } else {
            fragment += "\"tenant\":null".utf8
        }
        fragment += ",\"method\":\"".utf8
        JSONText.escape(method, into: &fragment)
        fragment += "\",\"path\":\"".utf8
        JSONText.escape(path, into: &fragment)
        fragment += query
        fragment += "\"".utf8
        return fragment
    }

    /// - Parameters:
    ///   - duration: Nanoseconds, as is `overhead`.
    ///   - unixTime: When the response was complete.
    mutating func append(_ record: ExchangeRecord, peer: Peer, duration: UInt64, overhead: UInt64, unixTime: UnixTime) {
        add("{\"time\":\"\(HTTPDate.rfc3339(unixTime))\",\"request_id\":\"")
        record.id.forEachByte { bytes.append($0) }
        add("\",")
        if record.request.logFragment.isEmpty {
            add("\"tenant\":null,\"method\":null,\"path\":null")
        } else {
            bytes += record.request.logFragment
        }
        add(",\"status\":\(record.response.status),\"bytes\":\(record.response.bodyBytes)")
        add(",\"duration_ms\":\(Self.milliseconds(duration)),\"overhead_ms\":\(Self.milliseconds(overhead))")
        add(",\"outcome\":\"\(record.outcome.label)\",\"subject\":")
        if let caller = record.user.caller, !caller.subjectInJSON.isEmpty {
            add("\"")
            bytes += caller.subjectInJSON
            add("\"")
        } else if !record.user.signedIn.isEmpty {
            add("\"")
            bytes += record.user.signedIn
            add("\"")
        } else {
            add("null")
        }
        addRefresh(record.refresh)
        add(",\"server\":")
        if let server = record.upstream.server { add("\"\(server.label)\"") } else { add("null") }
        add(",\"protocol\":\"\(record.request.version.label)\",\"remote\":\"")
        bytes += record.client.address ?? peer.text
        add("\"}\n")
    }

    /// `refreshed` says whether the client got a new token; the trigger and the reason follow if there are any.
    private mutating func addRefresh(_ note: RefreshNote?) {
        guard let note else { return add(",\"refreshed\":false") }
        add(",\"refreshed\":\(note.isRefreshed),\"refresh\":\"\(note.event.rawValue)\"")
        if let reason = note.reason { add(",\"refresh_reason\":\"\(reason)\"") }
        if note.isShared { add(",\"refresh_shared\":true") }
    }

    mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        bytes.reserveCapacity(taken.count)
        return taken
    }

    private mutating func add(_ text: String) { bytes += text.utf8 }

    /// With three decimals.
    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        let microseconds = nanoseconds / 1000
        return "\(microseconds / 1000).\(String(1000 + microseconds % 1000).dropFirst())"
    }
}
