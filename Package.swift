// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// The files that the dashboard's page is put together from; they are compiled into the program.
let dashboard = [
    "page.html", "style.css", "elements.js", "format.js", "gateway.js", "history.js", "chart.js", "overview.js",
    "health.js", "certificates.js", "reloads.js", "revocations.js", "sessions.js", "explain.js", "refused.js",
    "tenant.js", "tenants.js", "difference.js", "edit.js",
    "main.js",
]

/// Modules point one way, as the picture in README.md shows: `scripts/check-structure` draws it of this file.
let package = Package(
    name: "gatehouse",
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"]),
        .executable(name: "gatehouse-demo", targets: ["GatehouseDemo"]),
        .library(name: "Verification", targets: ["Time", "Verification"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", path: "Sources/COpenSSL", providers: [.apt(["libssl-dev"])]),
        .target(name: "Verification", dependencies: ["COpenSSL", "Time"], swiftSettings: strict),
        .target(
            name: "Tenants",
            dependencies: ["ConfigurationText", "Time", "Verification"],
            swiftSettings: strict
        ),
        .target(name: "ConfigurationText", dependencies: ["CYAML", "Time"], swiftSettings: strict),
        .target(
            name: "HTTPCore",
            dependencies: [.product(name: "NIOCore", package: "swift-nio")],
            swiftSettings: strict
        ),
        .target(name: "Time", swiftSettings: strict),
        .target(
            name: "OutgoingHTTP",
            dependencies: [
                "PeerNames",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .target(name: "Counting", dependencies: ["Tenants", "Time"], swiftSettings: strict),
        .target(
            name: "PeerNames",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .systemLibrary(name: "CEpoll", path: "Sources/CEpoll"),
        .target(
            name: "Epoll",
            dependencies: ["CEpoll", .product(name: "NIOCore", package: "swift-nio")],
            swiftSettings: strict
        ),
        .systemLibrary(name: "CAuxv", path: "Sources/CAuxv"),
        .systemLibrary(name: "CYAML", path: "Sources/CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CHiredis", path: "Sources/CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .target(
            name: "Redis",
            dependencies: [
                "CHiredis",
                "PeerNames",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .systemLibrary(name: "CSQLite", path: "Sources/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: strict),
        .target(
            name: "Store",
            dependencies: [
                "CSQLite",
                "Redis",
                "SQLite",
                "Time",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SharedState",
            dependencies: [
                "OutgoingHTTP",
                "Store",
                "Tenants",
                "Time",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .target(name: "Signals", dependencies: ["Time", "Verification"], swiftSettings: strict),
        .target(name: "Localization", dependencies: ["Tenants"], swiftSettings: strict),
        .target(
            name: "TokenSigning",
            dependencies: [
                "Store",
                "Tenants",
                "Time",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Events",
            dependencies: [
                "Store",
                "Tenants",
                "Time",
                "TokenSigning",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "IdentityProvider",
            dependencies: [
                "Events",
                "Localization",
                "Signals",
                "Store",
                "Tenants",
                "Time",
                "TokenSigning",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "AccountDeletion",
            dependencies: [
                "Events",
                "IdentityProvider",
                "Store",
                "Tenants",
                "Time",
                "TokenSigning",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SignalReceiver",
            dependencies: [
                "IdentityProvider",
                "Localization",
                "Signals",
                "Store",
                "Tenants",
                "Time",
                "TokenSigning",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Adoption",
            dependencies: [
                "IdentityProvider",
                "SharedState",
                "Store",
                "Tenants",
                "Time",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Authorization",
            dependencies: [
                "ConfigurationText",
                "Counting",
                "HTTPCore",
                "IdentityProvider",
                "SharedState",
                "Store",
                "Tenants",
                "Time",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Upstream",
            dependencies: [
                "Authorization",
                "Counting",
                "Epoll",
                "HTTPCore",
                "PeerNames",
                "Tenants",
                "Time",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Proxy",
            dependencies: [
                "Adoption",
                "Authorization",
                "Counting",
                "Epoll",
                "HTTPCore",
                "IdentityProvider",
                "SharedState",
                "Store",
                "Tenants",
                "Time",
                "Upstream",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ExtAuthz",
            dependencies: [
                "HTTPCore",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "AdminAPI",
            dependencies: [
                "AccountDeletion",
                "Adoption",
                "ConfigurationText",
                "Counting",
                "Events",
                "HTTPCore",
                "IdentityProvider",
                "SharedState",
                "Store",
                "Tenants",
                "Time",
                "TokenSigning",
                "Verification",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("OpenAPI/openapi.json")]
                + dashboard.map { .embedInCode("Dashboard/Page/\($0)") },
            swiftSettings: strict
        ),
        .target(
            name: "Gateway",
            dependencies: [
                "AccountDeletion",
                "Adoption",
                "AdminAPI",
                "Authorization",
                "ConfigurationText",
                "Counting",
                "Epoll",
                "Events",
                "ExtAuthz",
                "HTTPCore",
                "IdentityProvider",
                "OutgoingHTTP",
                "PeerNames",
                "Proxy",
                "Redis",
                "SharedState",
                "SignalReceiver",
                "Store",
                "Tenants",
                "Time",
                "TokenSigning",
                "Upstream",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Demo",
            dependencies: [
                "Tenants", "Time", "Verification",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CommandSupport",
            dependencies: [
                "Tenants",
                "Time",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .target(name: "Migration", dependencies: ["ConfigurationText", "Tenants"], swiftSettings: strict),
        .executableTarget(
            name: "gatehouse",
            dependencies: [
                "Authorization",
                "CAuxv",
                "CommandSupport",
                "ConfigurationText",
                "Gateway",
                "IdentityProvider",
                "Migration",
                "OutgoingHTTP",
                "PeerNames",
                "Proxy",
                "Tenants",
                "Upstream",
                "Time",
                "Verification",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "GatehouseDemo",
            dependencies: [
                "AdminAPI",
                "CommandSupport",
                "Demo",
                "Gateway",
                "Proxy",
                "Tenants",
                "Verification",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            resources: [.embedInCode("tenants.yaml.example")]
                + ["start.css", "start.html", "start.js"].map { .embedInCode("StartPage/Page/\($0)") },
            swiftSettings: strict
        ),
        // What the tests of several modules share; no product has it.
        .target(
            name: "TestSupport",
            dependencies: [
                "HTTPCore", "Store", "Tenants", "Time", "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "HTTPCoreTests",
            dependencies: [
                "HTTPCore", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "VerificationTests",
            dependencies: ["TestSupport", "Time", "Verification"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PeerNamesTests",
            dependencies: [
                "PeerNames",
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RedisTests",
            dependencies: [
                "Redis", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "SQLiteTests", dependencies: ["CSQLite", "SQLite"], swiftSettings: strict),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "Redis", "SQLite", "Store", "TestSupport", "Time", "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CountingTests",
            dependencies: ["ConfigurationText", "Counting", "Tenants", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SignalsTests",
            dependencies: ["Signals", "TestSupport", "Time", "Verification"],
            swiftSettings: strict
        ),
        .testTarget(name: "TimeTests", dependencies: ["TestSupport", "Time"], swiftSettings: strict),
        .testTarget(
            name: "SharedStateTests",
            dependencies: [
                "OutgoingHTTP", "SharedState", "Store", "Tenants", "TestSupport", "Time", "Verification",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EventsTests",
            dependencies: [
                "Events", "Store", "Tenants", "TestSupport", "Time", "TokenSigning", "Verification",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AdoptionTests",
            dependencies: [
                "Adoption", "IdentityProvider", "SharedState", "Store", "Tenants", "TestSupport", "Time",
                "Verification",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "IdentityProviderTests",
            dependencies: [
                "AccountDeletion", "Adoption", "Events", "IdentityProvider", "Localization", "Redis", "SignalReceiver",
                "Signals", "Store", "Tenants", "TestSupport", "Time", "TokenSigning", "Verification",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ExtAuthzTests",
            dependencies: [
                "ExtAuthz", "ExtAuthzMessages", "HTTPCore", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: strict
        ),
        // Envoy's messages by SwiftProtobuf, which ours are tested against; no product has it.
        .target(
            name: "ExtAuthzMessages",
            dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            path: "Tests/ExtAuthzMessages",
            exclude: ["Protocol"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ConfigurationTextTests",
            dependencies: ["ConfigurationText", "Time"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TenantsTests",
            dependencies: ["ConfigurationText", "Tenants", "TestSupport", "Time", "Verification"],
            exclude: ["Mistakes"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MigrationTests",
            dependencies: ["Migration", "Tenants", "TestSupport"],
            exclude: ["Samples"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "CommandSupport", "Gateway", "IdentityProvider", "Migration", "Tenants", "TestSupport", "Time",
                "Upstream",
                "Verification",
                "gatehouse",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DemoTests",
            dependencies: [
                "CommandSupport", "Demo", "GatehouseDemo", "Gateway", "Tenants", "TestSupport", "Time", "Verification",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AdminAPITests",
            dependencies: [
                "AccountDeletion", "AdminAPI", "Counting", "IdentityProvider", "SharedState", "Store", "Tenants",
                "TestSupport", "Time", "TokenSigning", "Verification",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        // A request's way from its head to the server's, without a socket.
        .target(
            name: "UpstreamTestSupport",
            dependencies: [
                "Authorization", "HTTPCore", "IdentityProvider", "SharedState", "Store", "Tenants", "TestSupport",
                "Time", "Upstream", "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            path: "Tests/UpstreamTestSupport",
            swiftSettings: strict
        ),
        // A worker whose loop never runs.
        .target(
            name: "ProxyTestSupport",
            dependencies: [
                "Authorization", "IdentityProvider", "Proxy", "SharedState", "Store", "Tenants", "Upstream",
                "UpstreamTestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/ProxyTestSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "AuthorizationTests",
            dependencies: [
                "Authorization", "ConfigurationText", "Counting", "HTTPCore", "SharedState", "Store", "Tenants",
                "TestSupport", "Time", "UpstreamTestSupport", "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "UpstreamTests",
            dependencies: [
                "Authorization", "Counting", "HTTPCore", "Tenants", "TestSupport", "Time", "Upstream",
                "UpstreamTestSupport", "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EpollTests",
            dependencies: ["Epoll", "TestSupport", .product(name: "NIOCore", package: "swift-nio")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ProxyTests",
            dependencies: [
                "Adoption", "Authorization", "Counting", "HTTPCore", "IdentityProvider", "Proxy", "ProxyTestSupport",
                "SharedState", "Tenants", "TestSupport", "Time", "Upstream", "UpstreamTestSupport", "Verification",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Authorization", "Counting", "Events", "ExtAuthz", "Gateway", "IdentityProvider", "Proxy",
                "ProxyTestSupport",
                "SharedState", "SignalReceiver", "Store", "Tenants", "TestSupport", "Time", "Upstream",
                "UpstreamTestSupport", "Verification",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Authorization", "CommandSupport", "Demo", "Gateway", "IdentityProvider", "Proxy", "Redis", "Store",
                "Tenants", "TestSupport", "Time", "TokenSigning", "Upstream", "Verification", "gatehouse",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RealClientTests",
            dependencies: [
                "Demo", "ExtAuthzMessages", "Gateway", "Tenants", "TestSupport", "Time", "Verification",
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Scripts"],
            swiftSettings: strict
        ),
    ]
)
