import Testing

@testable import Tenants

/// What a stored tenant may share with tenants that its writer may not write.
struct WriterReachTests {
    private static func writer(_ patterns: String...) -> TenantWriter {
        .limited(to: patterns.compactMap { TenantNamePattern($0) })
    }

    private static func tenant(_ name: String, _ keys: String = "", by writer: TenantWriter) -> TenantSource {
        let text = """
            hosts: [\(name).test]
            backend: { servers: ["http://127.0.0.1:9001"] }
            authenticate: { issuers: [\(Sample.issuer)] }
            \(keys)

            """
        return TenantSource(name: name, text: text, writer: writer)
    }

    private static func read(_ sources: [TenantSource], known: KnownTenants? = nil) -> ReadResult {
        let text = """
            version: 1
            tenants:
              bank:
                hosts: [bank.test]
                backend: { servers: ["http://127.0.0.1:9001"] }
                authenticate: { issuers: [\(Sample.issuer), { preset: built-in }] }
                realm: evil-bank
                issuer: { url: "https://bank.test", audience: a, algorithm: ES256, keys_dir: k }

            """
        var further = FurtherTenants(sources, faults: .leaveOut)
        further.known = known
        further.isKept = known != nil
        return TenantsFile.read(
            text: Array(text.utf8),
            path: "t.yaml",
            environment: [:],
            files: PretendFiles(),
            further: further
        )
    }

    private static func names(_ result: ReadResult) -> [String]? { result.configuration?.tenants.map(\.name) }

    @Test(arguments: [
        ("realm: evil-bank", 8, "the accounts of this realm are tenant \"bank\"'s too (t.yaml:7)"),
        (
            "issuer: { url: \"https://bank.test\", audience: b, algorithm: ES256 }", 16,
            "this \"url\" is that of tenant \"bank\"'s issuer too (t.yaml:8)"
        ),
        (
            "issuer: { url: \"https://evil.test\", audience: b, algorithm: ES256, keys_dir: k }", 78,
            "these keys are those of tenant \"bank\"'s issuer too (t.yaml:8)"
        ),
    ])
    func whatIsAnothersIsRefused(_ keys: String, _ column: Int, _ fault: String) throws {
        let result = Self.read([Self.tenant("evil", keys, by: Self.writer("evil*"))])
        #expect(Self.names(result) == ["bank"])
        let mistakes = try #require(result.leftOut.first).diagnostics.filter { $0.severity == .error }
        let mistake = try #require(mistakes.first)
        #expect(mistakes.count == 1 && mistake.line == 4 && mistake.column == column)
        #expect(mistake.message.hasPrefix(fault + ", which the token that wrote this may not write: give this tenant "))
        for writer in [TenantWriter.all, Self.writer("*")] {
            #expect(Self.names(Self.read([Self.tenant("evil", keys, by: writer)])) == ["bank", "evil"])
        }
    }

    /// Accounts that are made in it would be those of a tenant that comes later.
    @Test func realmHasANameOfTheWritersTenants() throws {
        let result = Self.read([Self.tenant("evil", "realm: free", by: Self.writer("evil*", "clan"))])
        let mistakes = try #require(result.leftOut.first).diagnostics
        #expect(
            mistakes.map(\.message) == [
                "the token that wrote this takes only names like those of its tenants (evil*, clan) for realms: name it like "
                    + "them, or have a token that may do all write it"
            ]
        )
        for (realm, writer) in [
            ("free", TenantWriter.all), ("evil", Self.writer("evil*")), ("free", Self.writer("evil", "free")),
        ] {
            #expect(Self.names(Self.read([Self.tenant("evil", "realm: \(realm)", by: writer)])) == ["bank", "evil"])
        }
    }

    @Test func pathBelowAnothersHostIsRefused() throws {
        var source = Self.tenant("evil", "path_prefix: /login", by: Self.writer("evil*"))
        source.text = source.text.replacing("evil.test", with: "bank.test")
        let result = Self.read([source])
        #expect(Self.names(result) == ["bank"])
        #expect(
            result.leftOut.first?.diagnostics.first?.message.hasPrefix("\"bank.test\" is tenant \"bank\"'s too") == true
        )
    }

    /// The issuer's host need not be among its tenant's hosts.
    @Test func hostOfAnothersIssuerIsRefused() throws {
        let all = "issuer: { url: \"https://id.zoo.test:8443\", audience: a, algorithm: ES256 }"
        var source = Self.tenant("evil", by: Self.writer("evil*"))
        source.text = source.text.replacing("evil.test", with: "id.zoo.test")
        #expect(Self.names(Self.read([source])) == ["bank", "evil"])
        let result = Self.read([source, Self.tenant("zoo", all, by: .all)])
        #expect(Self.names(result) == ["bank", "zoo"])
        let message = result.leftOut.first?.diagnostics.first?.message
        #expect(message?.hasPrefix("\"id.zoo.test\" is tenant \"zoo\"'s too (store:zoo:4)") == true)
    }

    @Test(
        arguments: [
            ("https://Id.Test:8443/a", HostPattern.exact("id.test")), ("http://localhost", .exact("localhost")),
            ("https://[::1]:8443/", .exact("[::1]")), ("https://id.test.", .exact("id.test")), ("urn:a", nil),
            ("https://", nil),
        ] as [(String, HostPattern?)]
    )
    func issuerHasTheHostOfItsURL(_ url: String, _ host: HostPattern?) {
        #expect(BuiltInIssuer(url: url, audience: "a", algorithm: .es256).host == host)
    }

    /// Whichever comes first by its name: who may do all has the realm.
    @Test func tenantOfWhoMayDoAllWinsOverALimitedOne() {
        let (limited, all) = (Self.writer("evil*"), TenantWriter.all)
        for name in ["aaa", "zzz"] {
            let result = Self.read([
                Self.tenant("evil", "realm: evil-r", by: limited), Self.tenant(name, "realm: evil-r", by: all),
            ])
            #expect(Self.names(result) == ["bank", name])
            #expect(result.leftOut.map(\.name) == ["evil"])
        }
    }

    @Test func ofTwoLimitedOnesTheFirstWins() {
        let result = Self.read([
            Self.tenant("clan", "realm: r", by: Self.writer("clan*", "r")),
            Self.tenant("evil", "realm: r", by: Self.writer("evil*", "r")),
        ])
        #expect(Self.names(result) == ["bank", "clan"])
    }

    /// Tenants stay in their order, although those of limited writers are read last.
    @Test func tenantsOfOneScopeShareARealm() {
        let writer = Self.writer("evil*")
        let sources = [
            Self.tenant("a", by: .all), Self.tenant("evil-1", "realm: evil-r", by: writer),
            Self.tenant("evil-2", "realm: evil-r", by: .all), Self.tenant("evil-3", "realm: evil-r", by: writer),
            Self.tenant("x", by: .all),
        ]
        #expect(Self.names(Self.read(sources)) == ["bank", "a", "evil-1", "evil-2", "evil-3", "x"])
    }

    /// The realm was free when the tenant was written.
    @Test func knownTenantGivesWayToOneThatComesLater() {
        let known = KnownTenants()
        let evil = Self.tenant("evil", "realm: evil-r", by: Self.writer("evil*"))
        #expect(Self.names(Self.read([evil], known: known)) == ["bank", "evil"])
        let later = Self.tenant("zoo", "realm: evil-r", by: .all)
        #expect(Self.names(Self.read([evil, later], known: known)) == ["bank", "zoo"])
    }
}
