import Authorization
import Foundation
import HTTPCore
import Synchronization
import TestSupport
import UpstreamTestSupport

@testable import Tenants

/// What a request goes through before a backend gets it.
enum RequestPipelineFuzz {
    static let targets = [canonicalPath, host, clientAddress, token, forwardedHead, requestID]

    static let canonicalPath = FuzzTarget(
        "canonical-path",
        texts: ["/", "/a/b", "/a/../b/./c/", "//a//b;c=d/e", "/%61/%2e%2e/b", "/a%20b/%C3%A4", "/.gatehouse/x"],
        words: ["/../", "/./", "//", "%2e", "%2F", "%5c", "%00", "%252e", ";", "..;", "%c0%ae", "%3b", ".gatehouse"]
    ) { bytes in
        let path = [UInt8(ascii: "/")] + bytes.dropFirst().filter { $0.isTargetByte && $0 != UInt8(ascii: "?") }
        var first = CanonicalPath()
        var forwarded = path
        var decoded = path
        switch first.read(path.span) {
        case .ambiguous: return false
        case .asReceived: break
        case .rewritten: (forwarded, decoded) = (first.forwarded, first.decoded)
        }
        try hold(forwarded.first == UInt8(ascii: "/"), "does not begin with a slash")
        try hold(forwarded.count < 2 || forwarded[1] != UInt8(ascii: "/"), "begins with two slashes")
        try hold(forwarded.allSatisfy(\.isTargetByte), "has a byte that no target has")
        try hold(!decoded.contains(0) && !decoded.contains(UInt8(ascii: "\\")), "has a NUL or a backslash")
        let escapes = decoded.indices.dropLast(2).filter { index in
            decoded[index] == UInt8(ascii: "%") && decoded[index + 1].hexValue != nil
                && decoded[index + 2].hexValue != nil
        }
        try hold(escapes.isEmpty, "can be decoded twice")
        for reading in [decoded, forwarded] + (first.reduced.map { [$0] } ?? []) {
            for segment in reading.split(separator: UInt8(ascii: "/")) {
                let name = segment.prefix { $0 != UInt8(ascii: ";") }
                try hold(!name.elementsEqual([0x2e]) && !name.elementsEqual([0x2e, 0x2e]), "has a dot segment")
            }
        }
        var second = CanonicalPath()
        switch second.read(forwarded.span) {
        case .ambiguous: throw FuzzFailure("what is forwarded is ambiguous")
        case .asReceived: try hold(decoded == forwarded, "what is forwarded decodes to something else")
        case .rewritten:
            try hold(second.forwarded == forwarded, "what is forwarded is not canonical")
            try hold(second.decoded == decoded, "what is forwarded decodes to something else")
            try hold(second.reduced == first.reduced, "what is forwarded reduces to something else")
        }
        return true
    }

    static let host = FuzzTarget(
        "request-host",
        texts: ["app.test", "APP.test.:8080", "[2001:db8::1]:443", "127.0.0.1", "a_b.test:"],
        words: [".", ":", "[::]", "@", "%61", ":65536", ","]
    ) { bytes in
        var name: [UInt8] = []
        guard (try? RequestHost.read(bytes.span, 0..<bytes.count, into: &name)) != nil else { return false }
        try hold(!name.isEmpty && name.count <= bytes.count, "an empty or longer name")
        try hold(!name.contains { $0 <= 0x20 || $0 >= 0x7f || ($0 >= 0x41 && $0 <= 0x5a) }, "an odd byte in the name")
        try hold(!name.contains { "/?#@,%\\".utf8.contains($0) }, "a byte in the name that ends it elsewhere")
        // Some names end in two dots, of which one is taken off each time.
        guard name.last != UInt8(ascii: ".") else { return true }
        var again: [UInt8] = []
        try? RequestHost.read(name.span, 0..<name.count, into: &again)
        try hold(again == name, "read again it is another name")
        return true
    }

    static let clientAddress = FuzzTarget(
        "client-address",
        texts: ["192.0.2.7", "192.0.2.7, 10.0.0.1", "2001:db8::1,10.1.2.3 ,\t10.0.0.9", "unknown, 10.0.0.2"],
        words: [", ", "10.0.0.1", "::ffff:10.0.0.1", "\r\nX-Forwarded-For: ", "\r\nX_Forwarded_For: ", "fe80::1%eth0"]
    ) { bytes in
        let text = Array("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ".utf8) + bytes + Array("\r\n\r\n".utf8)
        guard let head = RequestHead.reading(text), let base = IPAddress("10.0.0.0") else { return false }
        let trusted = AddressRange(base: base, prefixLength: 8)
        guard let found = ClientAddress.read(head, text.span, trustedProxies: [trusted]) else { return false }
        let name = String(decoding: found, as: UTF8.self)
        guard let address = IPAddress(name) else { throw FuzzFailure("\(name) is no address") }
        let values = RequestReading(head, text).values("x-forwarded-for")
        let members = values.flatMap { $0.split(separator: ",") }.compactMap { member in
            let trimmed = member.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
            return trimmed.isEmpty ? nil : trimmed
        }
        // The member that was chosen: only trusted ones stand right of it.
        let right = members.reversed().prefix { IPAddress($0).map { trusted.contains($0) } ?? false }
        let rest = members.dropLast(right.count)
        if trusted.contains(address) {
            try hold(right.last == name, "\(name) was chosen, and is not the leftmost of the trusted")
            try hold(rest.last.map { IPAddress($0) == nil } ?? true, "a client's address was passed over")
        } else {
            try hold(rest.last == name, "\(name) was chosen, and is not the rightmost that is not trusted")
        }
        return true
    }

    static let token = FuzzTarget(
        "token-places",
        texts: [
            "GET /?token=a.b.c HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.b.c\r\nCookie: x=y; session=\"d.e.f\"\r\n\r\n",
            "GET /?a=b&%74oken=x HTTP/1.1\r\nHost: a\r\nCookie: session=1\r\nCookie: session=1\r\nX-Token: t\r\n\r\n",
        ],
        words: [
            "session=", "; session=z", "token=z", "Cookie: ", "X-Token: z\r\n", "X_Token: z\r\n", "Bearer ", "DPoP ",
        ]
    ) { bytes in
        let sources: [TokenSource] = [
            .bearer, .cookie(name: "session"), .query(name: "token"), .header(name: "x-token"),
        ]
        func find(_ bytes: [UInt8]) -> TokenFinder.Finding? {
            guard let head = RequestHead.reading(bytes),
                let target = try? RequestTarget(bytes.span, method: head.method, target: head.target)
            else { return nil }
            return TokenFinder.find(head, bytes.span, query: target.query, in: sources, takesProofs: true)
        }
        guard case .token(let range, let place)? = find(bytes), let head = RequestHead.reading(bytes) else {
            return false
        }
        try hold(range.lowerBound >= 0 && range.upperBound <= head.length && !range.isEmpty, "not in the head")
        try hold(!bytes[range].contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d }, "a token with a line end")
        let rival: String
        switch sources[place] {
        case .bearer: rival = "Authorization: Bearer rival.rival.rival\r\n"
        case .cookie(let name): rival = "Cookie: \(name)=rival.rival.rival\r\n"
        case .header(let name): rival = "\(name): rival.rival.rival\r\n"
        case .query: return true
        }
        var contested = bytes
        contested.insert(contentsOf: Array(rival.utf8), at: head.length - 2)
        guard let finding = find(contested) else { return true }
        try hold(finding == .several, "a second token in one place is passed over")
        return true
    }

    private static let identity = ["X-User-Id", "X-User-Email"]

    /// A pipeline is for one thread.
    private final class SharedPipeline: Sendable {
        private let pipeline: Mutex<RequestPipeline?>

        init() {
            pipeline = Mutex(nil)
        }

        func forwardedBytes(_ bytes: [UInt8]) throws -> [UInt8]? {
            try pipeline.withLock { pipeline in
                if pipeline == nil {
                    let headers = [
                        Identity.Header(name: identity[0], claim: "sub"), .init(name: identity[1], claim: "email"),
                    ]
                    let rules = [try RequestPipeline.rule("/open/**", .anyone)]
                    pipeline = RequestPipeline([
                        try RequestPipeline.tenant(access: rules, identity: Identity(headers: headers))
                    ])
                }
                return pipeline?.forwardedBytes(bytes, from: try RequestPipeline.peer(trusted: true))
            }
        }
    }

    /// From the client's head to the backend's: parser, router, decision, field filter, writer.
    static let forwardedHead = {
        let pipeline = SharedPipeline()
        let bearer = (try? RequestPipeline.token()) ?? ""
        return FuzzTarget(
            "forwarded-head",
            seeds: [
                RequestPipeline.request("/open/a", lines: ["X-A: b", "Connection: close, x-a", "X-User-Id: mallory"]),
                RequestPipeline.request(
                    "/a/../b?c=d",
                    method: "POST",
                    lines: ["Authorization: Bearer \(bearer)", "Content-Length: 3"]
                ),
                RequestPipeline.request(
                    "/open/%61",
                    method: "PUT",
                    lines: ["Transfer-Encoding: chunked", "TE: trailers"]
                ),
                RequestPipeline.request(
                    "http://app.test/open/",
                    lines: ["X-Forwarded-For: 192.0.2.1", "Forwarded: for=a", "x_user_id: m"]
                ),
                RequestPipeline.request(
                    "/open/",
                    lines: ["Upgrade: websocket", "Connection: upgrade", "traceparent: 00-0-0-01"]
                ),
            ],
            words: [
                "X-User-Id: mallory\r\n", "x_user.id: mallory\r\n", "Connection: x-user-id, host\r\n",
                "Host: app.test\r\n", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n",
                "X-Forwarded-Host: m\r\n", "Via: m\r\n", "/open/", "Expect: 100-continue\r\n", "X-Request-Id: m\r\n",
            ],
            quickInputs: 1000
        ) { bytes in
            guard let written = try pipeline.forwardedBytes(bytes) else { return false }
            guard let sent = RequestOutcome.parse(bytes).reading, let seen = RequestOutcome.parse(written).reading
            else { throw FuzzFailure("forwarded what cannot be parsed strictly") }
            try hold(seen.length == written.count && seen.isClean, "forwarded more than one head")
            try hold(seen.framing == sent.framing, "the backend frames the body another way")
            try hold(seen.method == sent.method, "the backend gets another method")
            for name in ["host", "x-forwarded-for", "forwarded", "x-request-id", "traceparent"] {
                try hold(seen.names.filter { $0 == name }.count == 1, "\(name) does not come once")
            }
            for (name, value) in zip(identity, ["alice", "alice@example.test"]) {
                let values = seen.values(name)
                try hold(values.isEmpty || values == [value], "\(name) is \(values)")
            }
            let aliases = seen.names.filter { name in
                let plain = name.map { $0.isLetter || $0.isNumber ? $0 : "-" }
                return identity.contains { $0.lowercased() == String(plain) }
                    && name.contains { $0 == "_" || $0 == "." }
            }
            try hold(aliases.isEmpty, "an identity goes by another spelling: \(aliases)")
            return true
        }
    }()

    static let requestID = FuzzTarget(
        "request-id",
        texts: ["01234567-89ab-4def-8123-456789abcdef", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"]
    ) { bytes in
        guard let id = RequestID(bytes.span) else { return false }
        try hold(id.text == String(decoding: bytes, as: UTF8.self).lowercased(), "written as \(id.text)")
        return true
    }
}
