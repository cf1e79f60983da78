import Testing

@testable import Gateway

/// An exchange is small enough that every way through it can be walked.
struct ExchangeTests {
    private enum Step: CaseIterable {
        case takeFresh, takeKept, bodyBegan, continuePassedOn, requestCompleted, answerBegan
    }

    /// What a plain observer knows of the same steps.
    private struct Seen {
        var mayRetry = false
        var isContinued = false
        var isRequestComplete = false
        var isAnswerBegun = false
    }

    private func walk(_ exchange: Exchange, _ seen: Seen, depth: Int, _ visit: (Exchange, Seen) -> Void) {
        visit(exchange, seen)
        guard depth > 0 else { return }
        for step in Step.allCases {
            var next = exchange
            var known = seen
            switch step {
            case .takeFresh, .takeKept:
                next.serverTaken(mayRetry: step == .takeKept)
                known.mayRetry = step == .takeKept
            case .bodyBegan:
                next.bodyBegan()
                known.isContinued = true
            case .continuePassedOn:
                next.continuePassedOn()
                known.isContinued = true
            case .requestCompleted:
                next.requestCompleted()
                known.isContinued = true
                known.isRequestComplete = true
            case .answerBegan:
                guard !known.isAnswerBegun else { continue }
                _ = next.answerBegan(draining: false)
                known.isAnswerBegun = true
            }
            walk(next, known, depth: depth - 1, visit)
        }
    }

    private func walkAll(_ visit: (_ wantsKeepAlive: Bool, _ expects: Bool, Exchange, Seen) -> Void) {
        for wantsKeepAlive in [false, true] {
            for expects in [false, true] {
                let start = Exchange(clientWantsKeepAlive: wantsKeepAlive, expectsContinue: expects)
                walk(start, Seen(isContinued: !expects), depth: 5) { visit(wantsKeepAlive, expects, $0, $1) }
            }
        }
    }

    @Test func lossOfTheServerIsAnsweredByWhatTheClientHasSeen() {
        walkAll { _, _, exchange, seen in
            #expect(exchange.answerHasBegun == seen.isAnswerBegun)
            #expect(exchange.awaitsAnswer == !seen.isAnswerBegun)
            for endsProperly in [false, true] {
                let expected: Exchange.ServerLoss =
                    seen.isAnswerBegun
                    ? (endsProperly ? .endOfAnswer : .cutClient) : seen.mayRetry ? .retry : .answerBadGateway
                #expect(exchange.serverLost(endsProperly: endsProperly) == expected)
            }
        }
    }

    @Test func clientStaysOnlyIfItWantsToAndKnowsWhatToSendNext() {
        walkAll { wantsKeepAlive, _, exchange, seen in
            guard !seen.isAnswerBegun else { return }
            for draining in [false, true] {
                var exchange = exchange
                let stays = exchange.answerBegan(draining: draining)
                #expect(stays == (wantsKeepAlive && seen.isContinued && !draining))
            }
        }
    }

    @Test func completionKeepsConnectionsOnlyWhenBothMessagesAreWhole() {
        walkAll { _, _, exchange, seen in
            for serverKeepsAlive in [false, true] {
                for clientStays in [false, true] {
                    var exchange = exchange
                    let completion = exchange.answerCompleted(
                        serverKeepsAlive: serverKeepsAlive,
                        clientStays: clientStays
                    )
                    let client: Exchange.Completion.Client =
                        !clientStays ? .close : seen.isRequestComplete ? .keep : .readPastBody
                    #expect(completion.client == client)
                    #expect(completion.reusesServer == (serverKeepsAlive && seen.isRequestComplete))
                    #expect(exchange.serverLost(endsProperly: true) == .nothing)
                    #expect(exchange.serverLost(endsProperly: false) == .nothing)
                }
            }
        }
    }

    @Test func requestIsNotMadeAgainOnceTheServerHasSaidAnything() {
        var exchange = Exchange(clientWantsKeepAlive: true, expectsContinue: false)
        exchange.serverTaken(mayRetry: true)
        exchange.requestCompleted()
        #expect(exchange.serverLost(endsProperly: false) == .retry)
        exchange.serverSpoke()
        #expect(exchange.serverLost(endsProperly: false) == .answerBadGateway)
    }
}
