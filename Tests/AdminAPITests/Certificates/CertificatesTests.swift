import Testing
import Time
import Verification

@testable import AdminAPI

/// The certificates in use, without HTTP.
struct CertificatesTests {
    private static let now = AdminFixture.now

    /// - Parameter days: From now.
    private static func status(_ file: String, from: Double = -10, days: Double) -> CertificateStatus {
        CertificateStatus(
            use: .server,
            file: file,
            tenants: ["app"],
            notBefore: now + from * 86_400,
            notAfter: now + days * 86_400
        )
    }

    private func list(_ certificates: [CertificateStatus]) throws -> [JSONObject] {
        let routes = CertificatesRoutes(certificates: { certificates }, now: { Self.now })
        return try #require(routes.list()["certificates"]?.array).compactMap(\.object)
    }

    @Test func nextToExpireIsFirst() throws {
        let list = try list([Self.status("b", days: 90), Self.status("c", days: 3), Self.status("a", days: 90)])
        #expect(list.map { $0["file"] } == ["c", "a", "b"])
        #expect(
            .object(list[1]) == [
                "use": "server", "file": "a", "tenants": ["app"], "not_before": "2027-01-05T08:00:00.000Z",
                "not_after": "2027-04-15T08:00:00.000Z", "days_left": 90, "state": "valid",
            ] as JSONValue
        )
    }

    @Test(arguments: [
        (14.0, 14, "valid"), (13.99, 13, "expires_soon"), (0.5, 0, "expires_soon"), (-0.5, -1, "expired"),
        (-30, -30, "expired"),
    ])
    func stateFollowsDaysLeft(_ days: Double, _ left: Int, _ state: String) throws {
        let certificate = try #require(try list([Self.status("a", days: days)]).first)
        #expect(certificate["days_left"] == .number(JSONNumber(left)))
        #expect(certificate["state"]?.string == state)
    }

    @Test func certificateOfTheFutureIsNotYetValid() throws {
        #expect(try list([Self.status("a", from: 1, days: 90)]).first?["state"] == "not_yet_valid")
    }
}
