extension Schema {
    static let refusals = RefusalsKeys()
    static let refusalText = RefusalTextKeys()
    static let appVersion = AppVersionKeys()
    static let appStore = AppStoreKeys()

    struct RefusalsKeys: KeyTable {
        let json = Key("json", .path(example: "refusal.json"))
            .means(
                "A template of the body: JSON with `{code}`, `{title}`, `{detail}`, `{status}`, `{request_id}` and "
                    + "`{upgrade_url}`. Omitted: a problem document."
            )
        let html = Key("html", .path(example: "refusal.html"))
            .means("The same as a page, for clients whose `Accept` prefers HTML. Omitted: they get the other body.")
        let texts = Key("texts", .dictionary(key: "CODE", .object(Schema.refusalText)))
            .means(
                "Texts in place of the gateway's, by the refusal's `code`.",
                example: "{ missing_token: { title: Please sign in } }"
            )
    }

    struct RefusalTextKeys: KeyTable {
        let title = Key("title", .text(example: "Please sign in")).means("In place of `title`.")
        let detail = Key("detail", .text(example: "Your session is over. Sign in again.")).means(
            "In place of `detail`."
        )
    }

    struct AppVersionKeys: KeyTable {
        let header = Key("header", .text(example: "X-Client-Version"), default: "X-App-Version")
            .means("The request header in which the app says its version.", example: "X-Client-Version")
        let minimum = Key("minimum", .text(example: "5.2.0"))
            .means("Older versions get 426 `upgrade_required`. This or `recommended` is needed.")
        let recommended = Key("recommended", .text(example: "5.4.0"))
            .means("Responses to older versions get `X-App-Update: recommended`.")
        let store = Key("store", .object(Schema.appStore)).means("Where the app is updated.")
        let paths = Key("paths", .list(.text(example: "/api/**"), minimum: 1, maximum: 64), default: ["/**"])
            .means("The paths that the app asks for; others have no version.", example: "[/api/**]")
    }

    struct AppStoreKeys: KeyTable {
        let ios = Key("ios", .url(example: "https://apps.apple.com/app/id1234567890")).means("For iPhone and iPad.")
        let android = Key("android", .url(example: "https://play.google.com/store/apps/details?id=com.example.app"))
            .means("For Android.")
    }
}
