import Tenants
import Time

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

    /// `section` begins in line 9, or after the lines of `more`.
    static func gateway(_ section: String, more: String = "") -> String {
        tenant(more: more) + "gateway:\n" + section.split(separator: "\n").map { "  \($0)\n" }.joined()
    }

    /// A tenant with certificate and a listener that shows it; `tls` is line 8.
    static func tls(_ section: String, hosts: String = "[shop.test]") -> String {
        tenant(hosts: hosts, more: "tls: \(section)")
            + "gateway: { listen: [{ address: 127.0.0.1:8443, tls: true }] }\n"
    }

    /// Two tenants of one host with a TLS listener; the other's hosts are in line 12.
    static func sharedHost(_ first: String, _ other: String) -> String {
        tenant(more: "tls: \(first)") + """
              other:
                path_prefix: /other
                tls: \(other)
                hosts: [shop.test]
                backend: { servers: [http://127.0.0.1:9001] }
                authenticate: { issuers: [\(issuer)] }
            gateway: { listen: [{ address: 127.0.0.1:8443, tls: true }] }

            """
    }

    static func read(
        _ text: String,
        path: String = "t.yaml",
        environment: [String: String] = [:],
        files: PretendFiles = PretendFiles(),
        now: UnixTime? = nil
    ) -> ReadResult {
        TenantsFile.read(text: Array(text.utf8), path: path, environment: environment, files: files, now: now)
    }
}
