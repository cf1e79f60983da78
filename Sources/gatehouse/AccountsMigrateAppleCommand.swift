import ArgumentParser
import CommandSupport
import Gateway
import IdentityProvider
import Tenants

struct AccountsMigrateAppleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate-apple",
        abstract: "Takes users who sign in with Apple along when their app moves to another Apple team.",
        discussion: """
            A team has names of its own for Apple's users, so that nobody would be known again after the move.

              1. Before the app moves, with the old team's key: --to-team TEAM. The store keeps what Apple calls each user \
            towards the new team.
              2. The app moves. Who signs in from then on is known again by that.
              3. Right after that, within 60 days at most, with the new team's key: --after. It gets the names of all \
            others too. Until then what Apple reports of them is about nobody that is known.

            It works on the store that gateway.store names, while gateways use it. It can be stopped and started again: \
            what is done is not done again. --dry-run counts, asks Apple nothing and changes nothing. Accounts are those \
            of the tenant's realm; tenants stored by API cannot be named, but another one of their realm.

            The team's client is that of sign_in.apple: the first of client_ids, with the key of web. For another one give \
            --team-id, --key-id and --key-file.

            Run each step twice: a failover of Redis under way may hide accounts, and who was taken along is not asked about \
            again.

            Exit status 0 means that everybody who was found was taken along, 1 that somebody was not, or that it was stopped.

              gatehouse accounts migrate-apple -c tenants.yaml --tenant shop --to-team B7C8D9E0F1
              gatehouse accounts migrate-apple -c tenants.yaml --tenant shop --after \\
                  --team-id B7C8D9E0F1 --key-id F6G7H8I9J0 --key-file new-team.p8
            """
    )

    @Option(name: [.short, .long], help: ArgumentHelp("The configuration.", valueName: "tenants.yaml"))
    var config: String

    @Option(help: ArgumentHelp("The tenant's name there.", valueName: "name"))
    var tenant: String

    @Option(help: ArgumentHelp("Before the move: the team that the app moves to.", valueName: "team"))
    var toTeam: String?

    @Flag(help: "After the move.")
    var after = false

    @Option(
        help: ArgumentHelp("The app's client ID (default: the first of sign_in.apple.client_ids).", valueName: "id")
    )
    var clientId: String?

    @Option(help: ArgumentHelp("The team whose key is used (default: sign_in.apple.web.team_id).", valueName: "team"))
    var teamId: String?

    @Option(help: ArgumentHelp("The key's ID at Apple (default: sign_in.apple.web.key_id).", valueName: "id"))
    var keyId: String?

    @Option(help: ArgumentHelp("The key's .p8 file (default: the key of sign_in.apple.web).", valueName: "file"))
    var keyFile: String?

    @Option(help: ArgumentHelp("Accounts that are worked on at once, 1 to 16.", valueName: "number"))
    var atOnce = 4

    @Flag(help: "Only count what would be done.")
    var dryRun = false

    func validate() throws {
        guard (toTeam != nil) != after else {
            throw ValidationError("give --to-team before the app moves, or --after when it has")
        }
        for team in [toTeam, teamId].compactMap(\.self) where !Self.isTeam(team) {
            throw ValidationError("a team's ID at Apple has 10 capital letters and digits, as A1B2C3D4E5")
        }
        let own = [teamId, keyId, keyFile].count { $0 != nil }
        guard own == 0 || own == 3 else { throw ValidationError("give --team-id, --key-id and --key-file together") }
        guard teamId == nil || teamId != toTeam else {
            throw ValidationError("--to-team is the team that the app moves to, --team-id the one that has it now")
        }
        guard (1...AppleTransferRun.mostAtOnce).contains(atOnce) else {
            throw ValidationError("--at-once is 1 to \(AppleTransferRun.mostAtOnce)")
        }
    }

    func run() async throws {
        let result = ConfigurationReader.read(config)
        guard let configuration = result.configuration else {
            for diagnostic in result.diagnostics { Terminal.printError(diagnostic.description) }
            throw CommandFailure("\(config) has mistakes: gatehouse check \(config) shows them")
        }
        guard let tenant = configuration.tenants.first(where: { $0.name == self.tenant }) else {
            throw CommandFailure("\(config) has no tenant \(RevocationLine.printable(self.tenant))")
        }
        let step = toTeam.map(AppleTransferRun.Step.before) ?? .after
        let job = AppleTransferJob(
            step,
            of: tenant,
            in: configuration,
            team: dryRun ? nil : try team(of: tenant),
            atOnce: atOnce
        )
        let counts: AppleTransferCounts
        do throws(AppleTransferProblem) {
            counts = try await job.run { Terminal.printError("\($0.accounts) accounts, \($0.done) done") }
        } catch {
            throw CommandFailure("\(error)")
        }
        for line in AppleTransferLines.lines(of: counts, step, isDryRun: dryRun) { Terminal.print(line) }
        guard counts.isComplete else { throw CommandFailure(AppleTransferLines.remedy(for: counts)) }
    }

    private func team(of tenant: Tenant) throws -> AppleTransferClient.Team {
        guard let clientID = clientId ?? tenant.signIn?.apple?.clientIDs.first else {
            throw CommandFailure("tenant \(tenant.name) has no sign_in.apple: give --client-id")
        }
        if let teamId, let keyId, let keyFile {
            do {
                let key = Secret(try DiskFiles().read(keyFile))
                return AppleTransferClient.Team(clientID: clientID, teamID: teamId, keyID: keyId, key: key)
            } catch {
                throw CommandFailure("\(keyFile) cannot be read (\(error)); check the path and its permissions")
            }
        }
        guard let web = tenant.signIn?.apple?.web, let key = web.privateKey else {
            throw CommandFailure(
                "tenant \(tenant.name) has no key in sign_in.apple.web: give --team-id, --key-id and --key-file"
            )
        }
        return AppleTransferClient.Team(clientID: clientID, teamID: web.teamID, keyID: web.keyID, key: key)
    }

    private static func isTeam(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}

/// What became of the accounts, as lines of text.
enum AppleTransferLines {
    static func lines(of counts: AppleTransferCounts, _ step: AppleTransferRun.Step, isDryRun: Bool) -> [String] {
        var lines = ["\(counts.accounts) accounts, \(counts.logins) logins with Apple"]
        let what = step == .after ? "moved to the new team" : "prepared for the new team"
        lines.append("\(counts.done) \(isDryRun ? "would be " : "")\(what), \(counts.earlier) were before")
        if counts.missing > 0 { lines.append("\(counts.missing) were not prepared before the move") }
        if counts.refused > 0 { lines.append("\(counts.refused) are not known to Apple") }
        if counts.taken > 0 { lines.append("\(counts.taken) have another account at the new team already") }
        if counts.unreadable > 0 { lines.append("\(counts.unreadable) accounts cannot be read") }
        if !counts.named.isEmpty {
            lines.append("not taken along: \(RevocationLine.printable(counts.named.joined(separator: ", ")))")
        }
        return lines
    }

    static func remedy(for counts: AppleTransferCounts) -> String {
        var remedies: [String] = []
        if counts.missing > 0 {
            remedies.append(
                "those that were not prepared can be only with the old team's key (--to-team), within 60 days after the move"
            )
        }
        if counts.isEveryoneRefused {
            remedies.append("\(AppleTransferProblem.refusesEveryone(counts.refused))")
            remedies.append(
                "if all of that is right, they have taken the app off their account, and sign in as new users"
            )
        } else if counts.refused > 0 {
            remedies.append("those not known to Apple have taken the app off their account, and sign in as new users")
        }
        if counts.taken > 0 {
            remedies.append(
                "those with another account signed in after the move before they were prepared, and keep that one"
            )
        }
        if counts.unreadable > 0 { remedies.append("accounts that cannot be read were written by a newer version") }
        return "not everybody was taken along: \(remedies.joined(separator: "; "))"
    }
}
