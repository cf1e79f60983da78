extension Schema {
    static let rateLimit = RateLimitKeys()

    struct RateLimitKeys: KeyTable {
        let by = Key("by", .text(example: "ip"), isRequired: true)
            .means("Whose requests are counted together: `ip`, `subject`, `tenant` or `claim:NAME`.")
        let rate = Key("rate", .text(example: "20/s"), isRequired: true)
            .means("Requests in a second, minute or hour: `20/s`, `600/m`, `1000/h`.")
        let burst = Key("burst", .integer(1...1_000_000))
            .means("How many may come at once. Omitted: the number in `rate`, at most 1000.", example: "50")
        let path = Key("path", .text(example: "/api/auth/**")).means("Only paths of this pattern count. Omitted: all.")
        let shared = Key("shared", .boolean, default: false)
            .means("Whether all instances count together, through the store.")
        let ahead = Key("ahead", .integer(1...1_000_000))
            .means(
                "How many requests of a key each instance may let through before the store knows. Omitted: `burst`.",
                example: "5"
            )
        let mode = Key("mode", .choice(Tenant.Mode.self), default: .enforce)
            .means("`observe` counts and logs what is over the limit, but lets it through: for migrations.")
    }
}
