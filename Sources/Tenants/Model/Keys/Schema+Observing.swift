extension Schema {
    static let log = LogKeys()
    static let levels = LevelsKeys()
    static let tracing = TracingKeys()

    struct LogKeys: KeyTable {
        let level = Key("level", .choice(LogSettings.Level.self), default: .info)
            .means("The least important messages that are written.", example: "warning")
        let levels = Key("levels", .object(Schema.levels))
            .means("The same for parts of the gateway, where it is to be another.")
        let format = Key("format", .choice(LogSettings.Format.self), default: .json)
            .means("One JSON object or one readable text a line.")
        let access = Key("access", .boolean, default: true).means("One line a request.")
        let query = Key("query", .boolean, default: false)
            .means("Whether that line has the query; values of tokens and the like are left out.")
    }

    struct LevelsKeys: KeyTable {
        let modules = LogModule.allCases.map {
            Key($0.rawValue, .choice(LogSettings.Level.self)).means($0.meaning, example: "debug")
        }
    }

    struct TracingKeys: KeyTable {
        let otlp = Key("otlp", .url(example: "http://127.0.0.1:4318"), isRequired: true)
            .means("The OTLP/HTTP collector; traces go to `/v1/traces` below it.")
        let sample = Key("sample", .decimal(0...1), default: 0.1)
            .means("The share of requests that are traced, of those for which no `traceparent` decides.")
    }
}
