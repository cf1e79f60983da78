import TestSupport
import Testing
import Verification

/// Sessions of a former issuer at two instances with Redis.
@Suite(.serialized) struct AdoptionFleetTests {
    @Test func instancesAdoptSessionOnce() async throws {
        try await RedisServer.run { server in
            try await withInstances(.adopting()) { fleet in
                let instances = [try await fleet.start(server.url), try await fleet.start(server.url)]
                for number in 0..<8 {
                    let old = try fleet.token(["sid": .string("old-\(number)")], algorithm: .es256)
                    let sessions = try await withThrowingTaskGroup(of: [String].self) { group in
                        for request in 0..<8 {
                            group.addTask {
                                let response = try await instances[request % 2].request(token: old)
                                #expect(response.status == 200)
                                return response.fields["X-Refreshed-Token"]
                            }
                        }
                        return try await group.reduce(into: []) { $0 += $1 }
                    }
                    #expect(sessions.count == 1)
                    for token in sessions {
                        for instance in instances { #expect(try await instance.request(token: token).status == 200) }
                    }
                }
            }
        }
    }

    @Test func storeOutageRefusesNobody() async throws {
        try await RedisServer.run { server in
            try await withInstances(.adopting()) { fleet in
                let instance = try await fleet.start(server.url)
                let known = try fleet.token(["sid": "known"], algorithm: .es256)
                #expect(try await instance.request(token: known).fields["X-Refreshed-Token"].count == 1)
                try await server.kill()
                for name in ["known", "new"] {
                    let token = try fleet.token(["sid": .string(name)], algorithm: .es256)
                    let response = try await instance.request(token: token)
                    #expect(response.status == 200 && response.fields["X-Refreshed-Token"].isEmpty)
                }
                try await server.restart()
                let later = try fleet.token(["sid": "later"], algorithm: .es256)
                try await until("sessions are adopted again") {
                    try await !instance.request(token: later).fields["X-Refreshed-Token"].isEmpty
                }
            }
        }
    }
}
