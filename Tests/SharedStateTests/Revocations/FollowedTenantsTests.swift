import Testing

@testable import SharedState

@Suite struct FollowedTenantsTests {
    @Test func nothingIsLoadedAtFirst() {
        var tenants = FollowedTenants(["a", "b"])
        #expect(!tenants.areLoaded)
        #expect(tenants.unloaded.isEmpty)
        tenants.loaded(["a", "b"])
        #expect(tenants.areLoaded)
    }

    @Test func addedTenantsAreToBeLoaded() {
        var tenants = FollowedTenants(["a"])
        tenants.loaded(["a"])
        tenants.add(["b", "c"])
        #expect(tenants.names == ["a", "b", "c"])
        #expect(tenants.unloaded == ["b", "c"])
        #expect(!tenants.areLoaded)
        tenants.loaded(["b"])
        #expect(tenants.unloaded == ["c"])
        #expect(tenants.wereLoaded)
        tenants.loaded(["c"])
        #expect(tenants.areLoaded)
    }

    @Test func tenantAddedDuringTheFirstLoadIsLoadedAfterIt() {
        var tenants = FollowedTenants(["a"])
        let loading = tenants.names
        tenants.add(["b"])
        tenants.loaded(loading)
        #expect(tenants.wereLoaded)
        #expect(!tenants.areLoaded)
        #expect(tenants.unloaded == ["b"])
    }
}
