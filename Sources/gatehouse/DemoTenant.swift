import Demo
import Tenants

/// The curl lines of one tenant.
struct DemoTenant {
    let app: SampleAppName
    let gateway: HostPort

    var about: String {
        switch app {
        case .customer: "bearer tokens that its backend mints"
        case .driver: "the same backend, another app"
        case .finance: "a token in an httpOnly cookie"
        case .chat: "web by cookie, mobile by bearer token"
        case .clans: "RS256 tokens of the gateway's own issuer"
        }
    }

    func customer(_ token: String) -> [DemoLine] {
        [
            line(200, "a good token", "/api/jobs", bearer(token)),
            line(401, "no token", "/api/jobs"),
            line(401, "a forged token", "/api/jobs", bearer(forged(token))),
            line(200, "signs in through the gateway", "/api/auth/login", signIn(role: "customer")),
            line(403, "a customer is no admin", "/api/admin/jobs", bearer(token)),
            line(401, "the backend itself says no", "/api/jobs?fail=401", bearer(token)),
        ]
    }

    func driver(_ token: String, ofCustomer: String) -> [DemoLine] {
        [
            line(200, "a good token", "/api/jobs", bearer(token)),
            line(401, "no token", "/api/jobs"),
            line(200, "signs in through the gateway", "/api/auth/login", signIn(role: "driver")),
            line(403, "a customer is no driver", "/api/jobs", bearer(ofCustomer)),
            line(401, "the backend itself says no", "/api/jobs?fail=401", bearer(token)),
        ]
    }

    func finance(_ token: String) -> [DemoLine] {
        [
            line(200, "a good token in the cookie", "/api/accounts", ["-b", "auth-token=\(token)"]),
            line(200, "the same token as a bearer", "/api/accounts", bearer(token)),
            line(401, "no token", "/api/accounts"),
            line(200, "signs in through the gateway and gets the cookie", "/auth/login", ["-i"] + signIn()),
            line(401, "the backend itself says no", "/api/accounts?fail=401", ["-b", "auth-token=\(token)"]),
        ]
    }

    func chat(_ token: String) -> [DemoLine] {
        [
            line(200, "a good token", "/api/messages", bearer(token)),
            line(200, "the same token in the cookie", "/api/messages", ["-b", "ce_access_token=\(token)"]),
            line(401, "no token", "/api/messages"),
            line(200, "signs in through the gateway", "/api/auth/login", signIn()),
            line(401, "the backend itself says no", "/api/messages?fail=401", bearer(token)),
        ]
    }

    func clans(_ token: String) -> [DemoLine] {
        [
            line(200, "a good token", "/api/v1/clans", bearer(token)),
            line(401, "no token", "/api/v1/clans"),
            line(401, "the backend itself says no", "/api/v1/clans?fail=401", bearer(token)),
        ]
    }

    private func line(_ status: Int, _ title: String, _ path: String, _ options: [String] = []) -> DemoLine {
        let host = "\(app.rawValue).localtest"
        let resolve = ["--resolve", "\(host):\(gateway.port):\(gateway.host)"]
        return DemoLine(status, title, resolve + ["http://\(host):\(gateway.port)\(path)"] + options)
    }

    private func bearer(_ token: String) -> [String] {
        ["-H", "Authorization: Bearer \(token)"]
    }

    private func signIn(role: String? = nil) -> [String] {
        let role = role.map { ", \"role\": \"\($0)\"" } ?? ""
        return [
            "-H", "Content-Type: application/json",
            "-d", "{\"email\": \"alice@\(app.rawValue).example\", \"password\": \"demo\"\(role)}",
        ]
    }

    /// The token with another first character of its signature, which is still good base64url.
    private func forged(_ token: String) -> String {
        guard let dot = token.lastIndex(of: ".") else { return token }
        let signature = token[token.index(after: dot)...]
        return token[...dot] + (signature.hasPrefix("A") ? "B" : "A") + signature.dropFirst()
    }
}
