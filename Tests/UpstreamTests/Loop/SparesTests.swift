import Logging
import NIOEmbedded
import Testing

@testable import Authorization
@testable import Tenants
@testable import Upstream

/// A head that is returned twice would belong to two exchanges.
struct SparesTests {
    private func loop() -> LoopContext {
        LoopContext(EmbeddedEventLoop(), names: .system, logger: Logger(label: "test"), limits: ConnectionLimits())
    }

    @Test func reusedResponseIsReset() {
        let spares = loop().spares.responses
        let first = spares.take()
        spares.giveBack(first)
        let second = spares.take()
        #expect(second === first && second.bytes.readableBytes == 0)
        spares.giveBack(second)
    }

    @Test func secondReturnIsCountedAndIgnored() {
        let responses = SpareResponses()
        let requests = SpareRequests()
        var mistakes = 0
        responses.onMistake = { _ in mistakes += 1 }
        requests.onMistake = { _ in mistakes += 1 }
        let (response, request) = (responses.take(), requests.take())
        for _ in 0..<2 {
            responses.giveBack(response)
            requests.giveBack(request)
        }
        #expect(mistakes == 2)
        #expect(responses.take() !== responses.take() && requests.take() !== requests.take())
    }

    @Test func secondReturnStopsADebugBuild() async {
        await #expect(processExitsWith: .failure) {
            let context = LoopContext(
                EmbeddedEventLoop(),
                names: .system,
                logger: Logger(label: "test"),
                limits: ConnectionLimits()
            )
            let response = context.spares.responses.take()
            context.spares.responses.giveBack(response)
            context.spares.responses.giveBack(response)
            // Only a release build comes here.
            precondition(context.faults.internalErrors.reduce(0, +) == 0)
        }
    }
}
