import TestSupport
import Testing

/// Each target for a moment, from a fixed seed; `make fuzz` runs them for as long as one wants.
@Suite struct FuzzTests {
    @Test(arguments: MigrationFuzz.targets)
    func noInputBreaksTheRules(of target: FuzzTarget) {
        let run = FuzzRun(target)
        if let finding = run.finding { Issue.record("\(finding)") }
        #expect(run.isMeaningful, "\(run.accepted) of \(run.inputs) were accepted")
    }
}
