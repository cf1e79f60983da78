import Testing
import Verification

/// `GET /api/reloads`: what the last reloads have changed.
@Suite struct ReloadsAPITests {
    private func reloads(_ fixture: GatewayFixture) async throws -> [JSONObject] {
        try fixture.entries("reloads", try await fixture.admin("/api/reloads"))
    }

    @Test func reloadsAreListedWithChangedKeysOrMistakes() async throws {
        try await withGateway { fixture async throws in
            #expect(try await reloads(fixture) == [])
            await fixture.change(GatewaySetup(tenant: "max_staleness: 20m"))
            _ = await fixture.reload(GatewaySetup(tenant: "max_staleness: 20m"))
            _ = await fixture.reload(GatewaySetup(tenant: "max_staleness: soon"))
            _ = await fixture.reload(GatewaySetup(tenant: "max_staleness: soon"))
            _ = await fixture.reload(GatewaySetup(gateway: "threads: 2"))
            let reloads = try await reloads(fixture)
            #expect(reloads.map { $0["result"] } == ["refused", "refused", "unchanged", "applied"])
            #expect(reloads.map { $0["times"] } == [1, 2, 1, 1])
            #expect(reloads.allSatisfy { $0["trigger"] == "signal" && $0["generation"] == 2 })
            #expect(reloads[0]["mistakes"] == ["gateway.threads can only change with a restart"])
            #expect(reloads[1]["mistakes"]?.array?.first?.string?.contains("max_staleness") == true)
            #expect(reloads[3]["changes"] == ["tenant app: changed"])
            #expect(
                reloads[3]["keys"] == [
                    ["key": "tenants.app.max_staleness", "change": "changed", "before": "10m", "after": "20m"]
                ]
            )
            #expect(reloads.dropLast().allSatisfy { $0["keys"] == [] && $0["keys_omitted"] == 0 })
        }
    }

    @Test func reloadByAPIIsListedAsSuch() async throws {
        try await withGateway { fixture async throws in
            #expect(try await fixture.adminRequest("POST", "/api/reload").status == 200)
            #expect(try await reloads(fixture).map { $0["trigger"] } == ["admin"])
        }
    }
}
