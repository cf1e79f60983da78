import Tenants
import TestSupport
import Time

@testable import SharedState

/// A provider whose responses a test controls. It counts the calls.
final class PretendProvider: KeySetFetching {
    struct Books: Sendable {
        /// Its response: a key set, or a problem.
        var answer: Result<[UInt8], KeySetFetchProblem>
        /// Whether responses are held.
        var isHeld = false
        /// Unix seconds of each fetch, by the clock of the instance that made it.
        var fetches: [UnixTime] = []
        var concurrent = 0
        var mostConcurrent = 0
    }

    let books: Awaited<Books>
    private let lifetime: Double

    init(_ keySet: [UInt8], lifetime: Double = 3600) {
        books = Awaited(Books(answer: .success(keySet)))
        self.lifetime = lifetime
    }

    func answer(_ keySet: [UInt8]) { books.update { $0.answer = .success(keySet) } }
    func fail(_ problem: String) { books.update { $0.answer = .failure(KeySetFetchProblem(problem)) } }
    func hold(_ isHeld: Bool) { books.update { $0.isHeld = isHeld } }
    func waitForFetches(_ count: Int) async { await books.wait { $0.fetches.count >= count } }

    var fetches: Int { books.value.fetches.count }

    func fetch(
        _ source: RemoteKeySource,
        since record: KeySetRecord?,
        at now: UnixTime
    ) async throws(KeySetFetchProblem) -> KeySetRecord {
        books.update { books in
            books.fetches.append(now)
            books.concurrent += 1
            books.mostConcurrent = max(books.mostConcurrent, books.concurrent)
        }
        await books.wait { !$0.isHeld }
        let answer = books.update { books in
            books.concurrent -= 1
            return books.answer
        }
        return KeySetRecord(
            location: source.locationText,
            fetchedAt: now,
            freshUntil: now + lifetime,
            keySet: try answer.get()
        )
    }
}
