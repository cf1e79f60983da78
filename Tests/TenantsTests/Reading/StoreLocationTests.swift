import ConfigurationText
import TestSupport
import Testing

@testable import Tenants

/// What right forms of `store` and `state_dir` come out as.
struct StoreLocationTests {
    private static func store(_ text: String, environment: [String: String] = [:]) throws -> StoreLocation {
        let result = Sample.read(Sample.gateway("store: \"\(text)\""), environment: environment)
        #expect(result.diagnostics.isEmpty)
        return try #require(result.configuration?.gateway.store)
    }

    private static func redis(_ text: String, environment: [String: String] = [:]) throws -> RedisLocation {
        guard case .redis(let location) = try store(text, environment: environment) else {
            Issue.record("\(text) is no Redis")
            return RedisLocation(endpoints: [])
        }
        return location
    }

    @Test func defaultStoreIsAFileBesideTenantsYAML() throws {
        let result = Sample.read(Sample.tenant(), path: "/etc/gatehouse/tenants.yaml")
        #expect(result.configuration?.gateway.store == .embedded(path: "/etc/gatehouse/gatehouse.db"))
        let other = Sample.read(Sample.gateway("threads: 1"))
        #expect(other.configuration?.gateway.store == .embedded(path: "gatehouse.db"))
    }

    @Test func memoryAndFilesAreRead() throws {
        #expect(try Self.store("memory:") == .memory)
        #expect(try Self.store("embedded:g.db") == .embedded(path: "g.db"))
        let text = Sample.gateway("store: 'embedded:state/g.db'")
        let files = PretendFiles(["/srv/state/other": ""])
        let result = Sample.read(text, path: "/srv/tenants.yaml", files: files)
        #expect(result.diagnostics.isEmpty)
        #expect(result.configuration?.gateway.store == .embedded(path: "/srv/state/g.db"))
    }

    @Test(arguments: [
        ("redis://cache.test", RedisLocation(endpoints: [HostPort(host: "cache.test", port: 6379)])),
        ("redis://cache.test/", RedisLocation(endpoints: [HostPort(host: "cache.test", port: 6379)])),
        (
            "redis://[::1]:7000/15",
            RedisLocation(endpoints: [HostPort(host: "::1", port: 7000)], database: 15)
        ),
        (
            "redis://:p%40%2F%25s+s@127.0.0.1/1",
            RedisLocation(
                endpoints: [HostPort(host: "127.0.0.1", port: 6379)],
                password: Secret("p@/%s+s"),
                database: 1
            )
        ),
        (
            "redis://g%c3%a4te:p:q@localhost",
            RedisLocation(
                endpoints: [HostPort(host: "localhost", port: 6379)],
                user: "gäte",
                password: Secret("p:q")
            )
        ),
        (
            "rediss://u:p@cache.test:6380/2?server_name=Redis.test",
            RedisLocation(
                endpoints: [HostPort(host: "cache.test", port: 6380)],
                user: "u",
                password: Secret("p"),
                database: 2,
                tls: RedisTLS(serverName: "redis.test")
            )
        ),
        (
            "redis+sentinel://a.test,[fd00::1]:7/my-master.1_",
            RedisLocation(
                endpoints: [HostPort(host: "a.test", port: 26_379), HostPort(host: "fd00::1", port: 7)],
                sentinelMaster: "my-master.1_"
            )
        ),
        (
            "rediss+sentinel://u:p@a.test,b.test/m/3?sentinel_user=s&sentinel_password=q%26",
            RedisLocation(
                endpoints: [HostPort(host: "a.test", port: 26_379), HostPort(host: "b.test", port: 26_379)],
                sentinelMaster: "m",
                user: "u",
                password: Secret("p"),
                sentinelUser: "s",
                sentinelPassword: Secret("q&"),
                database: 3,
                tls: RedisTLS()
            )
        ),
    ])
    func everyFormOfARedisAddressIsRead(text: String, location: RedisLocation) throws {
        #expect(try Self.redis(text) == location)
    }

    @Test func partsMayComeFromTheEnvironment() throws {
        let location = try Self.redis("rediss://${USER}:${PASS}@h", environment: ["USER": "u", "PASS": "p%2F"])
        #expect(location.user == "u")
        #expect(location.password == Secret("p/"))
    }

    @Test func filesOfARedisAddressAreRelativeToTenantsYAML() throws {
        let text = Sample.gateway(
            "store: 'rediss://h?ca_file=tls/ca.pem&certificate_file=tls%2Fshop.pem&key_file=/abs/shop.key'"
        )
        let files = PretendFiles([
            "/srv/tls/ca.pem": try #require(Certificates.files["address.pem"]),
            "/srv/tls/shop.pem": try #require(Certificates.files["shop.pem"]),
            "/abs/shop.key": try #require(Certificates.files["shop.key"]),
        ])
        let result = Sample.read(text, path: "/srv/tenants.yaml", files: files)
        #expect(result.diagnostics.isEmpty)
        guard case .redis(let location)? = result.configuration?.gateway.store else {
            Issue.record("no Redis")
            return
        }
        #expect(
            location.tls
                == RedisTLS(
                    caFile: "/srv/tls/ca.pem",
                    certificateFile: "/srv/tls/shop.pem",
                    keyFile: "/abs/shop.key"
                )
        )
    }

    @Test func passwordOnLoopbackOrOverTLSIsNoWarning() throws {
        for text in [
            "redis://:p@127.0.0.1", "redis://:p@[::1]", "redis://:p@localhost", "rediss://:p@h", "redis://h",
            "rediss+sentinel://:p@h/m?sentinel_password=q", "redis+sentinel://:p@localhost,127.0.0.1/m",
        ] {
            _ = try Self.redis(text)
        }
    }

    @Test(arguments: [
        ("redis://:p@127.0.0.1:6379/3", "redis://127.0.0.1:6379/3"),
        ("rediss://u:p@[fd00::1]?server_name=a.test", "rediss://[fd00::1]:6379/0"),
        ("rediss+sentinel://u:p@a,b:7/m/1?sentinel_password=q", "rediss+sentinel://a:26379,b:7/m/1"),
    ])
    func labelsHaveNoSecret(text: String, label: String) throws {
        #expect(try Self.redis(text).label == label)
    }

    @Test func addressNeverCrashesNorIsShown() throws {
        let parts = [
            "canary", ":", "@", "/", "?", "#", "%", "%2F", "%ff", ",", "[", "]", "::1", "6379", "-1", "&", "=",
            "ca_file",
            "sentinel_password", "é", " ", "h", "",
        ]
        var random = SplitMix64(seed: 0x7265_6469)
        var read = 0
        for _ in 0..<20_000 {
            guard let scheme = RedisURL.Scheme.allCases.randomElement(using: &random) else { return }
            let count = Int.random(in: 0...9, using: &random)
            let rest = (0..<count).compactMap { _ in parts.randomElement(using: &random) }.joined()
            do throws(Remedy) {
                let url = try RedisURL(scheme.rawValue + "://" + rest, scheme)
                read += 1
                #expect(!url.endpoints.isEmpty)
                #expect(url.endpoints.allSatisfy { (1...65_535).contains($0.port) && !$0.host.isEmpty })
                #expect(url.database >= 0)
                #expect((url.master == nil) == !scheme.isSentinel)
            } catch {
                #expect(!error.text.contains("canary"))
            }
        }
        #expect(read > 100)
    }
}

struct StateDirectoryTests {
    private static func directory(_ section: String, _ environment: [String: String] = [:]) throws -> String? {
        let result = Sample.read(
            Sample.gateway(section),
            path: "/srv/tenants.yaml",
            environment: environment,
            files: PretendFiles(["/srv/state/a": ""])
        )
        #expect(result.diagnostics.isEmpty)
        return try #require(result.configuration?.gateway).stateDirectory
    }

    @Test func stateDirectoryIsRelativeToTenantsYAML() throws {
        #expect(try Self.directory("state_dir: state", ["STATE_DIRECTORY": "/var/lib/other"]) == "/srv/state")
    }

    @Test func stateDirectoryNeedNotExist() throws {
        #expect(try Self.directory("state_dir: other") == "/srv/other")
        #expect(try Self.directory("state_dir: state/b") == "/srv/state/b")
    }

    @Test func stateDirectoryThatIsNoDirectoryIsReported() throws {
        let text = Sample.gateway("state_dir: t.yaml")
        let result = TenantsFile.read(text: Array(text.utf8), path: "t.yaml", environment: [:], files: NoDirectories())
        #expect(
            result.diagnostics.map(\.description) == [
                "t.yaml:9:14: \"state_dir\" cannot be used, \"t.yaml\": not a directory"
            ]
        )
    }

    /// A file system in which every path is a file.
    private struct NoDirectories: FileReading {
        func read(_ path: String) throws(FileReadingError) -> [UInt8] { [] }
        func list(_ directory: String) throws(FileReadingError) -> [String] { throw .unreadable("not a directory") }
    }

    @Test func systemdGivesTheDefaultStateDirectory() throws {
        #expect(try Self.directory("threads: 1", ["STATE_DIRECTORY": "/var/lib/gatehouse"]) == "/var/lib/gatehouse")
        #expect(try Self.directory("threads: 1", ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b"]) == "/var/lib/a")
        #expect(try Self.directory("threads: 1", ["STATE_DIRECTORY": ""]) == nil)
        let bare = Sample.read(Sample.tenant(), environment: ["STATE_DIRECTORY": "/var/lib/gatehouse"])
        #expect(bare.configuration?.gateway.stateDirectory == "/var/lib/gatehouse")
    }

    @Test func withoutEitherThereIsNoStateDirectory() throws {
        #expect(try Self.directory("threads: 1") == nil)
    }
}
