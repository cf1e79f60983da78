import IdentityProvider
import Testing
import Verification

@testable import AdminAPI

/// The admin API's signing keys, without HTTP.
struct KeysHandlerTests {
    private let fixture: AdminFixture
    private let handler: KeysHandler

    init() throws {
        let fixture = try AdminFixture()
        self.fixture = fixture
        handler = KeysHandler(
            live: .serving(fixture.tenants),
            keys: { $0 == 0 ? fixture.keys : nil },
            now: { AdminFixture.now },
            logger: fixture.logger
        )
    }

    private func rotate(_ body: String) async throws(AdminProblem) -> JSONObject {
        var entry = AuditEntry(.rotateKeys)
        return try await handler.rotate(Array(body.utf8), &entry)
    }

    private func keys() async throws -> [JSONObject] {
        try #require(try await handler.list(tenant: "app")["keys"]?.array).compactMap(\.object)
    }

    @Test func listHasTheStateOfEachKey() async throws {
        let keys = try await keys()
        #expect(keys.map { $0["state"]?.string } == ["active", "next"])
        #expect(keys[0]["active_from"] == "2027-01-15T08:00:00.000Z")
        #expect(
            keys[0].members.map(\.name)
                == ["kid", "state", "created_at", "active_from", "retires_at", "verifies_until"]
        )
        #expect(keys[1]["active_from"] == .null && keys[0]["retires_at"] == .null)
    }

    @Test func dryRunReturnsThePlanOnly() async throws {
        let before = try await keys()
        let plan = try await rotate(#"{"tenant":"app","dry_run":true}"#)
        #expect(plan["dry_run"] == true && plan["under_way"] == false)
        #expect(plan["active"] == before[0]["kid"] && plan["next"] == before[1]["kid"])
        #expect(plan["takes_over_at"] == "2027-01-15T09:00:00.000Z")
        #expect(try await keys() == before)
    }

    @Test func dryRunIsNotAudited() async throws {
        var entry = AuditEntry(.rotateKeys)
        _ = try await handler.rotate(Array(#"{"tenant":"app","dry_run":true}"#.utf8), &entry)
        #expect(entry.isRehearsal)
    }

    @Test func rotationIsStoredAndAudited() async throws {
        var entry = AuditEntry(.rotateKeys)
        let plan = try await handler.rotate(Array(#"{"tenant":"app"}"#.utf8), &entry)
        #expect(plan["dry_run"] == false && plan["under_way"] == false)
        let keys = try await keys()
        #expect(keys[0]["retires_at"] == plan["takes_over_at"] && keys[1]["active_from"] == plan["takes_over_at"])
        #expect(keys[0]["verifies_until"] == plan["verifies_until"])
        let (active, next) = (try #require(keys[0]["kid"]?.string), try #require(keys[1]["kid"]?.string))
        #expect(
            entry.metadata(result: "done") == [
                "active": "\(active)", "next": "\(next)", "tenant": "app", "under_way": "false", "result": "done",
            ]
        )
        #expect(try await rotate(#"{"tenant":"app"}"#)["under_way"] == true)
    }

    @Test func keysOnDiskCannotBeRotated() async {
        for problem in [
            await fixture.problem { () async throws(AdminProblem) in try await rotate(#"{"tenant":"disk"}"#) },
            await fixture.problem { () async throws(AdminProblem) in try await handler.list(tenant: "disk") },
        ] {
            #expect(problem?.code == .keysElsewhere)
            #expect(
                problem?.detail.contains(
                    "gatehouse keys generate --algorithm ES256 --kid NAME, where NAME comes last in /etc/keys"
                ) == true
            )
        }
    }

    @Test func givenKeysCannotBeRotated() async {
        for problem in [
            await fixture.problem { () async throws(AdminProblem) in try await rotate(#"{"tenant":"given"}"#) },
            await fixture.problem { () async throws(AdminProblem) in try await handler.list(tenant: "given") },
        ] {
            #expect(problem?.code == .keysElsewhere)
            #expect(problem?.detail.contains("key, key_file or key_files") == true)
            #expect(problem?.detail.contains("/etc/issuer.pem") == false)
        }
    }

    @Test(arguments: [
        (#"{"tenant":"plain"}"#, AdminProblem.Code.noIssuer), (#"{"tenant":"App"}"#, .unknownTenant),
        (#"{"dry_run":true}"#, .badRequest), (#"{"tenant":"app","dry_run":1}"#, .badRequest),
        (#"{"tenant":"app","force":true}"#, .badRequest),
    ])
    func impossibleRequestsAreReported(_ body: String, _ code: AdminProblem.Code) async {
        let problem = await fixture.problem { () async throws(AdminProblem) in try await rotate(body) }
        #expect(problem?.code == code)
    }

    @Test func listNeedsATenant() async {
        for name in [nil, ""] {
            let problem = await fixture.problem { () async throws(AdminProblem) in try await handler.list(tenant: name)
            }
            #expect(problem?.code == .badRequest)
        }
    }
}
