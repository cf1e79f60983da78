import NIOCore
import NIOEmbedded
import Tenants
import Testing

@testable import Gateway

/// What reaches an exchange while the loop's head is in use by another one waits for a turn of its own.
struct HeadInUseByAnotherTests {
    private static var peer: Peer { Peer(Array("192.0.2.1".utf8), trustedProxies: [], tls: nil) }

    private let house: EmbeddedHouse
    private let loop: EmbeddedEventLoop
    private var worker: Worker { house.worker }

    init() throws {
        house = EmbeddedHouse([try Door.tenant()])
        loop = try #require(house.worker.eventLoop as? EmbeddedEventLoop)
    }

    private func output(_ channel: EmbeddedChannel) throws -> Int {
        var count = 0
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { count += bytes.readableBytes }
        return count
    }

    @Test func requestOverHTTP1IsNotParsedMeanwhile() throws {
        let channel = EmbeddedChannel(loop: loop)
        let client = ClientConnection(worker: worker, peer: Self.peer, isWelcome: true)
        try channel.pipeline.syncOperations.addHandler(client)
        worker.headIsInUse()
        let stamp = HeadStamp(worker.requestHead)
        try channel.writeInbound(ByteBuffer(bytes: Door.request("/", host: "nobody.test")))
        client.proceed()
        #expect(stamp.holds(for: worker.requestHead))
        #expect(try output(channel) == 0)
        worker.headIsDone()
        loop.run()
        #expect(!stamp.holds(for: worker.requestHead))
        #expect(try output(channel) > 0)
    }

    @Test func connectionOverHTTP2TakesNoTurnMeanwhile() throws {
        let channel = EmbeddedChannel(loop: loop)
        worker.headIsInUse()
        let client = HTTP2ClientConnection(worker: worker, peer: Self.peer, isWelcome: true)
        try channel.pipeline.syncOperations.addHandler(client)
        client.turn()
        #expect(try output(channel) == 0)
        worker.headIsDone()
        loop.run()
        #expect(try output(channel) > 0)
    }

    @Test func lossOfAServerRefusesNobodyMeanwhile() throws {
        let client = RecordingExchange(worker)
        let server = client.awaitAnswer()
        worker.headIsInUse()
        client.serverLost(server, endsProperly: false)
        #expect(client.refusals == [])
        worker.headIsDone()
        loop.run()
        #expect(client.refusals == [.backendBroke])
        #expect(client.server == nil)
    }

    @Test func lossOfAServerThatIsNoLongerTheClientsIsForgotten() throws {
        let client = RecordingExchange(worker)
        let server = client.awaitAnswer()
        worker.headIsInUse()
        client.serverLost(server, endsProperly: false)
        worker.headIsDone()
        let next = client.awaitAnswer()
        loop.run()
        #expect(client.refusals == [])
        #expect(client.server === next)
    }

    @Test func lossOfAServerOutsideAnyHeadIsToldAtOnce() throws {
        let client = RecordingExchange(worker)
        client.serverLost(client.awaitAnswer(), endsProperly: false)
        #expect(client.refusals == [.backendBroke])
    }

    @Test func slowStepThatEndsMeanwhileIsDecidedOnLaterUnlessItsRequestIsOver() throws {
        for isOver in [false, true] {
            let client = RecordingExchange(worker)
            client.undecided = ByteBuffer(bytes: Door.request("/", host: "nobody.test"))
            client.phase = .deciding
            worker.headIsInUse()
            let stamp = HeadStamp(worker.requestHead)
            client.decideAgain()
            #expect(stamp.holds(for: worker.requestHead))
            worker.headIsDone()
            if isOver { client.serial &+= 1 }
            loop.run()
            #expect(client.refusals == (isOver ? [] : [.unknownHost]))
        }
    }

    @Test func workPostponedByPostponedWorkHasATurnOfItsOwn() {
        var done: [String] = []
        worker.postpone { [worker] in
            worker.postpone { done.append("second") }
            done.append("first")
        }
        #expect(done == [])
        loop.run()
        #expect(done == ["first", "second"])
    }

    @Test func drainOfASharedConnectionWaits() throws {
        let channel = EmbeddedChannel(loop: loop)
        let pool = try #require(house.pools.first)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 9)
        let connection = BackendMultiplexer(pool: pool, worker: worker, address: address)
        try channel.pipeline.syncOperations.addHandler(connection)
        channel.pipeline.fireChannelActive()
        #expect(try output(channel) > 0)
        worker.headIsInUse()
        connection.drainLater()
        #expect(connection.openStream() == nil)
        #expect(try output(channel) == 0)
        worker.headIsDone()
        loop.run()
        #expect(try output(channel) > 0)
    }
}

/// Notes what it would answer.
private final class RecordingExchange: ClientExchange {
    private(set) var refusals: [Refusal] = []

    init(_ worker: Worker) {
        let peer = Peer(Array("192.0.2.1".utf8), trustedProxies: [], tls: nil)
        super.init(worker: worker, peer: peer, tokenMemory: TokenMemory())
    }

    override func refuse(_ refusal: Refusal, closing: Bool) { refusals.append(refusal) }

    /// Its request went to a server that has yet to answer.
    func awaitAnswer() -> ServerExchange {
        let server = ServerExchange(leasedFrom: nil, worker: worker)
        self.server = server
        exchange.requestCompleted()
        phase = .answer
        return server
    }
}
