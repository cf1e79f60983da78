import Tenants
import Testing
import Verification

/// Every mistake is told with its line, its column and a remedy.
struct MistakesTests {
    static let environment = ["EMPTY": "", "CANARY": "canary-7f3a"]
    static let files = PretendFiles(
        Certificates.files.merging([
            "short.secret": "tooshort\n", "empty.secret": "\n", "bad.pem": "canary", "bad.json": "canary",
            "p384.p8": (try? SigningKey.generate(.p384).privateKeyPEM) ?? "",
        ]) { $1 }
    )
    static let all =
        Mistake.document + Mistake.structure + Mistake.gateway + Mistake.routing + Mistake.backend + Mistake.tls
        + Mistake.authentication + Mistake.keySources + Mistake.policy + Mistake.store + Mistake.redisFiles
        + Mistake.introspection
        + Mistake.revocation + Mistake.refreshSources + Mistake.refreshCalls + Mistake.refreshTargets
        + Mistake.refreshDelivery + Mistake.refreshIssuer + Mistake.signInPaths + Mistake.signInProviders
        + Mistake.webSignIn
        + Mistake.signInIssuer + Mistake.ownIssuer + Mistake.issuerClients + Mistake.accounts
        + Mistake.sharedTenants + Mistake.proofs + Mistake.tests + Mistake.extAuthz + Mistake.browsers

    @Test(arguments: all)
    func everyMistakeIsToldAtItsPlaceWithARemedy(mistake: Mistake) {
        let result = Sample.read(mistake.text, environment: Self.environment, files: Self.files)
        #expect(result.diagnostics.map(\.description) == mistake.diagnostics.map { "t.yaml:\($0)" })
        let hasErrors = mistake.diagnostics.contains { !$0.contains(": warning: ") }
        #expect((result.configuration == nil) == hasErrors)
        #expect((result.effective == nil) == hasErrors)
    }

    @Test func samplesThemselvesAreRight() {
        #expect(Sample.read(Sample.tenant()).diagnostics.isEmpty)
        #expect(Sample.read(Sample.gateway("threads: 2")).diagnostics.isEmpty)
    }

    @Test func namesOfMistakesAreDistinct() {
        let names = Self.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test func aFileThatIsNotThereIsAnError() {
        let result = TenantsFile.read(path: "none.yaml", environment: [:], files: PretendFiles())
        #expect(
            result.diagnostics.map(\.description) == ["none.yaml:1:1: cannot read the file: no such file or directory"]
        )
    }

    @Test func bytesThatAreNotUTF8AreToldWithTheirLine() {
        let text = Array("version: 1\n# ".utf8) + [0xff] + Array("\n".utf8)
        let result = TenantsFile.read(text: text, path: "t.yaml", environment: [:], files: PretendFiles())
        #expect(result.diagnostics.map(\.description) == ["t.yaml:2:1: not valid UTF-8: save the file as UTF-8"])
    }

    @Test func anAliasedMistakeIsToldOnce() {
        let text =
            Sample.tenant(hosts: "&hosts ['a:1']") + """
                  other:
                    hosts: *hosts
                    backend: { servers: [http://127.0.0.1:9001] }
                    authenticate: { issuers: [\(Sample.issuer)] }

                """
        let result = Sample.read(text)
        #expect(result.diagnostics.map(\.line) == [4])
    }

    @Test func aliasesThatStandForBillionsAreRefused() {
        var text = "version: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let item = "*a\(level - 1)"
            text += "a\(level): &a\(level) [\(Array(repeating: item, count: 10).joined(separator: ", "))]\n"
        }
        let result = Sample.read(text)
        #expect(result.errors.contains { $0.message.contains("more than 100000 values") })
    }

    @Test func pathsAreRelativeToTheFile() {
        let issuers = "[{ issuer: i, audiences: [a], algorithms: [HS256], secret_file: s/jwt }]"
        let text = Sample.tenant(issuers: issuers)
        let files = PretendFiles(["/etc/gatehouse/s/jwt": Sample.secret + "\r\n"])
        #expect(Sample.read(text, path: "/etc/gatehouse/tenants.yaml", files: files).diagnostics.isEmpty)
        #expect(Sample.read(text, path: "tenants.yaml", files: files).errors.count == 1)
    }
}
