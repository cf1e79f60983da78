import ArgumentParser
import IdentityProvider
import Testing

@testable import gatehouse

/// `gatehouse accounts migrate-apple`: arguments, and what is printed.
struct AppleTransferCommandTests {
    private static let own = ["--team-id", "A1B2C3D4E5", "--key-id", "K", "--key-file", "k.p8"]

    @Test(arguments: [
        ["--to-team", "B7C8D9E0F1"], ["--after"], ["--after", "--dry-run"], ["--to-team", "B7C8D9E0F1"] + own,
        ["--after", "--at-once", "16", "--client-id", "com.example.shop"] + own,
    ])
    func oneStepIsTaken(_ arguments: [String]) throws {
        let command = try AccountsMigrateAppleCommand.parse(["-c", "tenants.yaml", "--tenant", "shop"] + arguments)
        #expect(command.tenant == "shop" && command.after != (command.toTeam != nil))
    }

    private static let mistakes: [([String], String)] = [
        ([], "give --to-team before the app moves, or --after when it has"),
        (["--after", "--to-team", "B7C8D9E0F1"], "give --to-team before the app moves, or --after when it has"),
        (["--to-team", "b7c8d9e0f1"], "10 capital letters and digits"),
        (["--after", "--team-id", "A1B2C3D4E5"], "--team-id, --key-id and --key-file together"),
        (["--to-team", "A1B2C3D4E5"] + own, "--team-id the one that has it now"),
        (["--after", "--at-once", "17"], "--at-once is 1 to 16"),
        (["--after", "--at-once", "0"], "--at-once is 1 to 16"),
    ]

    @Test(arguments: mistakes)
    func invalidArgumentsAreBadUsage(_ arguments: [String], _ message: String) {
        do {
            _ = try AccountsMigrateAppleCommand.parse(["-c", "tenants.yaml", "--tenant", "shop"] + arguments)
            Issue.record("was taken")
        } catch {
            #expect(AccountsMigrateAppleCommand.exitCode(for: error) == .validationFailure)
            #expect(AccountsMigrateAppleCommand.message(for: error).contains(message))
        }
    }

    @Test func countsArePrintedWithWhatIsLeft() {
        var counts = AppleTransferCounts()
        counts.accounts = 10
        counts.logins = 8
        counts.done = 5
        counts.earlier = 1
        #expect(counts.isComplete)
        #expect(
            AppleTransferLines.lines(of: counts, .after, isDryRun: false)
                == ["10 accounts, 8 logins with Apple", "5 moved to the new team, 1 were before"]
        )
        counts.missing = 1
        counts.taken = 1
        #expect(!counts.isComplete)
        let lines = AppleTransferLines.lines(of: counts, .before(recipient: "B7C8D9E0F1"), isDryRun: true)
        #expect(lines.contains("5 would be prepared for the new team, 1 were before"))
        #expect(lines.contains("1 have another account at the new team already"))
        let remedy = AppleTransferLines.remedy(for: counts)
        #expect(remedy.contains("--to-team") && remedy.contains("keep that one") && !remedy.contains("not known"))
    }

    /// Fewer users than are refused before the run stops.
    @Test func refusalOfEveryoneMayBeTheTeams() {
        var counts = AppleTransferCounts()
        counts.accounts = 5
        counts.logins = 3
        counts.refused = 3
        let all = AppleTransferLines.remedy(for: counts)
        #expect(all.contains("Apple refuses all 3 users") && all.contains("--to-team the one that accepts the app"))
        #expect(all.contains("if all of that is right, they have taken the app off"))
        for path: WritableKeyPath<AppleTransferCounts, Int> in [\.done, \.earlier, \.missing, \.taken] {
            var some = counts
            some.logins += 1
            some[keyPath: path] += 1
            let remedy = AppleTransferLines.remedy(for: some)
            #expect(!remedy.contains("Apple refuses all") && remedy.contains("not known to Apple"))
        }
    }
}
