import NIOCore
import Testing

@testable import Gateway

/// A request that waits for a server, and the servers that it is offered.
struct WaitingRequestTests {
    private let house: EmbeddedHouse

    init() throws { house = try EmbeddedHouse(servers: 2) }

    @Test func serverOfAnotherPoolIsGivenBackAndTheRequestWaitsOn() throws {
        let client = WaitingExchange(house.worker)
        let (own, other) = (house.pools[0], house.pools[1])
        client.pendingHead = ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n")
        client.wait(at: own)
        let foreign = RecordingServer(leasedFrom: other, worker: house.worker)
        client.serverReady(foreign)
        #expect(foreign.isGivenBack)
        #expect(foreign.request.readableBytes == 0)
        #expect(client.waitingAt === own)
        let server = RecordingServer(leasedFrom: own, worker: house.worker)
        client.serverReady(server)
        #expect(!server.isGivenBack)
        #expect(client.server === server)
    }

    @Test func serverIsGivenBackByARequestThatWaitsNowhere() {
        let client = WaitingExchange(house.worker)
        client.pendingHead = ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n")
        client.phase = .waitingForServer
        let server = RecordingServer(leasedFrom: house.pools[0], worker: house.worker)
        client.serverReady(server)
        #expect(server.isGivenBack)
    }
}

private final class WaitingExchange: ClientExchange {
    init(_ worker: Worker) {
        let peer = Peer(Array("192.0.2.1".utf8), trustedProxies: [], tls: nil)
        super.init(worker: worker, peer: peer, tokenMemory: TokenMemory())
    }
}

private final class RecordingServer: ServerExchange {
    private(set) var isGivenBack = false

    override func giveBack() { isGivenBack = true }
}
