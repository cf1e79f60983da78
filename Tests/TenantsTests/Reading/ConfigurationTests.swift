import Testing
import Verification

@testable import Tenants

/// What a right file comes out as.
struct ConfigurationTests {
    @Test func everyKeyOfTheFileIsRead() throws {
        let text = Sample.tenant(
            hosts: "[Shop.Test., '*.shop.test', '[::1]']",
            backend: """
                { servers: [http://127.0.0.1, { url: 'http://[::1]:9002/' }], timeouts: { connect: 1s, response: 2s, idle: 3s }, limits: { connections: 4, pending: 0 } }
                """,
            auth: """
                from: [bearer, 'cookie:s', 'header:X-Token']
                      leeway: 90s
                      require: [sub]
                """,
            more: """
                path_prefix: /a/b
                strip_prefix: true
                access:
                  - { path: /a/*, methods: [GET], allow: { roles: [r], scopes: [s, t] } }
                  - { path: /**, allow: anyone }
                identity: { headers: { X-Me: sub }, token: strip }
                limits: { body_bytes: 1MiB }
                """
        )
        let result = Sample.read(text)
        #expect(result.diagnostics.isEmpty)
        let tenant = try #require(result.configuration?.tenants.first)
        #expect(tenant.name == "shop")
        #expect(tenant.hosts == [.exact("shop.test"), .oneLabelBelow("shop.test"), .exact("[::1]")])
        #expect(tenant.pathPrefix == "/a/b")
        #expect(tenant.stripPrefix)
        #expect(
            tenant.backends.first
                == Backend(
                    servers: [
                        BackendServer(address: HostPort(host: "127.0.0.1", port: 80)),
                        BackendServer(address: HostPort(host: "::1", port: 9002)),
                    ],
                    timeouts: BackendTimeouts(connect: .seconds(1), response: .seconds(2), idle: .seconds(3)),
                    limits: BackendLimits(connections: 4, pending: 0)
                )
        )
        #expect(tenant.authenticate.from == [.bearer, .cookie(name: "s"), .header(name: "x-token")])
        #expect(tenant.authenticate.policy.leeway == 90)
        #expect(tenant.authenticate.policy.requiredClaims == ["sub"])
        let issuer = try #require(tenant.authenticate.policy.issuers.first)
        #expect(issuer.issuer == "i" && issuer.audiences == ["a"] && issuer.algorithms == [.hs256])
        #expect(issuer.keys?.keys.count == 1)
        #expect(
            tenant.access
                == AccessRules([
                    AccessRule(
                        path: try PathPattern("/a/*"),
                        methods: ["GET"],
                        allow: .signedIn(roles: ["r"], scopes: ["s", "t"]),
                        line: 14
                    ),
                    AccessRule(path: try PathPattern("/**"), allow: .anyone, line: 15),
                ])
        )
        #expect(tenant.identity == Identity(headers: [Identity.Header(name: "X-Me", claim: "sub")], token: .strip))
        #expect(tenant.limits.bodyBytes == 1 << 20)
    }

    @Test func gatewaySectionIsRead() throws {
        let text = Sample.gateway(
            """
            listen: [{ address: '127.0.0.1:0' }, { address: '[::1]:8081' }]
            admin: { address: localhost:9901, token: t }
            store: "memory:"
            threads: 2
            trusted_proxies: [10.0.0.0/8, '::1']
            shutdown_delay: 2s
            shutdown_grace: 5s
            limits: { header_bytes: 8KiB, headers: 50, connections: 10, idle_timeout: 1m, header_timeout: 2s }
            log: { level: debug, format: text, access: false }
            """
        )
        let result = Sample.read(text)
        #expect(result.diagnostics.isEmpty)
        let gateway = try #require(result.configuration?.gateway)
        #expect(gateway.listeners.map(\.address.description) == ["127.0.0.1:0", "[::1]:8081"])
        #expect(gateway.admin?.address == HostPort(host: "localhost", port: 9901))
        #expect(gateway.admin?.token == Secret("t"))
        #expect(gateway.threads == 2)
        #expect(gateway.trustedProxies.map(\.prefixLength) == [8, 128])
        #expect(gateway.shutdownDelay == .seconds(2))
        #expect(gateway.shutdownGrace == .seconds(5))
        #expect(
            gateway.limits
                == ConnectionLimits(
                    headerBytes: 8192,
                    headers: 50,
                    connections: 10,
                    idleTimeout: .seconds(60),
                    headerTimeout: .seconds(2)
                )
        )
        #expect(gateway.log == LogSettings(level: .debug, format: .text, access: false))
    }

    @Test func emptyTokenOnLoopbackIsNone() {
        let result = Sample.read(
            Sample.gateway("admin: { address: 127.0.0.1:9901, token: \"${T:-}\" }")
        )
        #expect(result.diagnostics.isEmpty)
        #expect(result.configuration?.gateway.admin != nil)
        #expect(result.configuration?.gateway.admin?.token == nil)
    }

    @Test func adminTokensHaveNamesAndScopes() throws {
        let tokens =
            "[{ name: ci, token: a, allow: [read, \"tenants:shop-*\"] }, { name: desk, token: b, allow: [all] }]"
        let result = Sample.read(Sample.gateway("admin: { address: 127.0.0.1:9901, tokens: \(tokens) }"))
        #expect(result.diagnostics.isEmpty)
        let pattern = try #require(TenantNamePattern("shop-*"))
        #expect(
            result.configuration?.gateway.admin?.tokens == [
                AdminToken(name: "ci", token: Secret("a"), scopes: [.read, .tenants(pattern)]),
                AdminToken(name: "desk", token: Secret("b"), scopes: [.all]),
            ]
        )
    }

    @Test func hostsMayBeSharedByPathPrefix() {
        let other = """
              other:
                hosts: [shop.test]
                path_prefix: /other
                backend: { servers: [http://127.0.0.1:9001] }
                authenticate: { issuers: [\(Sample.issuer)] }

            """
        #expect(Sample.read(Sample.tenant() + other).diagnostics.isEmpty)
        #expect(Sample.read(Sample.tenant(more: "path_prefix: /other") + other).errors.count == 1)
        // `/` is the same as no prefix.
        let root = other.split(separator: "\n").map { $0.contains("/other") ? "    path_prefix: /" : $0 }
        #expect(Sample.read(Sample.tenant() + root.joined(separator: "\n")).errors.count == 1)
    }

    @Test func rulesForOtherMethodsAreReachable() {
        let access = """
            access:
              - { path: /a/**, methods: [GET], allow: anyone }
              - { path: /a/**, methods: [GET, PUT], allow: {} }
              - { path: /a/**, allow: {} }
            """
        #expect(Sample.read(Sample.tenant(more: access)).diagnostics.isEmpty)
    }
}

struct BuiltInIssuerTests {
    private static let text = Sample.tenant(
        issuers: "[{ preset: built-in }]",
        more: "issuer: { url: 'https://shop.test', audience: a, algorithm: ES256, keys_dir: keys }"
    )

    private static func policy(_ files: [String: String]) throws -> IssuerPolicy {
        let result = Sample.read(text, files: PretendFiles(files))
        #expect(result.errors.isEmpty)
        return try #require(result.configuration?.tenants.first?.authenticate.policy.issuers.first)
    }

    @Test func privateKeyGivesItsPublicHalfUnderTheFileName() throws {
        let pem = try #require(try SigningKey.generate(.p256).privateKeyPEM)
        let policy = try Self.policy(["keys/2026-11.pem": pem, "keys/README": "none", "keys/.hidden.pem": "none"])
        #expect(policy.issuer == "https://shop.test")
        #expect(policy.audiences == ["a"])
        #expect(policy.algorithms == [.es256])
        #expect(policy.keys?.keys.map(\.keyID) == ["2026-11"])
    }

    @Test func keysOfSeveralFilesAreOneSet() throws {
        let first = try SigningKey.generate(.p256)
        let second = try #require(try SigningKey.generate(.p256).publicJWK())
        var third = try #require(try SigningKey.generate(.p256).publicJWK())
        third["kid"] = nil
        let policy = try Self.policy([
            "keys/a.pem": try #require(first.privateKeyPEM),
            "keys/b.jwks": JSONWriter.text(of: .object(["keys": .array([.object(second)])])),
            "keys/c.jwk": JSONWriter.text(of: .object(third)),
        ])
        #expect(policy.keys?.keys.map(\.keyID) == ["a", second["kid"]?.string, "c"])
    }

    @Test func singlePublicKeyIsRead() throws {
        let pem = try #require(try SigningKey.generate(.p256).publicKeyPEM)
        #expect(try Self.policy(["keys/a.pem": pem]).keys?.keys.count == 1)
    }

    @Test func policyWithoutKeysRefusesEveryToken() throws {
        #expect(try Self.policy([:]).keys == .empty)
    }

    @Test func unusableKeysAreReportedByFile() throws {
        let rsa = try #require(try SigningKey.generate(.rsa(bits: 2048)).privateKeyPEM)
        let broken = Sample.read(Self.text, files: PretendFiles(["keys/a.pem": "canary", "keys/b.jwk": "canary"]))
        #expect(broken.errors.map(\.line) == [8, 8])
        #expect(broken.errors.map(\.message).joined().contains("\"a.pem\""))
        #expect(broken.errors.map(\.message).joined().contains("\"b.jwk\""))
        let unfit = Sample.read(Self.text, files: PretendFiles(["keys/a.pem": rsa]))
        #expect(unfit.errors.map(\.message) == ["\"keys_dir\" has no key for ES256: add one, or change \"algorithm\""])
    }
}
