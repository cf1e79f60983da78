import Verification

@testable package import Tenants

extension Introspection {
    package static func test(cache: Duration = .seconds(30)) -> Introspection {
        Introspection(
            url: "http://127.0.0.1:9/introspect",
            clientID: "gate",
            clientSecret: Secret("hush"),
            cache: cache
        )
    }
}
