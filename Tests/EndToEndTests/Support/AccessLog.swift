import Synchronization
import TestSupport
import Verification

/// The access log's lines as the gateway writes them.
final class AccessLog: Sendable {
    private struct State {
        var unfinished: [UInt8] = []
        var text = ""
    }

    private let state = Mutex(State())
    private let lines = Mailbox<String>("a line in the access log")

    /// Everything so far.
    var text: String { state.withLock { $0.text + $0.unfinished.text } }

    /// Takes bytes that end anywhere.
    func write(_ bytes: [UInt8]) {
        let whole = state.withLock { state -> [String] in
            state.unfinished += bytes
            var whole: [String] = []
            while let end = state.unfinished.firstIndex(of: UInt8(ascii: "\n")) {
                whole.append(Array(state.unfinished[..<end]).text)
                state.unfinished.removeSubrange(...end)
            }
            state.text += whole.map { $0 + "\n" }.joined()
            return whole
        }
        for line in whole { lines.put(line) }
    }

    /// The next line's object.
    func next() async throws -> JSONObject {
        let line = try await lines.next()
        guard let object = try JSONParser.parse(Array(line.utf8)).object else { throw Malformed("no object: \(line)") }
        return object
    }
}
