import ConfigurationText
import Testing
import Verification

@testable import Tenants

/// The text of one tenant of the store, with and without its secrets.
struct TenantTextTests {
    private static let shop = """
        # The shop.
        hosts: [shop.test]
        backend: { servers: [http://127.0.0.1:9001] }
        authenticate:
          issuers:
            - issuer: one   # first
              audiences: [a]
              algorithms: [HS256]
              secret: first-s3cret
            - { issuer: two, audiences: [a], algorithms: [HS256], secret: "second \\"s3cret\\"" } # flow
        headers:
          request:
            set: { X-Key: 'k3y', X-Empty: "" }

        """

    private func mistakes(_ text: String, from old: String?) -> [TenantText.Mistake] {
        do throws(TenantText.Mistakes) {
            _ = try TenantText(text).completed(from: old.map { TenantText($0) })
            return []
        } catch {
            return error.all
        }
    }

    @Test func secretsAreReplacedAndAllElseStays() throws {
        let shown = try #require(TenantText(Self.shop).withoutSecrets)
        #expect(
            shown
                == Self.shop.replacing("first-s3cret", with: "\"<secret>\"")
                .replacing(#""second \"s3cret\"""#, with: "\"<secret>\"")
                .replacing("'k3y'", with: "\"<secret>\"")
        )
    }

    @Test func signingKeysAreSecrets() throws {
        let text = """
            issuer:
              url: https://shop.test
              key: |
                -----BEGIN PRIVATE KEY-----
                s3cret
                -----END PRIVATE KEY-----
              audience: a
            sign_in: { apple: { web: { client_id: w, private_key: "s3cret\\ns3cret" } } }

            """
        let shown = try #require(TenantText(text).withoutSecrets)
        #expect(!shown.contains("s3cret") && !shown.contains("PRIVATE KEY"))
        #expect(shown.contains("audience: a") && shown.contains("client_id: w"))
        let again = try TenantText(shown).completed(from: TenantText(text))
        #expect(try TenantText(shown).completed(from: again).text == again.text)
        #expect(again.text.contains("s3cret"))
    }

    @Test func placeholderKeepsTheSecretOfItsKey() throws {
        let shown = try #require(TenantText(Self.shop).withoutSecrets)
        let again = try TenantText(shown).completed(from: TenantText(Self.shop))
        #expect(again.text.contains("secret: \"first-s3cret\"") && again.text.contains("X-Key: \"k3y\""))
        #expect(again.text.contains(#"secret: "second \"s3cret\"" }"#) && again.text.hasPrefix("# The shop.\n"))
        #expect(again.json == TenantText(Self.shop).json)
    }

    @Test func itemsOfListsAreToldApartByTheirNames() throws {
        let shown = try #require(TenantText(Self.shop).withoutSecrets)
        // The other way round, and one of them changed.
        let text = """
            authenticate:
              issuers:
                - { issuer: two, audiences: [b], algorithms: [HS256], secret: "<secret>" }
                - { issuer: one, audiences: [a], algorithms: [HS256], secret: <secret> }
            """
        let kept = try TenantText(text).completed(from: TenantText(Self.shop)).text
        #expect(kept.contains(#"issuer: two, audiences: [b], algorithms: [HS256], secret: "second \"s3cret\"""#))
        #expect(kept.contains(#"issuer: one, audiences: [a], algorithms: [HS256], secret: "first-s3cret""#))
        #expect(shown.contains("<secret>"))
    }

    @Test func placeholderWithoutASecretIsAMistake() {
        let message = "<secret> keeps the secret that was here, but there was none: write the secret itself"
        let text = "headers:\n  request:\n    set: { X-Key: <secret>, X-New: <secret>, X-Empty: <secret> }\n"
        #expect(
            mistakes(text, from: Self.shop) == [
                TenantText.Mistake(line: 3, column: 36, message: message),
                TenantText.Mistake(line: 3, column: 55, message: message),
            ]
        )
        #expect(mistakes(text, from: nil).count == 3)
        let third = "authenticate: { issuers: [{ issuer: three, secret: <secret> }] }"
        #expect(mistakes(third, from: Self.shop).count == 1)
    }

    @Test(arguments: ["|\n    line one\n    line $${two}\n  after: 1", "'plain $${x}'", "\"tab\\t\\u20ac\""])
    func secretComesBackAsItWas(_ written: String) throws {
        let old = "headers: { request: { remove: [X] } }\nrefresh:\n  call:\n   client_secret: \(written)\n"
            .replacing("  after: 1", with: "")
        let oldSecret = try #require(Self.secret(old))
        let shown = try #require(TenantText(old).withoutSecrets)
        #expect(Self.secret(shown) == "<secret>")
        let again = try TenantText(shown).completed(from: TenantText(old))
        #expect(Self.secret(again.text) == oldSecret)
    }

    private static func secret(_ text: String) -> String? {
        // As reading it would: `$${` is a dollar and a brace.
        YAMLDocument.read(text, environment: [:], into: Findings(file: ""))?[named: "refresh"]?[
            named: "call"
        ]?[
            named: "client_secret"
        ]?.scalar?.text
    }

    @Test func passwordsInURLsAreSecrets() throws {
        let text = "introspection: { url: 'https://user:pass@id.test/token' }\n"
        let shown = try #require(TenantText(text).withoutSecrets)
        #expect(shown == "introspection: { url: \"<secret>\" }\n")
        #expect(
            try TenantText(shown).completed(from: TenantText(text)).text.contains("\"https://user:pass@id.test/token\"")
        )
    }

    @Test func anchoredSecretIsReplacedOnce() throws {
        let text = "headers:\n  request: &h\n    set: { X-Key: s3cret }\n  response: *h\n"
        #expect(try #require(TenantText(text).withoutSecrets) == text.replacing("s3cret", with: "\"<secret>\""))
    }

    @Test func referencesAndFilesAreFound() {
        let text = """
            hosts: ["${HOST}", "$${literal}"]
            tls: { certificate_file: tls/chain.pem, key_file: "${KEY:-x}" }
            issuer: { page: { logo: logo.svg, texts: texts.yaml } }
            """
        let tenant = TenantText(text)
        #expect(tenant.references.map { [$0.line, $0.column] } == [[1, 9], [2, 51]])
        #expect(tenant.namedFiles.map(\.path) == ["tls/chain.pem", "x", "logo.svg", "texts.yaml"])
        #expect(
            tenant.namedFiles.map { [$0.mistake.line, $0.mistake.column] } == [[2, 26], [2, 51], [3, 25], [3, 42]]
        )
    }

    /// A file stays what it was named for: of the same path below another key, anything could be made public.
    @Test(arguments: [
        ("issuer: { key_file: a.pem }", "issuer: { key_file: a.pem, audience: b }", true),
        ("issuer: { key_file: a.pem }", "refusals: { html: a.pem }", false),
        ("issuer: { key_file: a.pem }", "issuer: { page: { logo: a.pem } }", false),
        ("issuer: { key_files: [a.pem, b.pem] }", "issuer: { key_files: [b.pem] }", true),
        ("issuer: { key_files: [a.pem] }", "issuer: { key_file: a.pem }", false),
        ("refusals: { html: a.html }", "refusals: { json: a.html }", false),
        ("refusals: { html: a.html }", "refusals: { html: b.html }", false),
        // One letter, and one with a combining accent: two files.
        ("refusals: { html: \u{e9} }", "refusals: { html: e\u{301} }", false),
        (
            "authenticate: { issuers: [{ issuer: i, jwks_file: a }, { issuer: j }] }",
            "authenticate: { issuers: [{ issuer: j }, { issuer: i, jwks_file: a }] }", true
        ),
        (
            "authenticate: { issuers: [{ issuer: i, secret_file: a }] }",
            "authenticate: { issuers: [{ issuer: i, public_key_file: a }] }", false
        ),
    ])
    func fileIsKnownAtItsKeyOnly(_ old: String, _ new: String, _ isKnown: Bool) throws {
        let known = Set(TenantText(old).namedFiles.map(\.use))
        let uses = TenantText(new).namedFiles.map(\.use)
        #expect(!known.isEmpty && !uses.isEmpty)
        #expect(uses.allSatisfy(known.contains) == isKnown)
    }

    @Test func jsonHasTheTypesOfTheSchema() throws {
        let text = """
            hosts: [shop.test]
            strip_prefix: true
            limits: { body_bytes: 10MiB }
            tests: [{ request: GET /, claims: { level: 3, name: x }, expect: { status: 200 } }]
            """
        #expect(
            JSONWriter.text(of: .object(try #require(TenantText(text).json)))
                == #"{"hosts":["shop.test"],"strip_prefix":true,"limits":{"body_bytes":"10MiB"},"#
                + #""tests":[{"request":"GET /","claims":{"level":3,"name":"x"},"expect":{"status":200}}]}"#
        )
        let json = try #require(TenantText(Self.shop).json)
        let again = TenantText(json)
        #expect(again.json == json)
        #expect(!again.text.contains("s3cret"))
    }

    @Test(arguments: ["", "- a", "a: [", "text"]) func whatIsNoMapHasNoSecrets(_ text: String) throws {
        #expect(TenantText(text).withoutSecrets == nil)
        #expect(TenantText(text).json == nil)
        #expect(try TenantText(text).completed(from: TenantText(Self.shop)).text == text)
    }

    /// Reading it reports the depth; nothing else is looked for in it.
    @Test func deepTextIsLeftToItsReading() throws {
        let text = TenantText("hosts: [a]\nx: " + String(repeating: "[", count: 100_000))
        #expect(text.withoutSecrets == nil && text.json == nil && text.references.isEmpty && text.namedFiles.isEmpty)
        #expect(try text.completed(from: TenantText(Self.shop)).text == text.text)
        let further = FurtherTenants([TenantSource(name: "deep", text: text.text)], faults: .leaveOut)
        let result = TenantsFile.read(
            text: Array(Sample.tenant().utf8),
            path: "t.yaml",
            environment: [:],
            files: PretendFiles(),
            further: further
        )
        let mistakes = result.leftOut.flatMap(\.diagnostics)
        #expect(mistakes.map(\.message) == ["more than 100 values inside one another: no key needs as many"])
    }

    @Test func descriptionsShowNothing() {
        #expect("\(TenantText(Self.shop))" == "the text of a tenant")
        #expect(!String(reflecting: TenantText(Self.shop)).contains("s3cret"))
    }
}
