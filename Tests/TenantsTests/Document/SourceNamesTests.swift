import Testing
import Time

@testable import Tenants

struct SourceNamesTests {
    private static func at(minutes: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + minutes * 60_000_000_000)
    }

    /// As many names as make a search worth while, and one file.
    private static func names(_ count: Int = 1200) -> SourceNames {
        var names = SourceNames()
        _ = names.number(of: "tenants.d/a.yaml", at: at(minutes: 0))
        for number in 0..<count { _ = names.number(of: "store:t\(number)", at: at(minutes: 0)) }
        return names
    }

    @Test func nameKeepsItsNumber() {
        var names = SourceNames()
        let first = names.number(of: "a", at: Self.at(minutes: 0))
        #expect(names.number(of: "b", at: Self.at(minutes: 0)) != first)
        #expect(names.number(of: "a", at: Self.at(minutes: 1)) == first && first != 0)
        #expect(names.name(first) == "a")
    }

    @Test func namesThatNobodyWantsAreForgottenAfterTheGrace() {
        var names = Self.names()
        let wanted = names.number(of: "store:t7", at: Self.at(minutes: 0))
        let recent = names.number(of: "store:t8", at: Self.at(minutes: 9))
        let gone = names.number(of: "store:t9", at: Self.at(minutes: 0))
        names.forget(prefix: "store:", wanted: 1, at: Self.at(minutes: 9)) { $0 == "store:t7" }
        #expect(names.count == 1201)
        names.forget(prefix: "store:", wanted: 1, at: Self.at(minutes: 10)) { $0 == "store:t7" }
        #expect(names.count == 3)
        #expect(names.name(wanted) == "store:t7" && names.name(recent) == "store:t8" && names.name(gone) == nil)
    }

    @Test func fewNamesAreKept() {
        var names = Self.names(900)
        names.forget(prefix: "store:", wanted: 0, at: Self.at(minutes: 60)) { _ in false }
        #expect(names.count == 901)
    }

    @Test func numbersOfForgottenNamesAreUsedAgain() {
        var names = Self.names()
        names.forget(prefix: "store:", wanted: 0, at: Self.at(minutes: 60)) { _ in false }
        for number in 0..<1200 { #expect(names.number(of: "store:n\(number)", at: Self.at(minutes: 60)) <= 1201) }
        #expect(names.name(1) == "tenants.d/a.yaml")
        #expect(names.number(of: "store:one-more", at: Self.at(minutes: 60)) == 1202)
    }
}
