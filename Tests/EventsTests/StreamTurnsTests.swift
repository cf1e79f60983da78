import TestSupport
import Testing

@testable import Events

/// Writers of a stream.
@Suite(.timeLimit(.minutes(1))) struct StreamTurnsTests {
    @Test func writerWaitsForTheOneBeforeAndForNoOtherStream() async {
        let (turns, order) = (StreamTurns(), Awaited<[String]>([]))
        await turns.begin("a")
        let second = Task {
            await turns.begin("a")
            order.update { $0.append("second") }
            turns.end("a")
        }
        await turns.begin("b")
        turns.end("b")
        for _ in 0..<1000 { await Task.yield() }
        order.update { $0.append("first") }
        turns.end("a")
        await second.value
        #expect(order.value == ["first", "second"])
        // Nobody is left behind.
        await turns.begin("a")
        turns.end("a")
    }
}
