import NIOCore
import TestSupport

@testable import HTTPCore

/// A header list as it would come, and what becomes of it.
struct HTTP2Translation {
    var fields: [HPACKField]

    init(_ fields: [(String, String)]) {
        self.fields = fields.map { HPACKField($0.0, $0.1) }
    }

    /// A request with these fields and the usual pseudo-header fields before them, some of which may be replaced, or
    /// left out by nil.
    static func request(_ fields: [(String, String)] = [], _ changes: [String: String?] = [:]) -> HTTP2Translation {
        let usual = [(":method", "GET"), (":scheme", "https"), (":authority", "api.example"), (":path", "/a?b=c")]
        let pseudo = usual.compactMap { name, value -> (String, String)? in
            guard let change = changes[name] else { return (name, value) }
            return change.map { (name, $0) }
        }
        let added = changes.compactMap { name, value in
            usual.contains { $0.0 == name } ? nil : value.map { (name, $0) }
        }
        return HTTP2Translation(pseudo + added + fields)
    }

    func writeRequest(endStream: Bool = true) throws -> (text: String, info: HTTP2Request.Info) {
        let list = HeaderList(fields)
        var out = ByteBuffer(string: "BEFORE")
        do {
            let info = try HTTP2Request.write(list, endStream: endStream, to: &out)
            return (String(String(buffer: out).dropFirst(6)), info)
        } catch {
            guard String(buffer: out) == "BEFORE" else { throw WrittenInSpiteOfFailure() }
            throw error
        }
    }

    func writeResponse(endStream: Bool = false, answeringHead: Bool = false) throws -> String {
        let list = HeaderList(fields)
        var out = ByteBuffer()
        try HTTP2BackendResponse.write(list, endStream: endStream, answeringHead: answeringHead, to: &out)
        return String(buffer: out)
    }

    struct WrittenInSpiteOfFailure: Error {}
}
