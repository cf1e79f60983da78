import NIOCore
import Testing

/// Many clients of one instance, each with a connection of its own and one request on it.
struct RefreshClients: Sendable {
    private let clients: [RawClient]
    /// Distinguishes these clients' requests.
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

    /// Sends each client's request; the body identifies the response.
    ///
    /// - Parameter credentials: A whole field line.
    func ask(_ credentials: String) async throws {
        for (number, client) in clients.enumerated() {
            let body = self.body(number)
            let lines = ["POST /x HTTP/1.1", "Host: app.test", credentials, "Content-Length: \(body.utf8.count)"]
            try await client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }
    }

    /// All responses; closes the connections.
    func responses() async throws -> [Response] {
        try await withThrowingTaskGroup(of: Response.self) { group in
            for (number, client) in clients.enumerated() {
                group.addTask { Response(try await client.response(), sent: body(number)) }
            }
            var responses: [Response] = []
            for try await response in group { responses.append(response) }
            await leave()
            return responses
        }
    }

    func leave() async {
        for client in clients { await client.close() }
    }

    private func body(_ number: Int) -> String { "client-\(name)-\(number)" }

    struct Response: Sendable {
        let response: RawResponse
        let sent: String

        init(_ response: RawResponse, sent: String) {
            self.response = response
            self.sent = sent
        }

        /// Names and values of its `Set-Cookie` fields.
        var cookies: [String] {
            response.fields["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }.sorted()
        }
    }
}

extension [RefreshClients] {
    func ask(_ credentials: String) async throws {
        for clients in self { try await clients.ask(credentials) }
    }

    func responses() async throws -> [RefreshClients.Response] {
        var responses: [RefreshClients.Response] = []
        for clients in self { responses += try await clients.responses() }
        return responses
    }
}

/// Expects that each request was replayed with the new token, which its client got.
///
/// - Parameter generation: The number of refreshes of the session.
func expectRefreshed(
    _ responses: [RefreshClients.Response],
    _ count: Int,
    to pair: RotatingProvider.Pair,
    generation: Int = 1,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(responses.count == count, sourceLocation: sourceLocation)
    let bad = responses.filter { $0.response.status != 200 || $0.response.body.text != "\(generation) \($0.sent)" }
    let example = bad.first.map { "\($0.response.status) \($0.response.body.text)" } ?? ""
    #expect(bad.count == 0, "not good: \(example)", sourceLocation: sourceLocation)
    let cookies = ["access=\(pair.access)", "rt=\(pair.refresh)"]
    let without = responses.count { $0.cookies != cookies }
    #expect(without == 0, "so many got other tokens, or none", sourceLocation: sourceLocation)
}
