import Testing

@testable import Tenants

/// `gateway.ext_authz`.
struct ExtAuthzTests {
    @Test func addressIsRead() throws {
        let text = Sample.gateway("ext_authz: { address: '[::1]:9191' }\ntrusted_proxies: ['::1']")
        let configuration = try #require(Sample.read(text).configuration)
        #expect(configuration.gateway.extAuthz == ExtAuthzSettings(address: HostPort(host: "::1", port: 9191)))
        #expect(try #require(Sample.read(Sample.tenant()).configuration).gateway.extAuthz == nil)
    }
}
