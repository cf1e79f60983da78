import Authorization
import Testing
import UpstreamTestSupport

@testable import Tenants

/// Which apps are served, by the version that they say.
struct AppVersionDecisionTests {
    private static let store = AppStore(ios: "https://apps.apple.com/app/id1", android: "market://details?id=a")

    private func pipeline(
        minimum: String? = "5.2.0",
        recommended: String? = "5.4.0",
        store: AppStore = AppVersionDecisionTests.store,
        paths: [String] = ["/**"],
        mode: Tenant.Mode = .enforce
    ) throws -> RequestPipeline {
        var tenant = try RequestPipeline.tenant(access: [RequestPipeline.rule("/open/**", .anyone)], mode: mode)
        tenant.appVersion = AppVersionRules(
            header: "x-app-version",
            minimum: minimum.flatMap { AppVersion($0) },
            recommended: recommended.flatMap { AppVersion($0) },
            store: store,
            paths: try paths.map { try PathPattern($0) },
            line: 7
        )
        return RequestPipeline([tenant])
    }

    private func finding(_ pipeline: RequestPipeline, _ lines: String..., path: String = "/open/x")
        -> AppVersionFinding?
    {
        _ = pipeline.ask(RequestPipeline.request(path, lines: lines))
        return pipeline.decisionContext.appVersion
    }

    @Test(arguments: [
        ("5.1.9", AppVersionFinding.belowMinimum), ("5.2.0-beta", .belowMinimum), ("5.2.0", .belowRecommended),
        ("5.3.99", .belowRecommended), ("5.4.0", .current), ("6", .current), ("five", .unreadable), ("", .unreadable),
    ]) func versionDecides(text: String, expected: AppVersionFinding) throws {
        #expect(finding(try pipeline(), "X-App-Version: \(text)") == expected)
    }

    @Test func oldAppIsRefusedBeforeItsTokenIsLookedAt() throws {
        let pipeline = try pipeline()
        for path in ["/", "/open/x"] {
            for token in [nil, "x", try RequestPipeline.token()] {
                let refusal = pipeline.get(path, token: token, lines: ["X-App-Version: 5.1"]).refusal
                #expect(refusal?.status == 426 && refusal?.code == .upgradeRequired)
                #expect(refusal?.upgrade?.minimum == "5.2.0")
                let fields = refusal?.fields.map { "\($0.name): \(String(decoding: $0.value, as: UTF8.self))" }
                #expect(fields == ["X-App-Update: required", "Vary: x-app-version"])
            }
        }
        #expect(pipeline.get("/", lines: ["X-App-Version: 5.2"]).refusal == .missingToken)
    }

    @Test func missingOrUnreadableVersionPasses() throws {
        let pipeline = try pipeline()
        #expect(finding(pipeline) == .missing)
        #expect(finding(pipeline, "X-App-Version: 1", "X-App-Version: 6") == .unreadable)
        #expect(finding(pipeline, "X-App-Version: 1", "X-App-Version: 1") == .belowMinimum)
        #expect(finding(pipeline, "X_App_Version: 1") == .missing, "a backend may read it, and nobody has checked it")
        #expect(pipeline.get("/open/x").grant != nil)
        #expect(pipeline.get("/open/x", lines: ["X-App-Version: one"]).grant != nil)
    }

    @Test func otherPathsHaveNoVersion() throws {
        let pipeline = try pipeline(paths: ["/open/api/**"])
        #expect(finding(pipeline, "X-App-Version: 1") == nil)
        #expect(finding(pipeline, "X-App-Version: 1", path: "/open/api") == .belowMinimum)
        // As a server may read it that merges slashes.
        #expect(finding(pipeline, "X-App-Version: 1", path: "/open//api/x") == .belowMinimum)
    }

    @Test(arguments: [
        (["X-App-Platform: iOS"], "ios"), (["X-App-Platform: android", "User-Agent: iPhone"], "android"),
        (["User-Agent: axios/1.6.8"], nil), (["User-Agent: Shop-iOS/5"], "ios"),
        (["User-Agent: Shop/17 CFNetwork/1494.0.7 Darwin/23.4.0"], "ios"), (["User-Agent: okhttp/4.12.0"], "android"),
        (["User-Agent: Mozilla/5.0 (Linux; Android 14; Pixel 8)"], "android"), (["User-Agent: curl/8"], nil),
        (["X-App-Platform: tv", "User-Agent: Mozilla/5.0 (iPad; CPU OS 17_4 like Mac OS X)"], "ios"), ([], nil),
    ]) func placeToUpdateIsThePlatforms(lines: [String], platform: String?) throws {
        let refusal = try pipeline().get("/", lines: ["X-App-Version: 1"] + lines).refusal
        let expected = platform == "ios" ? Self.store.ios : platform == "android" ? Self.store.android : nil
        #expect(refusal?.upgrade?.url == expected)
    }

    @Test func onlyStoreIsThatOfEveryPlatformUnknown() throws {
        let pipeline = try pipeline(store: AppStore(ios: Self.store.ios))
        #expect(pipeline.get("/", lines: ["X-App-Version: 1"]).refusal?.upgrade?.url == Self.store.ios)
        let android = pipeline.get("/", lines: ["X-App-Version: 1", "X-App-Platform: android"]).refusal
        #expect(android?.upgrade?.url == nil)
    }

    @Test func observedOldAppPassesAndIsNoted() throws {
        let pipeline = try pipeline(mode: .observe)
        let grant = try #require(
            pipeline.get("/", token: try RequestPipeline.token(), lines: ["X-App-Version: 1"]).grant
        )
        #expect(grant.outcome == .refused(.upgradeRequired) && grant.caller?.principal.subject == "alice")
        #expect(pipeline.decisionContext.appVersion == .belowMinimum)
    }

    @Test func versionOfOneRequestIsNotThatOfTheNext() throws {
        let pipeline = try pipeline(paths: ["/open/api/**"])
        #expect(finding(pipeline, "X-App-Version: 1", path: "/open/api") == .belowMinimum)
        #expect(finding(pipeline, "X-App-Version: 1") == nil)
    }
}
