import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionPropertyTests {
    /// A conversation that a client might have, in one piece.
    private func conversation(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = Frame.preface + Frame.settings([(4, 70_000), (1, 100)]) + Frame.settingsAcknowledgement
        var open: [UInt32] = []
        var next: UInt32 = 1
        for _ in 0..<random.within(1...40) {
            switch random.below(8) {
            case 0...2:
                let endStream = random.oneIn(2)
                if random.oneIn(3) {
                    bytes += Frame.headers(next, endStream: endStream, endHeaders: false)
                    bytes += Frame.continuation(next, endHeaders: true, [("x-more", "yes")])
                } else {
                    bytes += Frame.headers(next, endStream: endStream)
                }
                if !endStream { open.append(next) }
                next += 2
            case 3:
                guard !open.isEmpty else { continue }
                bytes += Frame.data(random.pick(open), random.within(1...3000))
            case 4:
                guard let stream = open.popLast() else { continue }
                bytes += random.oneIn(2) ? Frame.data(stream, 5, endStream: true) : Frame.headers(stream, [("x", "y")])
            case 5: bytes += Frame.ping()
            case 6: bytes += Frame.windowUpdate(0, UInt32(random.within(1...1000)))
            default: bytes += Frame.priority(next, dependsOn: 0)
            }
        }
        return bytes
    }

    /// What a session makes of the pieces: all events, then all frames. Each request is answered when its head is
    /// there.
    private func outcome(_ pieces: [[UInt8]]) -> ([SessionProbe.Seen], [UInt8]) {
        let fixture = SessionProbe(.server)
        var seen: [SessionProbe.Seen] = []
        for piece in pieces {
            fixture.session.receive(ByteBuffer(bytes: piece))
            while let event = fixture.session.next(headers: &fixture.list, at: fixture.now) {
                seen.append(fixture.read(event))
                switch event {
                case .headers(let stream, _, .initial): fixture.respond(stream, endStream: stream % 3 == 0)
                case .data(let stream, _, let flowControlled, _):
                    fixture.session.consumed(stream: stream, flowControlled)
                default: break
                }
            }
        }
        return (seen, fixture.takeOutput())
    }

    @Test func eventsDoNotDependOnPieces() {
        var random = SplitMix64(seed: 9113)
        for _ in 0..<100 {
            let bytes = conversation(&random)
            let whole = outcome([bytes])
            #expect(!whole.0.contains { if case .connectionError = $0 { true } else { false } })
            for longest in [3, 50, 20_000] {
                let cut = outcome(random.pieces(bytes, longest: longest))
                #expect(cut.0 == whole.0)
                #expect(cut.1 == whole.1)
            }
        }
    }

    @Test func randomFramesNeverTrap() {
        var random = SplitMix64(seed: 8441)
        for round in 0..<500 {
            let fixture = SessionProbe.opened(round.isMultiple(of: 2) ? .server : .client)
            for _ in 0..<60 {
                if random.oneIn(3) { _ = fixture.session.openStream() }
                let length = random.pick([0, 1, 4, 5, 6, 8, 12, 40])
                var payload = random.bytes(length, of: Array(0...255))
                if random.oneIn(2) { payload = Frame.block(Frame.request) }
                let stream = UInt32(random.pick([0, 1, 1, 3, 3, 5, 7, 2]))
                let flags = UInt8(truncatingIfNeeded: random.next()) & random.pick([0, 1, 4, 5, 0x2d])
                _ = fixture.feed(Frame.make(UInt8(random.below(11)), flags, stream, payload))
                if random.oneIn(3) { fixture.respond(stream) }
                if random.oneIn(3) { fixture.sendData(stream, random.below(20_000), endStream: random.oneIn(3)) }
                if random.oneIn(9) { fixture.session.reset(stream: stream, code: .cancel) }
                if random.oneIn(9) { fixture.session.stopReading(stream: stream) }
                if random.oneIn(9) { fixture.session.expectLength(stream: stream, random.below(50)) }
                if random.oneIn(3) { fixture.session.consumed(stream: stream, random.below(100_000)) }
                _ = fixture.written()
            }
        }
    }

    @Test func sentDataArrivesUnchanged() {
        var arrived = 0
        for seed in 0..<12 {
            let world = SessionWorld(seed: UInt64(seed), streams: 25)
            world.run(most: 60_000)
            #expect(world.objections == [], "seed \(seed)")
            arrived += world.arrived
        }
        // Most; the other streams were given up, or refused.
        #expect(arrived > 12 * 15)
    }

    @Test func tableFindsInsertedStreams() {
        var random = SplitMix64(seed: 2)
        var table = HTTP2StreamTable()
        var model: Set<UInt32> = []
        for _ in 0..<20_000 {
            let id = UInt32(random.within(1...300))
            if let place = table.slot(of: id) {
                #expect(model.contains(id) && table[place].id == id)
                if random.oneIn(2) {
                    table.remove(at: place)
                    model.remove(id)
                }
            } else {
                #expect(!model.contains(id))
                table.insert(HTTP2Stream(id: id, sendWindow: 1, receiveWindow: 1))
                model.insert(id)
            }
            #expect(table.count == model.count)
        }
        #expect(Set(table.identifiers(above: 0)) == model)
    }
}
