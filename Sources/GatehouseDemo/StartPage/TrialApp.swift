import Demo
import Verification

/// How clients of a sample app sign in and present their tokens, in requests and in curl lines.
struct TrialApp: Sendable {
    let app: SampleAppName
    let port: Int

    var host: String { "\(app.host):\(port)" }

    /// The request to the app's resource.
    ///
    /// - Parameter session: Nil for a request without a token.
    func call(_ session: SampleSession?) -> TrialRequest {
        TrialRequest(host: host, path: app.resource, fields: session.map(credentials) ?? [])
    }

    /// A sign-in with new tokens of the providers.
    func signIn(_ providers: DemoProviders) throws -> TrialRequest {
        let exchange: DemoExchange
        switch app {
        case .customer, .driver: exchange = password(at: "/api/auth/login")
        case .finance: exchange = password(at: "/auth/login")
        case .chat: exchange = providers.googleExchange(for: app)
        case .clans: exchange = try providers.appleExchange(for: app)
        }
        return TrialRequest(
            method: "POST",
            host: host,
            path: exchange.path,
            fields: [("Content-Type", "application/json")],
            body: exchange.body
        )
    }

    /// The tokens of a successful sign-in; nil without any.
    func session(signedInBy response: TrialResponse) -> SampleSession? {
        switch app {
        case .customer, .driver: response.json["token"]?.string.map { SampleSession(accessToken: $0) }
        case .finance: response.cookie("auth-token").map { SampleSession(accessToken: $0) }
        case .chat, .clans:
            response.json["access_token"]?.string.map {
                SampleSession(accessToken: $0, refreshToken: response.json["refresh_token"]?.string)
            }
        }
    }

    /// The tokens after a response that delivered new ones; nil if it did not.
    func session(_ session: SampleSession, refreshedBy response: TrialResponse) -> SampleSession? {
        switch app {
        case .customer, .driver, .clans:
            response.first("X-Refreshed-Token").map {
                SampleSession(accessToken: $0, refreshToken: session.refreshToken)
            }
        case .finance: nil
        case .chat:
            response.cookie("ce_access_token").map {
                SampleSession(
                    accessToken: $0,
                    refreshToken: response.cookie("ce_refresh_token") ?? session.refreshToken
                )
            }
        }
    }

    private func password(at path: String) -> DemoExchange {
        var body: JSONObject = ["email": .string("alice@\(app.rawValue).example"), "password": "demo"]
        if app == .driver { body["role"] = "driver" }
        return DemoExchange(path: path, body: body)
    }

    private func credentials(_ session: SampleSession) -> [(name: String, value: String)] {
        switch app {
        case .customer, .driver, .clans: [("Authorization", "Bearer \(session.accessToken)")]
        case .finance: [("Cookie", "auth-token=\(session.accessToken)")]
        case .chat:
            [
                (
                    "Cookie",
                    "ce_access_token=\(session.accessToken); ce_refresh_token=\(session.refreshToken ?? "")"
                )
            ]
        }
    }
}

/// curl lines, which take tokens from the variables of ``DemoTokens``.
extension TrialApp {
    /// Whose tokens a line presents.
    enum Presented: String {
        case none
        case current = ""
        case expired = "EXPIRED_"
    }

    func curl(_ presented: Presented) -> String {
        "curl -i" + option(presented) + " http://\(host)\(app.resource)"
    }

    /// A line with a token that no variable has.
    func curl(presenting token: String) -> String {
        "curl -i -H \(ShellText.quoted("Authorization: Bearer \(token)")) http://\(host)\(app.resource)"
    }

    func curlToSignIn(_ request: TrialRequest) -> String {
        let body = JSONWriter.text(of: .object(request.body ?? JSONObject()))
        return "curl -i http://\(request.host)\(request.path) -H 'Content-Type: application/json' -d "
            + ShellText.quoted(body)
    }

    /// - Parameter admin: The request to the admin API.
    func curlToRevoke(_ admin: TrialRequest) -> String {
        let token = "\(app.rawValue.uppercased())_TOKEN"
        return "curl -i http://\(admin.host)\(admin.path) -H \"Authorization: Bearer $ADMIN_TOKEN\" "
            + "-H 'Content-Type: application/json' "
            + "-d \"{\\\"tenant\\\": \\\"\(app.rawValue)\\\", \\\"token\\\": \\\"$\(token)\\\"}\""
    }

    func curlToSignal(_ request: TrialRequest) -> String {
        "curl -i http://\(request.host)\(request.path) -H 'Content-Type: application/secevent+jwt' -d "
            + ShellText.quoted(request.text ?? "")
    }

    /// All requests at once, and how many got which status.
    func curlToFlood(_ count: Int) -> String {
        "curl -s -Z -o /dev/null -w '%{http_code}\\n'" + option(.current)
            + " 'http://\(host)\(app.resource)?[1-\(count)]' | sort | uniq -c"
    }

    private func option(_ presented: Presented) -> String {
        guard presented != .none else { return "" }
        let name = "$\(app.rawValue.uppercased())_\(presented.rawValue)"
        switch app {
        case .customer, .driver, .clans: return " -H \"Authorization: Bearer \(name)TOKEN\""
        case .finance: return " -b \"auth-token=\(name)TOKEN\""
        case .chat: return " -b \"ce_access_token=\(name)TOKEN; ce_refresh_token=\(name)REFRESH_TOKEN\""
        }
    }
}
