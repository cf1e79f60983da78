import Testing

@testable import Tenants

/// Tenants that are in no file.
struct FurtherTenantsTests {
    private static let main = """
        version: 1
        templates:
          mobile:
            backend: { servers: [http://127.0.0.1:9001] }
            authenticate: { issuers: [\(Sample.issuer)] }

        """
    private static let file = main + "tenants:\n  shop: { extends: mobile, hosts: [shop.test] }\n"

    private static func read(
        _ text: String,
        _ tenants: KeyValuePairs<String, String>,
        faults: FurtherTenants.Faults = .leaveOut
    ) -> ReadResult {
        let sources = tenants.map { TenantSource(name: $0.key, text: $0.value) }
        return TenantsFile.read(
            text: Array(text.utf8),
            path: "t.yaml",
            environment: [:],
            files: PretendFiles(),
            further: FurtherTenants(sources, faults: faults)
        )
    }

    @Test func tenantOfTheStoreExtendsATemplateOfAFile() throws {
        let result = Self.read(Self.file, ["bank": "extends: mobile\nhosts: [bank.test]\nmode: observe\n"])
        let tenants = try #require(result.configuration).tenants
        #expect(tenants.map(\.name) == ["shop", "bank"])
        #expect(tenants[1].lines["mode"]?.file == "store:bank" && tenants[1].lines["mode"]?.number == 3)
        #expect(tenants[1].lines["backend"] == 4)
        #expect(result.leftOut == [])
        #expect(result.warnings.map(\.file) == ["store:bank"])
        #expect(result.effective?.print().contains("bank:") == true)
    }

    /// Somebody else has written it, and a text of a megabyte can have a hundred thousand mistakes.
    @Test func mistakesOfOneAreBounded() throws {
        func unknown(_ count: Int) -> String { (0..<count).map { "unknown\($0): x\n" }.joined() }
        let text = "extends: mobile\nhosts: [bad.test]\nmode: observe\n" + unknown(5_000)
        let result = Self.read(Self.file, ["bad": text, "good": "{ extends: mobile, hosts: [good.test], mod: x }"])
        #expect(result.configuration?.tenants.map(\.name) == ["shop"])
        let (bad, good) = (try #require(result.leftOut.first), try #require(result.leftOut.last))
        #expect(bad.diagnostics.filter { $0.severity == .error }.map(\.line) == Array(4..<104))
        #expect(good.diagnostics.map(\.message) == ["unknown key \"mod\": did you mean \"mode\"?"])
        // What is in a file has one who wrote all of it.
        let file = unknown(110).split(separator: "\n").map { "    \($0)\n" }.joined()
        #expect(Self.read(Self.main + "tenants:\n  a:\n" + file, [:]).errors.count > 110)
    }

    @Test func filesMayHaveNoTenantThen() {
        #expect(
            Self.read(Self.main, ["bank": "{ extends: mobile, hosts: [b.test] }"]).configuration?.tenants.count == 1
        )
        #expect(Self.read(Self.main, [:]).configuration?.tenants.count == 0)
    }

    @Test func fileWinsOverTheStore() {
        let result = Self.read(Self.file, ["shop": "{ extends: mobile, hosts: [other.test] }"])
        #expect(result.configuration?.tenants.map(\.hosts) == [[.exact("shop.test")]])
        #expect(
            result.diagnostics.map(\.description) == [
                "store:shop:1:1: warning: tenant \"shop\" is in t.yaml:7 too, which counts, and this is not used: "
                    + "delete one of them"
            ]
        )
    }

    @Test(arguments: [
        (
            "{ extends: mobile, hosts: [shop.test] }",
            "1:28: \"shop.test\" is tenant \"shop\"'s already (t.yaml:7:36): give one of them another host or path_prefix"
        ),
        ("{ extends: none, hosts: [a.test] }", "1:12: there is no template \"none\": there is mobile"),
        ("{ extends: mobile, hosts: [a.test], mod: x }", "1:37: unknown key \"mod\": did you mean \"mode\"?"),
        (
            "[",
            "1:1: not valid YAML: while parsing a flow node that starts in line 2, did not find expected node content: check indentation (spaces only), brackets and quotes"
        ),
        ("", "1:1: the tenant is empty: give it its keys, or delete it"),
        ("- a", "1:1: \"bad\" must be a map, but is a list: write its keys on the lines below it, indented"),
        ("\u{1}", "1:1: a control character, which YAML does not allow: remove it or escape it"),
    ])
    func mistakeInTheStoreLeavesTheRestUsable(_ text: String, _ mistake: String) throws {
        let result = Self.read(Self.file, ["bad": text, "good": "{ extends: mobile, hosts: [good.test] }"])
        #expect(result.configuration?.tenants.map(\.name) == ["shop", "good"])
        #expect(result.diagnostics == [])
        let leftOut = try #require(result.leftOut.first)
        #expect(result.leftOut.count == 1 && leftOut.name == "bad" && leftOut.label == "store:bad")
        #expect(leftOut.diagnostics.map(\.description) == ["store:bad:\(mistake)"])
        #expect(result.effective?.print().contains("bad:") == false)
        let refused = Self.read(Self.file, ["bad": text], faults: .refuse)
        #expect(refused.configuration == nil && refused.leftOut == [])
        #expect(refused.errors.map(\.description) == ["store:bad:\(mistake)"])
    }

    /// A mistake that shows where the template stands is the tenant's all the same.
    @Test func mistakeAtTheTemplatesPlaceIsTheTenants() {
        let tenant = "{ extends: mobile, hosts: [a.test], backend: null }"
        let result = Self.read(Self.file, ["a": tenant, "b": tenant])
        #expect(result.configuration?.tenants.map(\.name) == ["shop"])
        #expect(result.leftOut.map(\.name) == ["a", "b"])
        #expect(result.leftOut.allSatisfy { $0.diagnostics.count == 1 })
    }

    /// What is left out takes no host from one that is good.
    @Test func tenantThatIsLeftOutTakesNothing() {
        let result = Self.read(
            Self.file,
            ["bad": "{ extends: mobile, hosts: [a.test], mode: x }", "good": "{ extends: mobile, hosts: [a.test] }"]
        )
        #expect(result.configuration?.tenants.map(\.name) == ["shop", "good"])
        #expect(result.leftOut.map(\.name) == ["bad"])
    }
}
