import Foundation
import Tenants
import TestSupport
import Testing
import Verification

/// Tenants in the store of two instances.
@Suite(.serialized) struct StoredTenantFleetTests {
    private static let setup = GatewaySetup(
        gateway: "tenants: [files, store]",
        sealingKeys: StoredTenantsTests.sealingKeys
    )

    private func withRelay(
        _ setup: GatewaySetup,
        _ test: (Instances, RedisServer, Relay) async throws -> Void
    ) async throws {
        try await RedisServer.run { server in
            try await Relay.run(to: server.port) { relay in
                try await withInstances(setup) { instances in try await test(instances, server, relay) }
            }
        }
    }

    private func put(
        _ instance: Instance,
        _ name: String,
        _ text: String,
        _ condition: String = "If-None-Match: *"
    ) async throws -> RawResponse {
        let lines = [
            "PUT /api/tenants/\(name) HTTP/1.1", "Host: \(instance.admin)", "Connection: close", condition,
            "Content-Type: application/yaml", "Content-Length: \(text.utf8.count)",
        ]
        let request = lines.joined(separator: "\r\n") + "\r\n\r\n" + text
        return try await RawClient.exchange(request, method: "PUT", at: instance.admin)
    }

    private func text(_ host: String, _ instances: Instances) -> String {
        StoredTenantsTests.text(host, "http://127.0.0.1:\(instances.backend.port)")
    }

    private func serves(_ instance: Instance, _ host: String) async throws -> Bool {
        try await instance.request(host: host).status == 200
    }

    @Test func changeIsInForceAtAllInstances() async throws {
        try await withInstances(Self.setup) { instances async throws in
            try await RedisServer.run { server async throws in
                let (first, second) = (try await instances.start(server.url), try await instances.start(server.url))
                let created = try await put(first, "shop", text("shop.test", instances))
                #expect(created.status == 201, "\(created.body.text)")
                for instance in [first, second] {
                    try await until("the tenant is served") { try await serves(instance, "shop.test") }
                }
                // One that starts later has it before its first request.
                let third = try await instances.start(server.url)
                #expect(try await serves(third, "shop.test"))
                try await instances.expectNoTokens(in: server)
            }
        }
    }

    @Test func instanceStartsFromItsCopiesWhileRedisIsAway() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        var setup = Self.setup
        setup.gateway += "\nstate_dir: \(scratch.path)/state"
        try await withInstances(setup) { instances async throws in
            try await RedisServer.run(RedisServer.durable) { server async throws in
                let first = try await instances.start(server.url)
                #expect(try await put(first, "shop", text("shop.test", instances)).status == 201)
                try await until("the tenant is served") { try await serves(first, "shop.test") }
                try await until("its copy is written") {
                    (try? FileManager.default.contentsOfDirectory(atPath: "\(scratch.path)/state/tenants"))?.count == 1
                }
                try await server.kill()
                let second = try await instances.start(server.url)
                #expect(try await serves(second, "shop.test"))
                #expect(try await second.readiness().status == 503)
                #expect(instances.log.text.contains("their copies in the state directory are served"))
                #expect(try await put(second, "other", text("other.test", instances)).status == 503)
                try await server.restart()
                try await until("it is ready") { try await second.readiness().status == 200 }
                #expect(try await put(second, "other", text("other.test", instances)).status == 201)
                try await until("a new tenant is served") { try await serves(second, "other.test") }
            }
        }
    }

    @Test func instanceThatIsCutOffKeepsWhatItHadAndCatchesUp() async throws {
        try await withRelay(Self.setup) { instances, server, relay async throws in
            let near = try await instances.start(server.url)
            let far = try await instances.start(relay.url)
            let created = try await put(near, "shop", text("shop.test", instances))
            try await until("the tenant is served") { try await serves(far, "shop.test") }
            try await relay.begin(.cut)
            let tag = try #require(created.fields["ETag"].first)
            #expect(try await put(near, "shop", text("moved.test", instances), "If-Match: \(tag)").status == 200)
            #expect(try await put(near, "clan", text("clan.test", instances)).status == 201)
            try await until("it is in force here") { try await serves(near, "clan.test") }
            #expect(try await serves(far, "shop.test"))
            #expect(try await put(far, "other", text("other.test", instances)).status == 503)
            try await relay.heal()
            for host in ["moved.test", "clan.test"] {
                try await until("it is in force there") { try await serves(far, host) }
            }
            #expect(try await !serves(far, "shop.test"))
        }
    }

    @Test func ofTwoWritesAtOnceOneGets412() async throws {
        try await withRelay(Self.setup) { instances, server, relay async throws in
            let (first, second) = (try await instances.start(server.url), try await instances.start(relay.url))
            var tag = try #require(
                try await put(first, "shop", text("shop.test", instances)).fields["ETag"].first
            )
            for round in 0..<5 {
                let condition = "If-Match: \(tag)"
                async let one = put(first, "shop", text("one-\(round).test", instances), condition)
                async let other = put(second, "shop", text("other-\(round).test", instances), condition)
                let responses = [try await one, try await other]
                #expect(responses.map(\.status).sorted() == [200, 412])
                tag = try #require(responses.first { $0.status == 200 }?.fields["ETag"].first)
            }
            // Two tenants that want one host.
            async let one = put(first, "a", text("same.test", instances))
            async let other = put(second, "b", text("same.test", instances))
            #expect([try await one.status, try await other.status].sorted() == [201, 409])
        }
    }
}
