import Testing

@testable import Redis

@Suite struct ServerNameTests {
    @Test(arguments: [
        ("redis.test", "redis.test"), ("REDIS.test", "redis.TEST"), ("redis.test.", "redis.test"),
        ("redis.test", "redis.test."), ("*.redis.test", "a.redis.test"), ("localhost", "localhost"),
    ])
    func aNameIsMatched(pattern: String, name: String) {
        #expect(ServerName.matches(Array(pattern.utf8), name))
    }

    @Test(arguments: [
        ("redis.test", "other.test"), ("redis.test", "a.redis.test"), ("*.redis.test", "redis.test"),
        ("*.redis.test", "a.b.redis.test"), ("*.redis.test", ".redis.test"), ("*.test", "redis.test"), ("*", "redis"),
        ("r*.redis.test", "ra.redis.test"), ("", ""), ("redis.test\0.evil", "redis.test"), ("*.*.test", "a.b.test"),
    ])
    func anotherNameIsNot(pattern: String, name: String) {
        #expect(!ServerName.matches(Array(pattern.utf8), name))
    }
}
