import ConfigurationText
import TestSupport
import Testing

@testable import Tenants

/// Tenants that are taken over from the last reading.
struct KnownTenantsTests {
    private static func main(_ more: String = "", port: Int = 9001, before: String = "") -> String {
        """
        version: 1
        templates:\(before)
          mobile:
            backend: { servers: ["http://127.0.0.1:\(port)"] }
            authenticate: { issuers: [\(Sample.issuer)] }
        \(more)
        tenants:
          shop: { extends: mobile, hosts: [shop.test] }

        """
    }

    private static func read(
        _ text: String,
        _ tenants: [(String, String)],
        _ known: KnownTenants?,
        isKept: Bool = true
    ) -> ReadResult {
        let sources = tenants.map { TenantSource(name: $0.0, text: $0.1) }
        var further = FurtherTenants(sources, faults: .leaveOut)
        further.known = known
        further.isKept = isKept
        return TenantsFile.read(
            text: Array(text.utf8),
            path: "t.yaml",
            environment: ["HOST": "env.test"],
            files: PretendFiles(["/key": "0123456789abcdef0123456789abcdef"]),
            further: further
        )
    }

    private static func names(_ known: KnownTenants, beside text: String) -> [String] {
        let source = SourceText(source: .main, kind: .main, text: text)
        let context = KnownTenants.Context(texts: [source], environment: ["HOST": "env.test"])
        return known.all(in: context).values.map(\.tenant.name).sorted()
    }

    @Test func goodTenantsAreKnownBesideTheSameFiles() {
        let known = KnownTenants()
        let tenants = [
            ("good", "{ extends: mobile, hosts: [good.test] }"),
            ("wrong", "{ extends: mobile, hosts: [wrong.test], mod: x }"),
            ("warned", "{ extends: mobile, hosts: [warned.test], mode: observe }"),
            (
                "keyed",
                "{ extends: mobile, hosts: [k.test], authenticate: { issuers: [{ issuer: i, audiences: [a], algorithms: "
                    + "[HS256], secret_file: /key }] } }"
            ),
        ]
        let result = Self.read(Self.main(), tenants, known)
        #expect(result.configuration?.tenants.map(\.name) == ["shop", "good", "warned", "keyed"])
        #expect(Self.names(known, beside: Self.main()) == ["good"])
        #expect(Self.names(known, beside: Self.main("  other: {}")) == [])
    }

    /// A reading that nothing is put into force of leaves what is known.
    @Test func trialKeepsNothing() {
        let known = KnownTenants()
        _ = Self.read(Self.main(), [("a", "{ extends: mobile, hosts: [a.test] }")], known)
        _ = Self.read(Self.main(), [("b", "{ extends: mobile, hosts: [b.test] }")], known, isKept: false)
        #expect(Self.names(known, beside: Self.main()) == ["a"])
    }

    /// A known tenant gives way to another that now has its host, as it would if it were read.
    @Test func knownTenantIsCheckedAgainstTheOthers() {
        let known = KnownTenants()
        let second = ("b", "{ extends: mobile, hosts: [x.test] }")
        #expect(Self.read(Self.main(), [second], known).leftOut == [])
        let result = Self.read(Self.main(), [("a", "{ extends: mobile, hosts: [x.test] }"), second], known)
        #expect(result.configuration?.tenants.map(\.name) == ["shop", "a"])
        #expect(result.leftOut.map(\.name) == ["b"])
        #expect(Self.read(Self.main(), [second], known).configuration?.tenants.map(\.name) == ["shop", "b"])
    }

    /// Whatever is changed, a reading that knows the last one is the same as one that does not.
    @Test func readingIsTheSameAsWithoutKnownTenants() {
        var random = SplitMix64(seed: 22)
        let texts = [
            "{ extends: mobile, hosts: [NAME.test] }",
            "{ extends: mobile, hosts: [NAME.test, shared.test] }",
            "{ extends: mobile, hosts: [NAME.test], mode: observe }",
            "{ extends: mobile, hosts: [NAME.test], realm: people, accounts: { link_by_email: true } }",
            "{ extends: mobile, hosts: [NAME.test], realm: people }",
            "{ extends: other, hosts: [NAME.test] }",
            "{ extends: mobile, hosts: [\"${HOST}\"] }",
            "{ extends: mobile, hosts: [NAME.test], path_prefix: /a }",
            "{ hosts: [NAME.test] }", "[", "",
            "{ <<: &x { extends: mobile, hosts: [NAME.test] }, mode: enforce }",
        ]
        let files = [
            Self.main(), Self.main("  other: { extends: mobile, mode: observe }"),
            Self.main("  other: { extends: mobile, bakend: 1 }"), Self.main(port: 9002),
            Self.main(before: " # moves what follows\n"),
        ]
        let known = KnownTenants()
        var tenants: [String: String] = [:]
        var file = files[0]
        for _ in 0..<300 {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let name = ["a", "b", "c", "d", "e", "shop"].randomElement(using: &random) ?? "a"
                let text = texts.randomElement(using: &random) ?? ""
                tenants[name] = text.replacing("NAME", with: name)
            }
            if Int.random(in: 0..<5, using: &random) == 0 { tenants.removeValue(forKey: "b") }
            if Int.random(in: 0..<8, using: &random) == 0 { file = files.randomElement(using: &random) ?? file }
            let sources = tenants.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            let (one, other) = (Self.read(file, sources, known), Self.read(file, sources, nil))
            #expect(one.configuration?.tenants == other.configuration?.tenants)
            #expect(one.configuration?.document == other.configuration?.document)
            #expect(one.leftOut == other.leftOut)
            #expect(one.diagnostics == other.diagnostics)
            #expect(one.files == other.files)
        }
    }
}
