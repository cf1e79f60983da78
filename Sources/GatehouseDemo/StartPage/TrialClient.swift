import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Tenants
import Verification

/// Makes the requests of trials, to this machine only.
enum TrialClient {
    private static let patience = TimeAmount.seconds(20)
    private static let longestResponse = 256 << 10

    /// - Parameter address: Of a listener.
    static func send(_ request: TrialRequest, to address: HostPort) async throws -> TrialResponse {
        var sent = HTTPClientRequest(url: "http://\(address)\(request.path)")
        sent.method = HTTPMethod(rawValue: request.method)
        sent.headers.add(name: "Host", value: request.host)
        for (name, value) in request.fields { sent.headers.add(name: name, value: value) }
        if let body = request.body { sent.body = .bytes(JSONWriter.bytes(of: .object(body))) }
        if let text = request.text { sent.body = .bytes(Array(text.utf8)) }
        let response = try await HTTPClient.shared.execute(sent, timeout: patience)
        let body = try await response.body.collect(upTo: longestResponse)
        return TrialResponse(
            status: Int(response.status.code),
            reason: response.status.reasonPhrase,
            fields: response.headers.map { ($0.name, $0.value) },
            body: String(buffer: body)
        )
    }
}
