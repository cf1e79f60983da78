import Foundation
import Testing

@testable import gatehouse

@Suite struct ProgramPagesTests {
    private struct Mapping {
        var addresses: Range<UInt>
        var access: Substring
        var resident: Int
    }

    /// From /proc/self/smaps, proc_pid_smaps(5).
    private static func mappings() throws -> [Mapping] {
        var mappings: [Mapping] = []
        for line in try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words[0] == "Rss:", let last = mappings.indices.last {
                mappings[last].resident = Int(words[1]) ?? 0
            } else if !words[0].hasSuffix(":") {
                let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                guard ends.count == 2, ends[0] < ends[1] else { continue }
                mappings.append(Mapping(addresses: ends[0]..<ends[1], access: words[1], resident: 0))
            }
        }
        return mappings
    }

    private static func resident() throws -> Int {
        let segments = ProgramPages.readOnlySegments
        return try mappings().filter { mapping in segments.contains { $0.overlaps(mapping.addresses) } }
            .reduce(0) { $0 + $1.resident }
    }

    @Test func segmentsAreCodeAndConstantsOfThisProgram() throws {
        let mappings = try Self.mappings()
        let segments = ProgramPages.readOnlySegments
        #expect(!segments.isEmpty)
        for segment in segments {
            let inside = mappings.filter { $0.addresses.overlaps(segment) }
            #expect(inside.map(\.addresses.count).reduce(0, +) >= segment.count)
            #expect(inside.allSatisfy { !$0.access.contains("w") })
        }
        #expect(
            segments.contains { segment in mappings.contains { $0.access == "r-xp" && $0.addresses.overlaps(segment) } }
        )
    }

    @Test func releasedPagesAreNoLongerResident() throws {
        var sum = 0
        for segment in ProgramPages.readOnlySegments {
            for address in stride(from: segment.lowerBound, to: segment.upperBound, by: 4096) {
                sum &+= Int(UnsafePointer<UInt8>(bitPattern: address)?.pointee ?? 0)
            }
        }
        let before = try Self.resident()
        ProgramPages.release()
        let after = try Self.resident()
        #expect(after < before, "\(sum)")
    }
}
