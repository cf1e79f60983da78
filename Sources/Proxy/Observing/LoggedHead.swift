/// What a log line says of a request's head: its tenant, method and target, as members of a JSON object.
struct LoggedHead {
    var text: [UInt8] = []
    /// Where the path is in it, without the query.
    var path = 0..<0

    var isEmpty: Bool { text.isEmpty }
}
