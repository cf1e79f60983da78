import HTTPCore

/// How much of a request's body has come.
struct RequestBody: Equatable {
    let framing: RequestFraming
    /// Bytes of content so far.
    private(set) var count = 0
    /// Whether the whole request has arrived.
    private(set) var isComplete: Bool
    /// `Expect: 100-continue`, and no 100 was sent yet.
    var awaitsContinue: Bool

    init(_ framing: RequestFraming = .none, awaitsContinue: Bool = false) {
        self.framing = framing
        isComplete = framing == .none
        self.awaitsContinue = awaitsContinue && framing != .none
    }

    mutating func received(_ count: Int) {
        self.count += count
        awaitsContinue = false
    }

    mutating func end() {
        isComplete = true
        awaitsContinue = false
    }

    /// Bytes still to come; nil if unknown.
    var rest: Int? {
        if isComplete { return 0 }
        if case .length(let length) = framing { return length - count }
        return nil
    }
}
