import Authorization
import NIOCore
import Proxy
import ProxyTestSupport
import UpstreamTestSupport
import Verification

@testable import Gateway
@testable import Tenants

/// Asks a loop that never runs what requests would meet.
final class ExplainPipeline {
    let tenant: Tenant
    private let fixture: EmbeddedWorker

    init(_ tenant: Tenant, gateway: GatewaySettings = GatewaySettings(listeners: [])) {
        self.tenant = tenant
        fixture = EmbeddedWorker([tenant], gateway: gateway)
    }

    var worker: Worker { fixture.worker }

    func report(
        _ target: String,
        method: String = "GET",
        host: String? = nil,
        token: String? = nil,
        fields: [(name: String, value: String)] = [],
        isOffline: Bool = false
    ) throws -> DecisionReport {
        let request = try ExplainedRequest(method: method, target: target, host: host, token: token, fields: fields)
        var told: [DecisionReport] = []
        Rehearsal.run(request, of: tenant, isOffline: isOffline, on: worker) { told.append($0) }
        guard let report = told.first, told.count == 1 else { throw Silent() }
        return report
    }

    /// The decision on the same request without an explanation.
    func plainDecision(
        _ target: String,
        method: String,
        token: String?,
        fields: [(name: String, value: String)]
    ) throws -> DecisionReport.Decision {
        let request = try ExplainedRequest(method: method, target: target, token: token, fields: fields)
        var decision: DecisionReport.Decision?
        let decisionContext = DecisionContext(peer: try RequestPipeline.peer(request.address), source: .rehearsal)
        DecisionQuery(ByteBuffer(string: request.head(for: tenant)), decisionContext, worker: worker) { verdict, _ in
            if case .refused(let refusal, _) = verdict {
                decision = .refuse(status: refusal.status, code: refusal.code.rawValue)
            } else {
                decision = .forward
            }
        }
        .begin()
        guard let decision else { throw Silent() }
        return decision
    }

    struct Silent: Error {}

    /// Apple's, at `/auth/apple`.
    static func forwardedSignIn() throws -> SignIn {
        let path = try PathPattern("/auth/apple")
        return SignIn(apple: AppleSignIn(path: path, clientIDs: ["com.example.app"], then: .forward))
    }

    /// A tenant with rules of every kind, in lines that no other test has.
    static func tenant(mode: Tenant.Mode = .enforce, from: [TokenSource] = [.bearer]) throws -> Tenant {
        var tenant = try RequestPipeline.tenant(
            from: from,
            access: [
                AccessRule(path: try PathPattern("/open/**"), allow: .anyone, line: 21),
                AccessRule(
                    path: try PathPattern("/admin/**"),
                    methods: ["GET"],
                    allow: .signedIn(roles: ["admin", "owner"], scopes: []),
                    line: 22
                ),
                AccessRule(
                    path: try PathPattern("/write/**"),
                    allow: .signedIn(roles: ["customer"], scopes: ["read", "delete"]),
                    line: 23
                ),
                AccessRule(
                    path: try PathPattern("/soon/**"),
                    allow: .signedIn(roles: ["admin"], scopes: []),
                    mode: .observe,
                    line: 24
                ),
                AccessRule(path: try PathPattern("/any/**"), allow: .signedIn(roles: [], scopes: []), line: 25),
            ],
            mode: mode
        )
        tenant.lines = [
            "hosts": 4, "authenticate": 6, "authenticate.from": 7, "authenticate.issuers": 8,
            "authenticate.issuers[0]": 9, "access": 20, "mode": 30,
        ]
        return tenant
    }
}
