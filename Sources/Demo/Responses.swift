import HTTPTypes
import Hummingbird
import Verification

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONWriter.bytes(of: value)))
        )
    }

    /// The response to a caller whose token or identity header this backend refuses.
    static func unauthorized(_ reason: String) -> Response {
        var response = json(["error": .string(reason)], status: .unauthorized)
        response.headers[.wwwAuthenticate] = "Bearer"
        return response
    }
}

extension Request {
    /// The body as a JSON object, or nil if it is none or longer than 64 KiB.
    mutating func jsonBody() async -> JSONObject? {
        guard let buffer = try? await collectBody(upTo: 64 << 10) else { return nil }
        return try? JSONParser.parse(Array(buffer.readableBytesView)).object
    }

    /// The token of `Authorization: Bearer`.
    var bearerToken: String? {
        guard let value = headers[.authorization], value.lowercased().hasPrefix("bearer ") else { return nil }
        return String(value.dropFirst("bearer ".count))
    }
}
