extension Schema {
    static let rateLimit = SchemaObject([
        SchemaKey(
            "by",
            .text(example: "ip"),
            isRequired: true,
            "Whose requests are counted together: `ip`, `subject`, `tenant` or `claim:NAME`."
        ),
        SchemaKey(
            "rate",
            .text(example: "20/s"),
            isRequired: true,
            "Requests in a second, minute or hour: `20/s`, `600/m`, `1000/h`."
        ),
        SchemaKey(
            "burst",
            .integer(1...1_000_000),
            "How many may come at once. Omitted: the number in `rate`, at most 1000."
        ),
        SchemaKey(
            "path",
            .text(example: "/api/auth/**"),
            "Only paths of this pattern count. Omitted: all."
        ),
        SchemaKey("shared", .boolean, standard: "false", "Whether all instances count together, through the store."),
        SchemaKey(
            "ahead",
            .integer(1...1_000_000),
            "How many requests of a key each instance may let through before the store knows. Omitted: `burst`."
        ),
        SchemaKey(
            "mode",
            .choice(Tenant.Mode.allCases.map(\.rawValue)),
            standard: "enforce",
            "`observe` counts and logs what is over the limit, but lets it through: for migrations."
        ),
    ])
}
