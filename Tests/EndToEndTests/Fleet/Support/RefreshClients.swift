import NIOCore
import Testing

/// Many clients of one instance, each with a connection of its own and one request on it.
struct RefreshClients: Sendable {
    private let clients: [RawClient]
    /// Tells these clients' requests from those of others.
    private let name: String

    init(_ count: Int, at instance: Instance) async throws {
        var clients: [RawClient] = []
        for _ in 0..<count { clients.append(RawClient(try await Wire.connect(to: instance.address))) }
        self.clients = clients
        name = "\(instance.address.port)"
    }

    /// One set of clients at each instance.
    static func gather(_ count: Int = 200, at instances: [Instance]) async throws -> [RefreshClients] {
        var clients: [RefreshClients] = []
        for instance in instances { clients.append(try await RefreshClients(count, at: instance)) }
        return clients
    }

    /// Each client sends its request; a body tells whose answer is whose.
    ///
    /// - Parameter credentials: A whole field line.
    func ask(_ credentials: String) async throws {
        for (number, client) in clients.enumerated() {
            let body = self.body(number)
            let lines = ["POST /x HTTP/1.1", "Host: app.test", credentials, "Content-Length: \(body.utf8.count)"]
            try await client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }
    }

    /// What all of them were answered, and the connections' end.
    func answers() async throws -> [Answer] {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for (number, client) in clients.enumerated() {
                group.addTask { Answer(try await client.response(), sent: body(number)) }
            }
            var answers: [Answer] = []
            for try await answer in group { answers.append(answer) }
            await leave()
            return answers
        }
    }

    func leave() async {
        for client in clients { await client.close() }
    }

    private func body(_ number: Int) -> String { "client-\(name)-\(number)" }

    struct Answer: Sendable {
        let response: RawResponse
        let sent: String

        init(_ response: RawResponse, sent: String) {
            self.response = response
            self.sent = sent
        }

        /// Names and values of the cookies that it sets.
        var cookies: [String] {
            response.fields["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }.sorted()
        }
    }
}

extension [RefreshClients] {
    func ask(_ credentials: String) async throws {
        for clients in self { try await clients.ask(credentials) }
    }

    func answers() async throws -> [RefreshClients.Answer] {
        var answers: [RefreshClients.Answer] = []
        for clients in self { answers += try await clients.answers() }
        return answers
    }
}

/// Expects that each request was served by its new token, and brought it to its client.
///
/// - Parameter generation: How many refreshes the session has had.
func expectRefreshed(
    _ answers: [RefreshClients.Answer],
    _ count: Int,
    to pair: RotatingProvider.Pair,
    generation: Int = 1,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answers.count == count, sourceLocation: sourceLocation)
    let bad = answers.filter { $0.response.status != 200 || $0.response.body.text != "\(generation) \($0.sent)" }
    let example = bad.first.map { "\($0.response.status) \($0.response.body.text)" } ?? ""
    #expect(bad.count == 0, "not good: \(example)", sourceLocation: sourceLocation)
    let cookies = ["access=\(pair.access)", "rt=\(pair.refresh)"]
    let without = answers.count { $0.cookies != cookies }
    #expect(without == 0, "so many got other tokens, or none", sourceLocation: sourceLocation)
}
