extension Mistake {
    /// What is wrong with `revoke_on` and the keys around it.
    static let revocation: [Mistake] = [
        rule("revokeOnWithoutMethod", "/logout", "write it like POST /logout"),
        rule("revokeOnWithoutPath", "POST", "write it like POST /logout"),
        rule("revokeOnTheWrongWayRound", "/logout POST", "write it like POST /logout"),
        rule("revokeOnWithBadMethod", "PO:ST /logout", "begin it with a method like GET or POST"),
        rule("revokeOnInLowerCase", "post /logout", "methods are case-sensitive, write it in capitals"),
        rule("revokeOnRelativePath", "POST logout", #"a path starts with "/": write "/logout""#),
        rule(
            "revokeOnWithQuery",
            "POST /logout?all=1",
            #""/logout?all=1" is matched on the decoded path without its query: write it decoded"#
        ),
        rule(
            "revokeOnWithBadPattern",
            "POST /log*",
            #""/log*": "*" stands for a whole segment and "**" for the end of the path"#
        ),
        Mistake(
            "revokeOnPathFromTheEnvironment",
            Sample.tenant(more: #"revoke_on: ["POST ${CANARY}"]"#),
            [
                #"8:17: "revoke_on" must hold a method and a path, but the value of CANARY is none: the path begins with "/" and has whole segments only"#
            ]
        ),
        Mistake(
            "revokeOnTwice",
            Sample.tenant(more: #"revoke_on: [POST /logout, POST /logout]"#),
            [
                #"8:31: "POST /logout" is listed twice: leave one out"#
            ]
        ),
        Mistake(
            "unknownStoreFailurePolicy",
            Sample.tenant(more: #"on_store_failure: alow"#),
            [
                #"8:23: "on_store_failure" must be one of deny, allow, but is "alow": did you mean "allow"?"#
            ]
        ),
        Mistake(
            "staleForDays",
            Sample.tenant(more: #"max_staleness: 2d"#),
            [
                #"8:20: "max_staleness" must be a duration, but is "2d": give one from 1s to 1d"#
            ]
        ),
    ]

    private static func rule(_ name: String, _ text: String, _ remedy: String) -> Mistake {
        Mistake(
            name,
            Sample.tenant(more: "revoke_on: ['\(text)']"),
            ["8:17: \"revoke_on\" must hold a method and a path, but \"\(text)\" is none: \(remedy)"]
        )
    }
}
