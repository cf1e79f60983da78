import Testing
package import Verification

@testable package import Tenants

/// Values that the tests of one request's refresh begin with.
package enum SampleRenewal {
    package static func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(text)) }

    package static func rules(
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
}
