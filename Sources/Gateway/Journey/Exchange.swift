/// One request and its answer between a client's connection and a server's, as a value: what has been seen of each side,
/// and what follows from the next event. Whoever holds the connections performs it.
struct Exchange: Equatable {
    /// What becomes of the two connections when the answer is complete.
    struct Completion: Equatable {
        enum Client: Equatable {
            case keep
            case close
            /// The answer came before the request was whole: what is left of it must be read past first.
            case readPastBody
        }

        var reusesServer: Bool
        var client: Client
    }

    /// What to do when the server's connection ends or its answer turns out garbled.
    enum ServerLoss: Equatable {
        /// Nothing reached the client and the request can be made again.
        case retry
        case answerBadGateway
        /// The answer had no other end.
        case endOfAnswer
        /// Part of an answer is out: only a broken connection tells the client that the rest will not come.
        case cutClient
        case nothing
    }

    private enum Answer: Equatable {
        case awaited
        case underWay
        case complete
    }

    private var mayRetry = false
    private let clientWantsKeepAlive: Bool
    /// `Expect: 100-continue`, and no 100 has been passed on.
    private(set) var awaitsContinue: Bool
    private var requestIsComplete = false
    private var answer = Answer.awaited

    init(clientWantsKeepAlive: Bool, expectsContinue: Bool) {
        self.clientWantsKeepAlive = clientWantsKeepAlive
        awaitsContinue = expectsContinue
    }

    var answerHasBegun: Bool { answer != .awaited }
    var awaitsAnswer: Bool { answer == .awaited }
    /// Whether nothing of the request is still to come.
    var hasWholeRequest: Bool { requestIsComplete }

    /// - Parameter mayRetry: Whether the same request may be sent again if this server is lost before it answers.
    mutating func serverTaken(mayRetry: Bool) {
        self.mayRetry = mayRetry
    }

    /// The server has seen the request: whatever becomes of its answer, making the request again might do it twice.
    mutating func serverSpoke() {
        mayRetry = false
    }

    /// Body bytes arrived: the client did not wait for 100.
    mutating func bodyBegan() {
        awaitsContinue = false
    }

    mutating func continuePassedOn() {
        awaitsContinue = false
    }

    mutating func requestCompleted() {
        requestIsComplete = true
        awaitsContinue = false
    }

    /// The head of the final answer goes out. Gives whether the client's connection stays open after it.
    ///
    /// A client that was never told to go on may send its body or leave it out (RFC 9110 section 10.1.1): what comes
    /// next on that connection could be either, so there is no next.
    mutating func answerBegan(draining: Bool) -> Bool {
        answer = .underWay
        return clientWantsKeepAlive && !awaitsContinue && !draining
    }

    /// - Parameter clientStays: What ``answerBegan(draining:)`` gave.
    mutating func answerCompleted(serverKeepsAlive: Bool, clientStays: Bool) -> Completion {
        answer = .complete
        let client: Completion.Client = !clientStays ? .close : requestIsComplete ? .keep : .readPastBody
        return Completion(reusesServer: mayReuseServer(serverKeepsAlive: serverKeepsAlive), client: client)
    }

    /// Whether the server has had all of the request and said all of its answer, and can take another one.
    func mayReuseServer(serverKeepsAlive: Bool) -> Bool { serverKeepsAlive && requestIsComplete }

    /// - Parameter endsProperly: Whether the close is how this answer's body ends.
    func serverLost(endsProperly: Bool) -> ServerLoss {
        switch answer {
        case .awaited: mayRetry ? .retry : .answerBadGateway
        case .underWay: endsProperly ? .endOfAnswer : .cutClient
        case .complete: .nothing
        }
    }
}
