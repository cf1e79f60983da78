import Demo
import Verification

/// The body that an app posts to sign in.
struct DemoExchange: Sendable {
    let path: String
    let body: JSONObject
}

/// Tokens of the stand-in for Apple and Google for the sample apps. Each call makes a new one.
struct DemoProviders: Sendable {
    let standIn: ProviderStandIn

    /// Sign in with Apple, as an app does it.
    ///
    /// - Parameters:
    ///   - user: The user at Apple.
    ///   - nonce: The nonce to send; nil for that of the token.
    func appleExchange(
        for app: SampleAppName,
        user: String = "alice",
        nonce: String? = nil
    ) throws -> DemoExchange {
        let rawNonce = RandomText.make(bytes: 16)
        let token = try standIn.appleIdentityToken(
            subject: Self.appleSubject(of: user),
            email: "\(user)@\(app.rawValue).example",
            audience: Self.appleClient(of: app),
            rawNonce: rawNonce
        )
        return DemoExchange(
            path: Self.applePath(of: app),
            body: ["identity_token": .string(token), "nonce": .string(nonce ?? rawNonce)]
        )
    }

    /// Sign in with Google, as the chat app does it on a phone.
    ///
    /// - Parameter audience: The client that the token was issued to.
    func googleExchange(for app: SampleAppName, audience: String = "chat-ios.apps.example") -> DemoExchange {
        let token = standIn.googleAccessToken(
            subject: "110169484474386276334",
            email: "alice@\(app.rawValue).example",
            audience: audience
        )
        return DemoExchange(path: "/api/auth/mobile/google", body: ["access_token": .string(token)])
    }

    static func appleSubject(of user: String) -> String {
        "001234.\(user).0123"
    }

    static func applePath(of app: SampleAppName) -> String {
        switch app {
        case .customer, .driver, .finance: "/api/auth/apple"
        case .chat: "/api/auth/mobile/apple"
        case .clans: "/api/v1/users/auth/apple/exchange"
        }
    }

    private static func appleClient(of app: SampleAppName) -> String {
        switch app {
        case .customer, .finance: "com.goumuve.app"
        case .driver: "com.goumuve.pro"
        case .chat: "com.example.chat"
        case .clans: "com.example.clans"
        }
    }
}
