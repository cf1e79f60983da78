import HTTPCore
import NIOCore
import TestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Proxy
@testable import Tenants

/// How response headers are changed.
struct AppliedHeaderRulesTests {
    private struct Asked {
        var rules = HeaderRules()
        var sharing: CrossOriginRules?
        var mode = Tenant.Mode.enforce
        var refresh: RefreshRules?
        /// Of the request.
        var lines: [String] = []
        var isTrusted = false
        var isOurs = false
        /// Fields with new tokens.
        var delivered: [HeaderField] = []
    }

    /// The lines that the client gets of a response with these.
    private func lines(_ answer: [String], _ asked: Asked) throws -> [String] {
        var tenant = try RequestPipeline.tenant(mode: asked.mode)
        tenant.headers = asked.rules
        tenant.crossOrigin = asked.sharing
        let rules = try #require(ResponseHeaderRules(tenant, CrossOriginSharing(tenant)))
        let request = RequestPipeline.request("/a", lines: asked.lines)
        let requestHead = RequestHead()
        let parser = RequestHeadParser(maximumBytes: 32 << 10, maximumFields: 100)
        try #require(parser.parse(request.span, into: requestHead) == .complete)
        let shape = rules.shape(requestHead, request.span, try RequestPipeline.peer(trusted: asked.isTrusted))
        if asked.isOurs {
            let fields = answer.map { line in
                let colon = line.firstIndex(of: ":") ?? line.endIndex
                return HeaderField(String(line[..<colon]), String(line[colon...].dropFirst().drop { $0 == " " }))
            }
            let ours = GatewayResponse(status: 204, unindexedFields: fields)
            return ours.shaped(by: shape).unindexedFields.map(\.line)
        }
        let bytes = Array((["HTTP/1.1 204 "] + answer + ["Date: d", "", ""]).joined(separator: "\r\n").utf8)
        let head = ResponseHead()
        try #require(ResponseOutcome.parse(bytes, into: head).reading != nil)
        var out = ByteBuffer()
        ClientHeadWriter.write(
            head,
            bytes.span,
            ClientHeadWriter.Delivery(.none, clientMinorVersion: 1),
            ClientHeadWriter.Connection(minorVersion: 1, stays: true),
            date: [],
            fields: asked.delivered,
            shape: shape,
            to: &out
        )
        let all = String(buffer: out).split(separator: "\r\n").map(String.init).dropFirst()
        return all.filter { $0 != "Date: d" }
    }

    private static func field(_ name: String, _ value: String) -> HeaderRules.Field {
        HeaderRules.Field(name: name, value: Secret(value))
    }

    private static let sharing = CrossOriginRules(
        origins: ["https://front.test"],
        allowsCredentials: true,
        exposedFields: ["X-Total", "retry-after"]
    )
    private static let exposed = "Access-Control-Expose-Headers: WWW-Authenticate, Retry-After, X-Total"

    // MARK: headers

    @Test func setFieldReplacesAllCopies() throws {
        let changes = HeaderRules.Changes(set: [Self.field("Server", "shop")], remove: ["X-Powered-By"])
        let asked = Asked(rules: HeaderRules(response: changes))
        let answer = ["SERVER: a", "X: 1", "server: b", "x_powered_by: c", "X-Powered-By: d", "X-Powered: e"]
        #expect(try lines(answer, asked) == ["X: 1", "X-Powered: e", "Server: shop"])
        #expect(try lines([], asked) == ["Server: shop"])
    }

    @Test func cacheControlRulesSpareOwnAndTokenResponses() throws {
        let changes = HeaderRules.Changes(set: [Self.field("Cache-Control", "max-age=60")], remove: ["Pragma"])
        var asked = Asked(rules: HeaderRules(response: changes))
        #expect(try lines(["cache-control: private", "Pragma: x"], asked) == ["Cache-Control: max-age=60"])
        asked.isOurs = true
        #expect(try lines(["Cache-Control: no-store"], asked) == ["Cache-Control: no-store"])
        asked.isOurs = false
        asked.delivered = [.noStore, HeaderField("X-New", "t")]
        #expect(try lines(["Cache-Control: public"], asked) == ["Cache-Control: no-store", "X-New: t"])
    }

    @Test func missingSecurityFieldsAreAdded() throws {
        var asked = Asked(rules: HeaderRules(security: .standard))
        let all = [
            "X-Content-Type-Options: nosniff", "Referrer-Policy: strict-origin-when-cross-origin",
            "X-Frame-Options: SAMEORIGIN",
        ]
        #expect(try lines([], asked) == all)
        #expect(
            try lines(["x-frame-options: DENY", "Referrer-Policy: no-referrer"], asked) == [
                "x-frame-options: DENY", "Referrer-Policy: no-referrer", all[0],
            ]
        )
        // Browsers do not read an alias.
        #expect(try lines(["X_Frame_Options: DENY"], asked) == ["X_Frame_Options: DENY"] + all)
        asked.rules.response = HeaderRules.Changes(
            set: [Self.field("referrer-policy", "origin")],
            remove: ["X-Frame-Options"]
        )
        #expect(try lines(["X-Frame-Options: DENY"], asked) == ["referrer-policy: origin", all[0]])
    }

    @Test func strictTransportSecurityNeedsTLS() throws {
        var asked = Asked(rules: HeaderRules(security: .standard), lines: ["X-Forwarded-Proto: https"])
        let strict = "Strict-Transport-Security: max-age=31536000"
        #expect(try !lines([], asked).contains(strict))
        asked.isTrusted = true
        #expect(try lines([], asked).contains(strict))
        let said = "strict-transport-security: max-age=1"
        #expect(try lines([said], asked).filter { $0.lowercased().hasPrefix("strict") } == [said])
    }

    // MARK: cors

    @Test func allowedOriginGetsCORSFields() throws {
        let asked = Asked(sharing: Self.sharing, lines: ["Origin: https://front.test"])
        #expect(
            try lines(["X: 1"], asked) == [
                "X: 1", "Access-Control-Allow-Origin: https://front.test", "Access-Control-Allow-Credentials: true",
                Self.exposed, "Vary: Origin",
            ]
        )
    }

    @Test(arguments: [
        [], ["Origin: https://evil.test"], ["Origin: null"],
        ["Origin: https://front.test", "Origin: https://front.test"],
    ])
    func otherOriginGetsNoCORSFields(request: [String]) throws {
        let theirs = [
            "Access-Control-Allow-Origin: *", "access-control-allow-credentials: true", "access_control_x: y",
        ]
        var asked = Asked(sharing: Self.sharing, lines: request)
        #expect(try lines(theirs, asked) == ["Vary: Origin"])
        // In observe mode the fields of the backend are kept.
        asked.mode = .observe
        #expect(try lines(theirs, asked) == theirs + ["Vary: Origin"])
    }

    @Test(arguments: [
        (["Vary: Accept"], "Vary: Accept, Origin"), (["vary: a,b", "X: 1", "Vary:  c "], "Vary: a, b, c, Origin"),
        (["Vary: accept, ORIGIN"], "Vary: accept, ORIGIN"), (["Vary: *"], "Vary: *"), (["Vary:"], "Vary: Origin"),
    ])
    func varyIsMerged(theirs: [String], vary: String) throws {
        let written = try lines(theirs, Asked(sharing: Self.sharing))
        #expect(written.filter { $0.lowercased().hasPrefix("vary") } == [vary])
    }

    @Test func wildcardAllowsEveryOriginWithoutCredentials() throws {
        let sharing = CrossOriginRules(origins: ["*"])
        #expect(
            try lines([], Asked(sharing: sharing, lines: ["Origin: https://any.test"])) == [
                "Access-Control-Allow-Origin: *", "Access-Control-Expose-Headers: WWW-Authenticate, Retry-After",
                "Vary: Origin",
            ]
        )
    }

    @Test func ownResponsesGetCORSFields() throws {
        var tenant = try RequestPipeline.tenant()
        tenant.crossOrigin = CrossOriginRules(
            origins: ["https://front.test"],
            exposedFields: ["dpop-nonce", "X-Total"]
        )
        tenant.proof = ProofRules()
        tenant.rateLimits = [RateLimit(key: .address, count: 1, period: .seconds(1), burst: 1)]
        tenant.refresh = RefreshRules(
            call: RefreshCall(strategy: .bearer, target: nil, accessToken: try #require(JSONPointer("/t"))),
            delivery: RefreshDelivery(header: "X-Refreshed")
        )
        let fields = try #require(CrossOriginSharing(tenant)).responseFields[0]
        #expect(
            fields.last
                == HeaderField(
                    "Access-Control-Expose-Headers",
                    "WWW-Authenticate, Retry-After, X-Refreshed, RateLimit, RateLimit-Policy, DPoP-Nonce, X-Total"
                )
        )
    }

    @Test func tenantWithoutHeaderRulesHasNone() throws {
        #expect(ResponseHeaderRules(try RequestPipeline.tenant(), nil) == nil)
    }

    // MARK: Whatever comes

    @Test func changedFieldIsRemovedInEverySpelling() throws {
        var random = SplitMix64(seed: 0x6272_6f77)
        let names = ["X-Api-Version", "Server", "X-A", "Via-Cache"]
        let changes = HeaderRules.Changes(
            set: [Self.field(names[0], "ours"), Self.field(names[1], "ours")],
            remove: [names[2], names[3]]
        )
        let asked = Asked(rules: HeaderRules(response: changes), sharing: Self.sharing)
        for _ in 0..<300 {
            let answer = (0..<Int.random(in: 1...12, using: &random)).map { index in
                let all = names + ["Access-Control-Allow-Origin", "X-Kept", "Servers", "X-AB"]
                return "\(spelled(all.randomElement(using: &random) ?? "X", &random)): theirs \(index)"
            }
            let written = try lines(answer, asked)
            let kept = answer.filter { line in
                let name = folded(line)
                return !names.contains { $0.lowercased() == name } && !name.hasPrefix("access-control-")
            }
            #expect(written == kept + ["X-Api-Version: ours", "Server: ours", "Vary: Origin"])
        }
    }

    @Test func changedFieldNeverReachesBackend() throws {
        var random = SplitMix64(seed: 0x7265_7175)
        let names = ["X-Api-Key", "X-Debug", "Accept-Language", "X-1"]
        var tenant = try RequestPipeline.tenant(access: [try RequestPipeline.rule("/**", .anyone)])
        tenant.headers.request = HeaderRules.Changes(
            set: [Self.field(names[0], "ours")],
            remove: Array(names.dropFirst())
        )
        let pipeline = RequestPipeline([tenant])
        let peer = try RequestPipeline.peer(trusted: true)
        for _ in 0..<300 {
            let fields = (0..<Int.random(in: 1...12, using: &random)).map { index in
                let all = names + ["X-Kept", "X-Debugging", "Accept"]
                return "\(spelled(all.randomElement(using: &random) ?? "X", &random)): theirs \(index)"
            }
            let lines = fields + (Bool.random(using: &random) ? ["Connection: \(spelled(names[0], &random))"] : [])
            let written = try #require(pipeline.forwardedBytes(RequestPipeline.request("/a", lines: lines), from: peer))
            let seen = String(decoding: written, as: UTF8.self).split(separator: "\r\n").map(String.init)
            let changed = seen.filter { line in names.contains { $0.lowercased() == folded(line) } }
            #expect(changed == ["X-Api-Key: ours"])
            let kept = fields.filter { line in !names.contains { $0.lowercased() == folded(line) } }
            #expect(seen.filter { $0.contains(": theirs ") } == kept)
        }
    }

    /// In any case, and with `_` for `-`.
    private func spelled(_ name: String, _ random: inout SplitMix64) -> String {
        String(
            name.map { character in
                let turned = Bool.random(using: &random)
                if character == "-" { return turned ? "_" : "-" }
                return turned ? Character(character.uppercased()) : Character(character.lowercased())
            }
        )
    }

    private func folded(_ line: String) -> String {
        line.prefix { $0 != ":" }.lowercased().replacing("_", with: "-")
    }
}
