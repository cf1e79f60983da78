import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionFloodTests {
    /// Feeds what `make` gives until the session ends; the number that was let pass.
    private func passed(_ fixture: SessionProbe, upTo most: Int = 20_000, _ make: (Int) -> [UInt8]) -> Int {
        for number in 0..<most {
            if fixture.feed(make(number)).last == .connectionError(.enhanceYourCalm) {
                #expect(fixture.written().goAways == [.enhanceYourCalm])
                return number
            }
            fixture.session.output.clear()
        }
        return most
    }

    @Test func rapidResetEndsConnection() {
        let fixture = SessionProbe.opened(.server)
        let count = passed(fixture) { Frame.headers(UInt32(2 * $0 + 1)) + Frame.reset(UInt32(2 * $0 + 1)) }
        #expect(count == 400)
    }

    @Test func slowResetsAreAllowed() {
        let fixture = SessionProbe.opened(.server)
        let count = passed(fixture, upTo: 2000) {
            fixture.now += 25_000_000
            return Frame.headers(UInt32(2 * $0 + 1)) + Frame.reset(UInt32(2 * $0 + 1))
        }
        #expect(count == 2000)
    }

    @Test func provokedResetsAreCounted() {
        for provocation in [Frame.windowUpdate, { stream, _ in Frame.data(stream, 1) }] {
            let fixture = SessionProbe.opened(.server)
            let count = passed(fixture) { Frame.headers(UInt32(2 * $0 + 1)) + provocation(UInt32(2 * $0 + 1), 0) }
            #expect(count == 400)
        }
        let fixture = SessionProbe.opened(.server)
        let malformed = passed(fixture) {
            _ = fixture.feed(Frame.headers(UInt32(2 * $0 + 1)))
            fixture.session.reset(stream: UInt32(2 * $0 + 1), code: .protocolError)
            return []
        }
        #expect(malformed == 400)
    }

    @Test func refusedStreamsAreBounded() {
        let fixture = SessionProbe.opened(.server)
        let count = passed(fixture) { Frame.headers(UInt32(2 * $0 + 1)) }
        #expect(count == 100 + 2000)
    }

    @Test func controlFramesAreBounded() {
        let floods = [
            Frame.ping(), Frame.settings(), Frame.settingsAcknowledgement, Frame.priority(1, dependsOn: 3),
            Frame.make(0x44, 0, 0, []), Frame.goAway(0),
        ]
        for frame in floods {
            let count = passed(SessionProbe.opened(.server)) { _ in frame }
            #expect((900...1000).contains(count))
        }
    }

    @Test func emptyDataIsBounded() {
        let fixture = SessionProbe.opened(.server)
        _ = fixture.feed(Frame.headers(1, endStream: false))
        #expect(passed(fixture) { _ in Frame.data(1, 0) } == 200)
        let padded = SessionProbe.opened(.server)
        _ = padded.feed(Frame.headers(1, endStream: false))
        #expect(passed(padded) { _ in Frame.make(0, 8, 1, [1, 0]) } == 200)
    }

    @Test func windowUpdatesAreBoundedBySentData() {
        let fixture = SessionProbe.opened(.server)
        #expect(passed(fixture) { _ in Frame.windowUpdate(0, 1) } == 2000)
        let busy = SessionProbe.opened(.server)
        _ = busy.feed(Frame.headers(1))
        busy.respond(1)
        let count = passed(busy, upTo: 10_000) { _ in
            busy.sendData(1, 2)
            return Frame.windowUpdate(0, 2) + Frame.windowUpdate(1, 2)
        }
        #expect(count == 10_000)
    }

    @Test func unreadResponsesAreBounded() {
        var limits = HTTP2Limits()
        limits.floods.controls.burst = 1_000_000
        let fixture = SessionProbe.opened(.server, limits)
        fixture.session.writabilityChanged(false)
        var most = 0
        for _ in 0..<100_000 where fixture.session.hasFailed == false {
            _ = fixture.feed(Frame.ping())
            most = max(most, fixture.session.output.readableBytes)
        }
        #expect(fixture.session.hasFailed == true)
        #expect(most < limits.sending.maximumUnsentOutput + 200)
    }

    @Test func rateAllowsBurstThenConstantRate() {
        var rate = EventRate(HTTP2Limits.Rate(burst: 3, perSecond: 10))
        #expect((0..<5).map { _ in rate.allows(at: 5_000_000_000) } == [true, true, true, false, false])
        #expect((0..<2).map { _ in rate.allows(at: 5_100_000_000) } == [true, false])
        rate.give(back: 100)
        #expect((0..<4).map { _ in rate.allows(at: 5_100_000_000) } == [true, true, true, false])
    }
}
