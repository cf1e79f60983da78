import Tenants

/// Small files that are right but for what a test puts into them.
enum Sample {
    static let secret = "0123456789abcdef0123456789abcdef"
    static let issuer = "{ issuer: i, audiences: [a], algorithms: [HS256], secret: \(secret) }"

    /// Line 4 has the hosts, 5 the backend, 7 the issuers; `auth` is line 8 where it is given, `more` follows.
    static func tenant(
        hosts: String = "[shop.test]",
        backend: String = "{ servers: [http://127.0.0.1:9001] }",
        issuers: String = "[\(issuer)]",
        auth: String = "",
        more: String = ""
    ) -> String {
        var text = """
            version: 1
            tenants:
              shop:
                hosts: \(hosts)
                backend: \(backend)
                authenticate:
                  issuers: \(issuers)

            """
        if !auth.isEmpty { text += "      \(auth)\n" }
        for line in more.split(separator: "\n") { text += "    \(line)\n" }
        return text
    }

    /// `section` begins in line 9.
    static func gateway(_ section: String) -> String {
        tenant() + "gateway:\n" + section.split(separator: "\n").map { "  \($0)\n" }.joined()
    }

    static func read(
        _ text: String,
        path: String = "t.yaml",
        environment: [String: String] = [:],
        files: PretendFiles = PretendFiles()
    ) -> ReadResult {
        TenantsFile.read(text: Array(text.utf8), path: path, environment: environment, files: files)
    }
}
