import Authorization
import Counting
import HTTPCore
import Time
import Verification

/// The access-log lines of one event loop, as bytes waiting to be written: one JSON object per line.
struct AccessLogLines {
    private var bytes: [UInt8] = []
    /// The second of the last line, and its date and time of day: most lines have those of the line before.
    private var second = (unix: -1.0, text: [UInt8]())

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
    ) -> LoggedHead {
        var fragment: [UInt8] = []
        fragment.reserveCapacity(path.count + 96)
        if let tenant {
            fragment.append("\"tenant\":\"")
            fragment.append(text: tenant)
            fragment.append("\"")
        } else {
            fragment.append("\"tenant\":null")
        }
        fragment.append(",\"method\":\"")
        JSONText.escape(method, into: &fragment)
        fragment.append("\",\"path\":\"")
        let start = fragment.count
        JSONText.escape(path, into: &fragment)
        let end = fragment.count
        fragment += query
        fragment.append("\"")
        return LoggedHead(text: fragment, path: start..<end)
    }

    /// - Parameters:
    ///   - duration: Nanoseconds, as is `overhead`.
    ///   - unixTime: When the response was complete.
    mutating func append(_ record: ExchangeRecord, peer: Peer, duration: UInt64, overhead: UInt64, unixTime: UnixTime) {
        bytes.append("{\"time\":\"")
        addTime(unixTime)
        bytes.append("\",\"request_id\":\"")
        bytes.append(record.id)
        bytes.append("\",")
        if record.request.logFragment.isEmpty {
            bytes.append("\"tenant\":null,\"method\":null,\"path\":null")
        } else {
            bytes += record.request.logFragment.text
        }
        bytes.append(",\"status\":")
        bytes.appendDecimal(record.response.status)
        bytes.append(",\"bytes\":")
        bytes.appendDecimal(record.response.bodyBytes)
        bytes.append(",\"duration_ms\":")
        addMilliseconds(duration)
        bytes.append(",\"overhead_ms\":")
        addMilliseconds(overhead)
        bytes.append(",\"outcome\":\"")
        bytes.append(text: record.outcome.label)
        bytes.append("\"")
        if let reason = record.reason {
            bytes.append(",\"reason\":\"")
            JSONText.escape(reason, into: &bytes)
            bytes.append("\"")
        }
        bytes.append(",\"subject\":")
        addSubject(record.user.caller?.subjectInJSON ?? [], else: record.user.signedIn)
        addRefresh(record.refresh)
        bytes.append(",\"backend\":")
        if let backend = record.upstream.backend {
            bytes.append("\"")
            bytes.append(text: backend.name)
            bytes.append("\"")
        } else {
            bytes.append("null")
        }
        if let route = record.route {
            bytes.append(",\"route\":\"")
            JSONText.escape(route.route.path.description, into: &bytes)
            bytes.append("\"")
        }
        bytes.append(",\"server\":")
        if let server = record.upstream.server {
            bytes.append("\"")
            bytes.append(text: server.label)
            bytes.append("\"")
        } else {
            bytes.append("null")
        }
        bytes.append(",\"protocol\":\"")
        bytes.append(text: record.request.version.label)
        bytes.append("\",\"remote\":\"")
        bytes += record.client.address ?? peer.text
        bytes.append("\"}\n")
    }

    /// RFC 3339 with milliseconds.
    private mutating func addTime(_ time: UnixTime) {
        let whole = time.seconds.rounded(.down)
        if whole != second.unix { second = (whole, Array(HTTPDate.rfc3339(time).utf8.prefix(19))) }
        bytes += second.text
        bytes.append(".")
        bytes.appendDecimal(Int((time.seconds - whole) * 1000), digits: 3)
        bytes.append("Z")
    }

    private mutating func addSubject(_ caller: [UInt8], else signedIn: [UInt8]) {
        let subject = caller.isEmpty ? signedIn : caller
        guard !subject.isEmpty else { return bytes.append("null") }
        bytes.append("\"")
        bytes += subject
        bytes.append("\"")
    }

    /// `refreshed` says whether the client got a new token; the trigger and the reason follow if there are any.
    private mutating func addRefresh(_ note: RefreshNote?) {
        guard let note else { return bytes.append(",\"refreshed\":false") }
        bytes.append(note.isRefreshed ? ",\"refreshed\":true" : ",\"refreshed\":false")
        bytes.append(text: ",\"refresh\":\"\(note.event.rawValue)\"")
        if let reason = note.reason { bytes.append(text: ",\"refresh_reason\":\"\(reason)\"") }
        if note.isShared { bytes.append(",\"refresh_shared\":true") }
    }

    mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        bytes.reserveCapacity(taken.count)
        return taken
    }

    /// With three decimals.
    private mutating func addMilliseconds(_ nanoseconds: UInt64) {
        let microseconds = Int(clamping: nanoseconds / 1000)
        bytes.appendDecimal(microseconds / 1000)
        bytes.append(".")
        bytes.appendDecimal(microseconds % 1000, digits: 3)
    }
}
