import NIOCore
import Testing

@testable import Gateway

/// For whom the least rate of bodies counts, and when.
struct BodyDeadlineTests {
    private let house: EmbeddedHouse

    init() throws { house = try EmbeddedHouse() }

    private func exchange(expectsContinue: Bool = false) -> BodyExchange {
        let client = BodyExchange(house.worker)
        client.record = ExchangeRecord(startedAt: house.worker.now(), id: Door.requestID)
        client.record.tenant = house.worker.serving.tenants[0]
        client.exchange = Exchange(clientWantsKeepAlive: true, expectsContinue: expectsContinue)
        client.exchange.serverTaken(mayRetry: false)
        client.phase = .body
        client.beginBodyRate()
        return client
    }

    /// It does as it should: it waits for the server's word.
    @Test func timeBeforeTheServerSaysContinueDoesNotCountAgainstTheClient() {
        let client = exchange(expectsContinue: true)
        client.bodyAwaited(since: 0)
        #expect(!client.requestRate.isWaiting)
        client.continuePassedOn()
        #expect(client.requestRate.isWaiting)
    }

    @Test func timeInWhichTheServerTakesNoMoreDoesNotCountAgainstTheClient() {
        let client = exchange()
        client.bodyAwaited(since: 0)
        #expect(client.requestRate.isWaiting)
        client.server = CongestedServer(leasedFrom: nil, worker: house.worker)
        client.serverWritabilityChanged(false)
        #expect(!client.requestRate.isWaiting)
    }

    @Test func clientThatTakesNothingOfAnAnswerIsHeldToTheRate() {
        let client = exchange()
        client.exchange.requestCompleted()
        _ = client.exchange.answerBegan(draining: false)
        client.phase = .answer
        client.takesMore = false
        client.answerIsHeldUp()
        #expect(client.responseRate.rate == 1 << 10)
        #expect(client.responseRate.isWaiting)
        // The deadline is met, and nothing was taken since.
        #expect(!client.takesAnswer())
        client.taken = 5000
        #expect(client.takesAnswer())
        #expect(!client.takesAnswer())
        client.takesMore = true
        client.answerFlowsAgain()
        #expect(!client.responseRate.isWaiting)
    }

    @Test func rateOfOneAnswerSaysNothingOfTheNext() {
        let client = exchange()
        client.exchange.requestCompleted()
        _ = client.exchange.answerBegan(draining: false)
        client.takesMore = false
        client.taken = 5000
        client.answerIsHeldUp()
        #expect(client.responseRate.bytes == 5000)
        client.record = ExchangeRecord(startedAt: client.record.startedAt + 1, id: Door.requestID)
        client.taken = 0
        client.answerIsHeldUp()
        #expect(client.responseRate.bytes == 0)
        #expect(client.responseRate.rate == 0, "no tenant, no rate")
    }
}

private final class BodyExchange: ClientExchange {
    var takesMore = true
    var taken = 0

    init(_ worker: Worker) {
        let peer = Peer(Array("192.0.2.1".utf8), trustedProxies: [], tls: nil)
        super.init(worker: worker, peer: peer, tokenMemory: TokenMemory())
    }

    override var isWritable: Bool { takesMore }
    override var answerBytesTaken: Int { taken }
}

private final class CongestedServer: ServerExchange {
    override var isWritable: Bool { false }
}
