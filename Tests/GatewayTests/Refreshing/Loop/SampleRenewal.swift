import Tenants
import Testing
import Time
import Verification

@testable import Authorization
@testable import Gateway
@testable import Proxy
@testable import SharedState
@testable import Upstream

/// Values that the tests of one request's refresh begin with.
enum SampleRenewal {
    static func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(text)) }

    static func rules(
        grace: Duration = .zero,
        within: Duration = .zero,
        target: RefreshCall.Target = .backend(path: "/auth/refresh"),
        delivery: RefreshDelivery = RefreshDelivery(header: "X-Refreshed-Token"),
        captures: [TokenCapture] = []
    ) throws -> RefreshRules {
        RefreshRules(
            within: within,
            grace: grace,
            call: RefreshCall(strategy: .bearer, target: target, accessToken: try pointer("/token")),
            delivery: delivery,
            captures: captures
        )
    }

    /// Alice's new token, which is `new` here, and her cookies.
    static func renewal(_ cookies: [Renewal.Cookie] = [], accessToken: String = "new") throws -> Renewal {
        let door = Door([try Door.tenant()])
        let caller = try #require(door.get("/", token: try Door.token()).grant?.caller)
        return Renewal(
            accessToken: Array(accessToken.utf8),
            principal: caller.principal,
            cookies: cookies,
            usableUntil: 0
        )
    }

    static func cookie(_ name: String, _ value: String, expiresAt: UnixTime? = nil) -> Renewal.Cookie {
        Renewal.Cookie(name: name, value: Array(value.utf8), expiresAt: expiresAt)
    }
}
