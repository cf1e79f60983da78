import NIOCore
import TestSupport

@testable import HTTPCore

/// A client's session and a server's, joined by a wire that carries random pieces, and owners that send and take bytes
/// at random. The world objects to whatever does not arrive as it was sent.
final class SessionWorld {
    /// What one side sends on a stream, and how far it is.
    private struct Message {
        var body: [UInt8]
        var sent = 0
        var received = 0
        var hasTrailers: Bool
        var isEnding = false
        var hasArrived = false
    }

    private final class Side {
        let fixture: SessionProbe
        var wire: [UInt8] = []
        /// What it sends, by stream.
        var messages: [UInt32: Message] = [:]
        /// Received, and not passed on yet.
        var held: [(UInt32, Int)] = []

        init(_ fixture: SessionProbe) { self.fixture = fixture }
    }

    private let client: Side
    private let server: Side
    private var random: SplitMix64
    private var unopened: Int
    private var streams: Set<UInt32> = []
    private var abandoned: Set<UInt32> = []
    var objections: [String] = []
    /// Streams on which both messages came whole.
    var arrived: Int { streams.filter { isDone($0) && !abandoned.contains($0) }.count }

    init(seed: UInt64, streams: Int) {
        random = SplitMix64(seed: seed)
        unopened = streams
        client = Side(SessionProbe(.client, Self.limits(&random)))
        server = Side(SessionProbe(.server, Self.limits(&random)))
    }

    private static func limits(_ random: inout SplitMix64) -> HTTP2Limits {
        var limits = HTTP2Limits()
        limits.streamWindow = random.pick([1, 10, 1000, 65_535, 200_000])
        limits.connectionWindow = random.pick([65_535, 70_000, 1 << 20])
        limits.maximumStreams = random.within(1...20)
        limits.maximumFrameSize = random.pick([16_384, 30_000])
        limits.sending.congestionHighMark = random.pick([10, 1000, 65_536])
        limits.sending.congestionLowMark = limits.sending.congestionHighMark / 4
        limits.sending.outputStep = random.pick([1000, 131_072])
        limits.floods.windowUpdates = HTTP2Limits.Rate(burst: 1 << 30, perSecond: 1)
        return limits
    }

    /// Runs until everything has arrived, or `most` steps.
    func run(most: Int) {
        for _ in 0..<most where objections.isEmpty {
            step(client)
            step(server)
            carry(from: client, to: server)
            carry(from: server, to: client)
            if unopened == 0, streams.allSatisfy(isDone) { break }
        }
        if unopened > 0 || !streams.allSatisfy(isDone) { objections.append("not everything has arrived") }
        if objections.isEmpty, client.fixture.session.openStreams + server.fixture.session.openStreams > 0 {
            drain()
        }
    }

    private func isDone(_ stream: UInt32) -> Bool {
        abandoned.contains(stream)
            || client.messages[stream]?.hasArrived == true && server.messages[stream]?.hasArrived == true
    }

    /// The last frames may still be under way.
    private func drain() {
        for side in [client, server] { side.fixture.session.writabilityChanged(true) }
        for _ in 0..<50 {
            carry(from: client, to: server)
            carry(from: server, to: client)
        }
        if client.fixture.session.openStreams + server.fixture.session.openStreams > 0 {
            objections.append("a stream stayed open")
        }
    }

    private func step(_ side: Side) {
        if random.oneIn(20) { side.fixture.session.writabilityChanged(random.oneIn(2)) }
        if random.oneIn(5) { side.fixture.session.writabilityChanged(true) }
        if side === client, unopened > 0, random.oneIn(3) { open() }
        for stream in side.messages.keys.sorted() where random.oneIn(2) { send(side, stream) }
        while !side.held.isEmpty, !random.oneIn(4) {
            let (stream, count) = side.held.removeFirst()
            side.fixture.session.consumed(stream: stream, count)
        }
        if random.oneIn(2000), let stream = streams.filter({ !isDone($0) }).min() {
            abandoned.insert(stream)
            side.fixture.session.reset(stream: stream, code: .cancel)
        }
        turn(side)
    }

    private func message() -> Message {
        let size = random.pick([0, 1, 9, 100, 5000, 70_000, 150_000])
        let first = random.below(256)
        let body = (0..<size).map { UInt8(truncatingIfNeeded: ($0 * 31) >> 3 + first) }
        return Message(body: body, hasTrailers: random.oneIn(3))
    }

    private func open() {
        guard let stream = client.fixture.session.openStream() else { return }
        unopened -= 1
        streams.insert(stream)
        client.messages[stream] = message()
        client.fixture.sendHeaders(stream, Frame.request, endStream: false)
    }

    private func send(_ side: Side, _ stream: UInt32) {
        guard var message = side.messages[stream], !message.isEnding else { return }
        guard !side.fixture.session.isCongested(stream: stream) else { return }
        let count = min(message.body.count - message.sent, random.pick([1, 100, 20_000, 100_000]))
        let bytes = ByteBuffer(bytes: message.body[message.sent..<(message.sent + count)])
        message.sent += count
        message.isEnding = message.sent == message.body.count
        let endStream = message.isEnding && !message.hasTrailers
        side.fixture.session.sendData(stream: stream, bytes, endStream: endStream)
        if message.isEnding, message.hasTrailers {
            side.fixture.session.sendTrailers(stream: stream) { block in
                block.append(name: Array("x-end".utf8).span, value: Array("yes".utf8).span)
            }
        }
        side.messages[stream] = message
    }

    private func turn(_ side: Side) {
        repeat {
            for event in side.fixture.events() { take(event, at: side) }
            side.wire += side.fixture.takeOutput()
        } while side.fixture.session.hasMoreOutput
    }

    private func carry(from side: Side, to other: Side) {
        let count = random.oneIn(3) ? side.wire.count : min(side.wire.count, random.within(1...30_000))
        other.fixture.session.receive(ByteBuffer(bytes: side.wire[..<count]))
        side.wire.removeFirst(count)
        turn(other)
    }

    private func take(_ event: SessionProbe.Seen, at side: Side) {
        let other = side === client ? server : client
        switch event {
        case .headers(let stream, let endStream, .initial, _):
            if side === server {
                server.messages[stream] = message()
                server.fixture.respond(stream)
            }
            if endStream { objections.append("a stream ended with its head") }
        case .headers(let stream, let endStream, .trailers, let fields):
            if fields != ["x-end: yes"] || !endStream { objections.append("the trailers are others") }
            arrived(stream, at: other)
        case .data(let stream, let bytes, let flowControlled, let endStream):
            takeData(stream, bytes, endStream, from: other)
            side.held.append((stream, flowControlled))
        case .reset(let stream, let code, _):
            // Refused where the client had not read the limit yet.
            if code != .refusedStream, !abandoned.contains(stream) { objections.append("stream \(stream) was reset") }
            abandoned.insert(stream)
        case .connectionError, .goAway: objections.append("the connection ended: \(event)")
        case .writable(let stream):
            if side.fixture.session.isCongested(stream: stream) { objections.append("writable, and congested") }
        case .settings: break
        }
    }

    private func takeData(_ stream: UInt32, _ bytes: [UInt8], _ endStream: Bool, from other: Side) {
        guard var message = other.messages[stream] else { return objections.append("data of an unknown stream") }
        let end = message.received + bytes.count
        if end > message.sent || Array(message.body[message.received..<min(end, message.body.count)]) != bytes {
            return objections.append("the bytes of stream \(stream) are others")
        }
        message.received = end
        other.messages[stream] = message
        if endStream { arrived(stream, at: other) }
    }

    private func arrived(_ stream: UInt32, at other: Side) {
        if other.messages[stream]?.received != other.messages[stream]?.body.count {
            objections.append("stream \(stream) ended early")
        }
        other.messages[stream]?.hasArrived = true
    }
}
