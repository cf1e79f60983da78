import Testing
import Time
import UpstreamTestSupport

@testable import SharedState

extension SampleRenewal {
    /// Alice's new token, which is `new` here, and her cookies.
    static func renewal(_ cookies: [Renewal.Cookie] = [], accessToken: String = "new") throws -> Renewal {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let caller = try #require(pipeline.get("/", token: try RequestPipeline.token()).grant?.caller)
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
