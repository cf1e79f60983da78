import NIOCore
import Synchronization
import TestSupport

/// A backend over plain TCP that records every request and runs a script for each. It reads as strictly as the RFC
/// allows and lists everything that another backend could parse differently.
final class RecordingBackend: Sendable {
    private struct State {
        var requests: [RecordedRequest] = []
        var complaints: [String] = []
        var wires: [Wire] = []
    }

    let port: Int
    /// Whole requests, in the order of their ends.
    let arrivals = Mailbox<RecordedRequest>("a request at the backend")
    /// Heads, as soon as they are there.
    let heads = Mailbox<RequestHead>("a request head at the backend")
    /// Connections that ended before their request did, by number.
    let abandoned = Mailbox<Int>("the end of an unfinished request at the backend")
    /// Connections that ended, by number.
    let ends = Mailbox<Int>("the end of a connection at the backend")

    private let script: BackendScript
    private let state: Ledger
    private let listener: any Channel

    private final class Ledger: Sendable {
        let state = Mutex(State())
        let accepted = Mailbox<Wire>("a connection at the backend")
    }

    private init(listener: any Channel, port: Int, script: BackendScript, state: Ledger) {
        self.listener = listener
        self.port = port
        self.script = script
        self.state = state
    }

    /// - Parameter tls: Nil: plain TCP.
    static func start(_ script: BackendScript, tls: ServerTLS? = nil) async throws -> RecordingBackend {
        let ledger = Ledger()
        let listener = try await Wire.listen(tls: tls) { ledger.accepted.put($0) }
        guard let port = listener.localAddress?.port else { throw Malformed("a listener without a port") }
        let backend = RecordingBackend(listener: listener, port: port, script: script, state: ledger)
        Task { await backend.acceptAll() }
        return backend
    }

    /// Whole requests so far.
    var requests: [RecordedRequest] { state.state.withLock { $0.requests } }

    /// What was ambiguous or malformed so far.
    var complaints: [String] { state.state.withLock { $0.complaints } }

    /// Connections so far.
    var connections: Int { state.state.withLock { $0.wires.count } }

    func stop() async {
        try? await listener.close().get()
        state.accepted.finish(EndOfStream())
        for wire in state.state.withLock({ $0.wires }) { await wire.close() }
    }

    private func acceptAll() async {
        while let wire = try? await state.accepted.next(within: .hours(1)) {
            let number = state.state.withLock { state in
                state.wires.append(wire)
                return state.wires.count - 1
            }
            Task {
                await serve(wire, number: number)
                await wire.close()
                ends.put(number)
            }
        }
    }

    private func serve(_ wire: Wire, number: Int) async {
        let reader = ByteReader(wire)
        var turn = 0
        do {
            while let head = try await RequestHead.read(from: reader) {
                heads.put(head)
                let exchange = Exchange(head: head, connection: number, turn: turn, wire: wire, reader: reader) {
                    body in
                    self.record(RecordedRequest(head: head, body: body, connection: number))
                }
                try await script.run(exchange)
                if exchange.isClosed { return }
                try await exchange.body()
                if head.fields.list("Connection").contains("close") { return }
                turn += 1
            }
        } catch let malformed as Malformed {
            state.state.withLock { $0.complaints.append(malformed.description) }
            abandoned.put(number)
        } catch {
            abandoned.put(number)
        }
    }

    private func record(_ request: RecordedRequest) {
        state.state.withLock { $0.requests.append(request) }
        arrivals.put(request)
    }
}
