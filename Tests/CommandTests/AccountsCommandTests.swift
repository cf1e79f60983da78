import ArgumentParser
import Testing
import Verification

@testable import gatehouse

/// `gatehouse accounts`: arguments, and what is printed.
struct AccountsCommandTests {
    private static let mistakes: [([String], String)] = [
        ([], "give exactly one of --passkey and --all"),
        (["--passkey", "AQID", "--all"], "give exactly one of --passkey and --all"),
        (["--passkey", "no id"], "--passkey is the ID that accounts show prints"),
        (["--all", "--tenant", "a/b"], "a tenant's name has 1 to 63 letters"),
        (["--all", "--subject", ""], "--subject is empty"),
    ]

    @Test(arguments: mistakes)
    func invalidArgumentsAreBadUsage(_ arguments: [String], _ message: String) {
        do {
            _ = try AccountsRemovePasskeyCommand.parse(["--tenant", "app", "--subject", "alice"] + arguments)
            Issue.record("was taken")
        } catch {
            #expect(AccountsRemovePasskeyCommand.exitCode(for: error) == .validationFailure)
            #expect(AccountsRemovePasskeyCommand.message(for: error).contains(message))
        }
    }

    @Test func accountIsPrintedALineForEachWayIn() {
        let account: JSONObject = [
            "subject": "alice\u{202E}", "role": "rider", "created_at": "2027-01-15T08:00:00.000Z",
            "logins": [["provider": "google", "subject": "110"]],
            "passkeys": [
                [
                    "id": "AQID", "name": "Phone", "added_at": "2027-01-16T08:00:00.000Z",
                    "last_used_at": "2027-01-17T08:00:00.000Z", "count": 7, "is_shared": false,
                ],
                ["id": "BAUG", "name": "Key", "added_at": "2027-01-16T08:00:00.000Z", "count": 0, "is_shared": true],
            ],
        ]
        #expect(
            AccountLines.all(of: account) == [
                "account alice\u{FFFD}, rider, since 2027-01-15T08:00:00.000Z", "login google 110",
                "passkey AQID, \"Phone\", added 2027-01-16T08:00:00.000Z, last used 2027-01-17T08:00:00.000Z, count 7",
                "passkey BAUG, \"Key\", added 2027-01-16T08:00:00.000Z, never used, on several devices",
            ]
        )
        #expect(AccountLines.all(of: [:]) == nil)
    }

    @Test func removalSaysWhenNothingSignsInAnyMore() {
        let removed: [JSONValue] = [["id": "AQID", "name": "Phone", "added_at": "2027-01-16T08:00:00.000Z"]]
        let left: JSONObject = ["logins": [], "passkeys": []]
        #expect(
            AccountsRemovePasskeyCommand.lines(removed: removed, left) == [
                "removed: passkey AQID, \"Phone\", added 2027-01-16T08:00:00.000Z, never used",
                "nothing is left that signs in to this account",
            ]
        )
        let others: JSONObject = ["logins": [["provider": "google", "subject": "110"]], "passkeys": []]
        #expect(AccountsRemovePasskeyCommand.lines(removed: removed, others).count == 1)
        #expect(
            AccountsRemovePasskeyCommand.lines(removed: [], others)
                == ["nothing was removed: the account has no passkeys"]
        )
    }
}
