import Synchronization
import TestSupport

/// One request at the backend, for its script.
final class Exchange: Sendable {
    let head: RequestHead
    /// Counts the backend's connections from 0.
    let connection: Int
    /// Counts the requests of this connection from 0.
    let turn: Int

    private let wire: Wire
    private let reader: ByteReader
    private let record: @Sendable (MessageBody) -> Void
    private let received = Mutex<MessageBody?>(nil)
    private let closed = Mutex(false)

    init(
        head: RequestHead,
        connection: Int,
        turn: Int,
        wire: Wire,
        reader: ByteReader,
        record: @escaping @Sendable (MessageBody) -> Void
    ) {
        self.head = head
        self.connection = connection
        self.turn = turn
        self.wire = wire
        self.reader = reader
        self.record = record
    }

    var isClosed: Bool { closed.withLock { $0 } }

    /// Reads the whole body once and records the request.
    @discardableResult
    func body() async throws -> MessageBody {
        if let body = received.withLock({ $0 }) { return body }
        if head.fields.list("Expect") == ["100-continue"] {
            try await send("HTTP/1.1 100 Continue\r\n\r\n")
        }
        let body = try await MessageBody.read(head.framing, from: reader)
        received.withLock { $0 = body }
        record(body)
        return body
    }

    /// Takes the request for received without its body, for responses that come early.
    func skipBody() {
        received.withLock { $0 = MessageBody() }
    }

    /// The next piece of the raw body, framing included; nil at the end of the connection.
    func pieceOfBody() async throws -> [UInt8]? {
        try await reader.some()
    }

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await wire.send(bytes)
    }

    /// A 200 with a Content-Length.
    func sendOK(_ body: String = "ok", fields: String = "") async throws {
        try await send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
    }

    func setSendBuffer(_ bytes: Int) async throws {
        try await wire.setSendBuffer(bytes)
    }

    func setReceiveBuffer(_ bytes: Int) async throws {
        try await wire.setReceiveBuffer(bytes)
    }

    func close() async {
        closed.withLock { $0 = true }
        await wire.close()
    }

    func reset() async throws {
        closed.withLock { $0 = true }
        try await wire.reset()
    }

    /// Waits until the gateway ends this connection (FIN or RST).
    func gone() async throws {
        do {
            while try await wire.receive() != nil {}
        } catch let error as NothingCame {
            throw error
        } catch {
            // A reset ends it too.
        }
    }
}
