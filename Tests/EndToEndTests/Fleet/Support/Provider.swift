import NIOCore
import Synchronization
import TestSupport
import Verification

/// An identity provider that publishes a key set on loopback, counts how often it is asked, and can be held up, fail and
/// go away.
final class Provider: Sendable {
    private struct State {
        var keys: [SigningKey] = []
        var fetches = 0
        var isFailing = false
        var isHeld = false
        var wires: [Wire] = []
    }

    private final class Book: Sendable {
        let state = Mutex(State())
        /// One for each request.
        let asked = Mailbox<Void>("a request for the key set")
        let released: Gate = Gate("the answer of the provider")
    }

    private let listener: any Channel
    private let book: Book
    let port: Int

    /// Runs `visit` with a provider that is gone afterwards.
    static func run<Result>(_ visit: (Provider) async throws -> Result) async throws -> Result {
        let provider = try await Provider()
        do {
            let result = try await visit(provider)
            await provider.goAway()
            return result
        } catch {
            await provider.goAway()
            throw error
        }
    }

    private init() async throws {
        let book = Book()
        listener = try await Wire.listen { wire in
            book.state.withLock { $0.wires.append(wire) }
            Task {
                try? await Self.serve(wire, book)
                await wire.close()
            }
        }
        self.book = book
        port = listener.localAddress?.port ?? 0
    }

    /// Where the key set is.
    var url: String { "http://127.0.0.1:\(port)/keys" }

    /// Requests so far.
    var fetches: Int { book.state.withLock { $0.fetches } }

    /// What is published from now on.
    func publish(_ keys: [SigningKey]) { book.state.withLock { $0.keys = keys } }

    /// From now on every request is answered with 500, or no longer.
    func fail(_ isFailing: Bool = true) { book.state.withLock { $0.isFailing = isFailing } }

    /// Requests wait from now on until ``release()``.
    func hold() { book.state.withLock { $0.isHeld = true } }

    func release() {
        book.state.withLock { $0.isHeld = false }
        book.released.open()
    }

    /// Waits until someone asks.
    func asked() async throws { try await book.asked.next() }

    /// Nobody listens any more.
    func goAway() async {
        release()
        try? await listener.close().get()
        for wire in book.state.withLock({ $0.wires }) { await wire.close() }
    }

    private static func serve(_ wire: Wire, _ book: Book) async throws {
        let reader = ByteReader(wire)
        while try await RequestHead.read(from: reader) != nil {
            let isHeld = book.state.withLock { state in
                state.fetches += 1
                return state.isHeld
            }
            book.asked.put(())
            if isHeld { try await book.released.passed() }
            try await wire.send(Array(answer(book).utf8))
        }
    }

    private static func answer(_ book: Book) -> String {
        let (keys, isFailing) = book.state.withLock { ($0.keys, $0.isFailing) }
        if isFailing { return "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n" }
        let published = keys.compactMap { $0.publicJWK().map(JSONValue.object) }
        let body = JSONWriter.text(of: ["keys": .array(published)])
        let fields = "Content-Type: application/json\r\nCache-Control: max-age=3600\r\n"
        return "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
