import TestSupport
import Testing

@testable import Redis

@Suite struct RedisHandshakeTests {
    private static let address = RedisAddress(host: "redis.test")

    private static func configuration() -> RedisConfiguration {
        var configuration = RedisConfiguration(servers: .direct([address]))
        configuration.credentials = RedisCredentials(user: "gate", password: RedisPassword("secret"))
        configuration.database = 3
        configuration.clientName = "gatehouse"
        return configuration
    }

    /// Brings a handshake to the step after `count` good replies.
    private static func handshake(
        after count: Int,
        _ configuration: RedisConfiguration = configuration(),
        for purpose: Handshake.Purpose = .commands(mustBeMaster: false)
    ) -> Handshake {
        var handshake = Handshake(configuration, for: purpose)
        _ = handshake.opened()
        for _ in 0..<count { _ = handshake.received(.status("OK")) }
        return handshake
    }

    private static func error(_ text: String) -> RedisReply { RedisReply(errorLine: text) }

    @Test func theStepsAreTakenInOrder() {
        var handshake = Handshake(Self.configuration(), for: .commands(mustBeMaster: true))
        #expect(handshake.opened() == .send(RedisCommand("AUTH", "gate", "secret")))
        #expect(handshake.received(.status("OK")) == .send(RedisCommand("PING")))
        #expect(handshake.received(.status("PONG")) == .send(RedisCommand("ROLE")))
        let role = RedisReply.array([.string(Array("master".utf8)), .integer(0), .array([])])
        #expect(handshake.received(role) == .send(RedisCommand("SELECT", "3")))
        #expect(handshake.received(.status("OK")) == .send(RedisCommand("CLIENT", "SETNAME", "gatehouse")))
        #expect(handshake.received(.status("OK")) == .ready)
    }

    @Test func unconfiguredStepsAreSkipped() {
        var handshake = Handshake(
            RedisConfiguration(servers: .direct([Self.address])),
            for: .commands(mustBeMaster: false)
        )
        #expect(handshake.opened() == .send(RedisCommand("PING")))
        #expect(handshake.received(.status("PONG")) == .ready)
    }

    @Test func aPasswordWithoutUserIsThatOfTheDefaultUser() {
        var configuration = Self.configuration()
        configuration.credentials?.user = nil
        let handshake = Handshake(configuration, for: .commands(mustBeMaster: false))
        #expect(handshake.opened() == .send(RedisCommand("AUTH", "default", "secret")))
    }

    @Test(arguments: ["WRONGPASS", "NOAUTH", "NOPERM"])
    func refusedPasswordNeedsAnOperator(code: String) {
        var handshake = Self.handshake(after: 0)
        let reason = "\(code): the server does not take the user and the password"
        #expect(handshake.received(Self.error("\(code) for secret")) == .fail(.refused(reason)))
    }

    /// It can be read although it accepts no writes.
    @Test func serverThatCannotSaveIsConnectedTo() {
        var handshake = Self.handshake(after: 1)
        let action = handshake.received(Self.error("MISCONF unable to persist to disk"))
        #expect(action == .send(RedisCommand("SELECT", "3")))
    }

    @Test(arguments: [
        "LOADING Redis is loading", "MASTERDOWN Link is down", "ERR max number of clients reached", "BUSY x",
    ])
    func whatPassesIsTriedAgain(text: String) {
        var handshake = Self.handshake(after: 1)
        #expect(handshake.received(Self.error(text)) == .fail(.transient(text)))
    }

    @Test(arguments: [
        ("ERR unknown command 'AUTH', with args beginning with: 'gate' 'secret'", "ERR in reply to AUTH"),
        ("LOADING secret", "LOADING in reply to AUTH"), ("secret is no command", "an error in reply to AUTH"),
    ])
    func whatIsSaidOfThePasswordIsNotToldOn(text: String, beginning: String) {
        var handshake = Self.handshake(after: 0)
        guard case .fail(.transient(let reason)) = handshake.received(Self.error(text)) else {
            Issue.record("not tried again")
            return
        }
        #expect(reason.hasPrefix(beginning) && !reason.contains("secret"))
    }

    @Test func requiredPasswordNeedsAnOperator() {
        var handshake = Self.handshake(after: 0, RedisConfiguration(servers: .direct([Self.address])))
        let text = "NOAUTH Authentication required."
        #expect(handshake.received(Self.error(text)) == .fail(.refused(text)))
    }

    @Test func userWithoutPingRightConnects() {
        var handshake = Self.handshake(after: 1)
        #expect(handshake.received(Self.error("NOPERM no ping")) == .send(RedisCommand("SELECT", "3")))
    }

    @Test func missingDatabaseNeedsAnOperator() {
        var handshake = Self.handshake(after: 2)
        guard case .fail(.refused(let reason)) = handshake.received(Self.error("ERR DB index is out of range")) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("database 3") && reason.contains("out of range"))
    }

    @Test func failedClientNameIsIgnored() {
        var handshake = Self.handshake(after: 3)
        #expect(handshake.received(Self.error("NOPERM no client")) == .ready)
    }

    @Test func replicaIsNotAcceptedAsMaster() {
        for role in ["slave", "sentinel"] {
            var handshake = Self.handshake(after: 2, for: .commands(mustBeMaster: true))
            let reply = RedisReply.array([.string(Array(role.utf8)), .integer(0)])
            #expect(handshake.received(reply) == .fail(.notMaster("the server is no master but \(role)")))
        }
        var denied = Self.handshake(after: 2, for: .commands(mustBeMaster: true))
        guard case .fail(.refused(let reason)) = denied.received(Self.error("NOPERM no")) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("+role"))
        for reply in [RedisReply.null, .status("OK"), .array([])] {
            var other = Self.handshake(after: 2, for: .commands(mustBeMaster: true))
            guard case .fail(.notMaster) = other.received(reply) else {
                Issue.record("\(reply) was taken for a master's")
                continue
            }
        }
    }

    @Test func sentinelHasItsOwnCredentials() {
        var configuration = Self.configuration()
        configuration.servers = .sentinels(
            [Self.address],
            masterName: "gate",
            credentials: RedisCredentials(password: RedisPassword("watch"))
        )
        var handshake = Handshake(configuration, for: .findMaster(name: "gate"))
        #expect(handshake.opened() == .send(RedisCommand("AUTH", "default", "watch")))
        let question = RedisCommand("SENTINEL", "get-master-addr-by-name", "gate")
        #expect(handshake.received(.status("OK")) == .send(question))
        let reply = RedisReply.array([.string(Array("10.0.0.7".utf8)), .string(Array("6380".utf8))])
        #expect(handshake.received(reply) == .master(RedisAddress(host: "10.0.0.7", port: 6380)))
    }

    @Test func invalidSentinelReplyIsRetried() {
        let host = RedisReply.string(Array("h".utf8))
        let replies: [RedisReply] = [
            .null, .status("x"), .integer(1), .array([]), .array([host]), .array([host, .integer(1)]),
            .array([host, .string(Array("0".utf8))]), .array([host, .string(Array("65536".utf8))]),
            .array([.string([]), .string(Array("1".utf8))]), Self.error("IDONTKNOW"), Self.error("ERR unknown command"),
        ]
        for reply in replies {
            var handshake = Self.handshake(after: 0, for: .findMaster(name: "gate"))
            guard case .fail(.transient) = handshake.received(reply) else {
                Issue.record("\(reply) did not fail")
                continue
            }
        }
        var handshake = Self.handshake(after: 0, for: .findMaster(name: "gate"))
        #expect(handshake.received(Self.error("NOAUTH x")) == .fail(.refused("NOAUTH x")))
    }

    @Test func unexpectedReplyFails() {
        var handshake = Self.handshake(after: 4)
        guard case .fail(.transient) = handshake.received(.status("OK")) else {
            Issue.record("taken")
            return
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func anyRepliesEndTheHandshake(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let purpose = [Handshake.Purpose.findMaster(name: "x"), .commands(mustBeMaster: true)][Int(seed % 2)]
        var handshake = Handshake(Self.configuration(), for: purpose)
        var action = handshake.opened()
        for _ in 0..<6 {
            guard case .send = action else { return }
            action = handshake.received(RESPWriter.random(depth: 2, using: &generator))
        }
        Issue.record("it has sent more commands than necessary")
    }
}
