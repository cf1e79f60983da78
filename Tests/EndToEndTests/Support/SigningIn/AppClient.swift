import Foundation
import Verification

/// A client of one host of the gateway. Each request has a connection of its own.
struct AppClient: Sendable {
    typealias Send = @Sendable (_ request: String, _ method: String) async throws -> RawResponse

    let host: String
    let send: Send

    /// - Parameters:
    ///   - token: Sent as bearer.
    ///   - fields: Whole field lines, without their CRLF.
    func request(
        _ method: String,
        _ target: String,
        token: String? = nil,
        fields: [String] = [],
        body: String? = nil
    ) async throws -> RawResponse {
        let text = Self.text(method, target, host: host, token: token, fields: fields, body: body)
        return try await send(text, method)
    }

    func get(_ target: String, token: String? = nil, fields: [String] = []) async throws -> RawResponse {
        try await request("GET", target, token: token, fields: fields)
    }

    func post(
        _ target: String,
        json: JSONObject,
        token: String? = nil,
        fields: [String] = []
    ) async throws -> RawResponse {
        try await request(
            "POST",
            target,
            token: token,
            fields: fields + ["Content-Type: application/json"],
            body: JSONWriter.text(of: .object(json))
        )
    }

    func post(_ target: String, form: String, token: String? = nil, fields: [String] = []) async throws -> RawResponse {
        try await request(
            "POST",
            target,
            token: token,
            fields: fields + ["Content-Type: application/x-www-form-urlencoded"],
            body: form
        )
    }

    /// The bytes of a request.
    static func text(
        _ method: String,
        _ target: String,
        host: String,
        token: String? = nil,
        fields: [String] = [],
        body: String? = nil
    ) -> String {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + fields
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }
}

extension GatewayFixture {
    func app(_ app: AppSetup) -> AppClient {
        AppClient(host: app.host) { try await self.send($0, method: $1) }
    }
}

extension RawResponse {
    /// The body as a JSON object; nil if it is none.
    var json: JSONObject? { (try? JSONParser.parse(body.bytes))?.object }

    /// The `Location` field; nil unless there is exactly one.
    var location: String? {
        let values = fields["Location"]
        return values.count == 1 ? values.first : nil
    }
}

/// Parameters of queries and forms.
enum Form {
    /// `name=value` pairs, joined by `&`.
    static func text(_ fields: KeyValuePairs<String, String>) -> String {
        fields.map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
    }

    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// The parameters in the query of a URL.
    static func query(of url: String) -> [String: String] {
        guard let mark = url.firstIndex(of: "?") else { return [:] }
        let query = url[url.index(after: mark)...].prefix { $0 != "#" }
        return Dictionary(query.split(separator: "&").map(pair)) { first, _ in first }
    }

    /// The path and the query of a URL, as a request has them.
    static func target(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let slash = url[scheme.upperBound...].firstIndex(of: "/") ?? url.endIndex
        return slash == url.endIndex ? "/" : String(url[slash...])
    }

    private static func pair(_ text: Substring) -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
    }

    private static func decoded(_ text: Substring) -> String {
        text.replacing("+", with: " ").removingPercentEncoding ?? ""
    }
}
