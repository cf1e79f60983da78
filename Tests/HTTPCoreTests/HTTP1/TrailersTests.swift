import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

struct TrailersTests {
    private func passedOn(_ lines: [String], refusing name: String = "x-user-id") -> String {
        var out = ByteBuffer()
        Trailers.write(Array(lines.map { $0 + "\r\n" }.joined().utf8), to: &out) { field, bytes in
            let text = String(decoding: field.name.map { bytes[$0] }, as: UTF8.self)
            return text.lowercased().replacing("_", with: "-") == name
        }
        return String(buffer: out)
    }

    @Test func harmlessTrailersAreForwarded() {
        #expect(passedOn(["Grpc-Status: 0", "x:y", "Digest: \ta "]) == "Grpc-Status: 0\r\nx:y\r\nDigest: \ta \r\n")
        #expect(passedOn([]) == "")
    }

    @Test(arguments: [
        "Content-Length: 5", "Transfer-Encoding: chunked", "transfer_encoding: chunked", "Host: b", "Connection: close",
        "Authorization: Bearer x", "Cookie: a=b", "Set-Cookie: a=b", "SET_COOKIE: a=b", "Trailer: X", "TE: x",
        "X-Forwarded-For: 1.2.3.4", "Forwarded: for=x", "X-Request-Id: 1", "traceparent: x", "Content-Type: a/b",
        "Content-Encoding: gzip", "Content-Range: x", "Location: /", "Cache-Control: no-store",
        "WWW-Authenticate: Basic",
        "Expect: x", "X-User-Id: mallory", "x_user_id: mallory", "Upgrade: x", "Proxy-Authorization: x",
    ])
    func trailersWithMeaningAreDropped(line: String) {
        #expect(passedOn(["A: 1", line, "B: 2"]) == "A: 1\r\nB: 2\r\n")
    }
}
