import ConfigurationText
import TestSupport
import Testing

@testable import Tenants

/// Merging, beside a naive one that knows nothing of positions, types or sharing.
struct DocumentMergeTests {
    /// A document without positions.
    private indirect enum Value: Equatable {
        case null
        case text(String)
        case list([Value])
        case map([String: Value])

        init(_ node: DocumentNode) {
            switch node.content {
            case .null, .unresolved: self = .null
            case .scalar(let scalar): self = .text(scalar.text)
            case .list(let items): self = .list(items.map(Value.init))
            case .map(let entries):
                self = .map(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, Value($0.value)) }))
            }
        }

        /// As the documents say it: maps key by key, null takes away, all else replaces.
        func over(_ base: Value) -> Value {
            guard case .map(let own) = self, case .map(var merged) = base else { return self }
            for (key, value) in own {
                guard let below = merged[key] else {
                    merged[key] = value
                    continue
                }
                merged[key] = value == .null ? nil : value.over(below)
            }
            return .map(merged)
        }
    }

    private static func document(_ depth: Int, _ random: inout SplitMix64) -> DocumentNode.Content {
        switch Int.random(in: 0...(depth == 0 ? 2 : 7), using: &random) {
        case 0: return .null
        case 1, 2: return scalar("\(Int.random(in: 0...9, using: &random))")
        case 3:
            let count = Int.random(in: 0...3, using: &random)
            return .list((0..<count).map { _ in node(document(depth - 1, &random)) })
        default: return map(depth, &random)
        }
    }

    private static func map(_ depth: Int, _ random: inout SplitMix64) -> DocumentNode.Content {
        // Sometimes more than are searched one after the other.
        let most = Int.random(in: 0...3, using: &random) == 0 ? 40 : 4
        let keys = (0..<most).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
        return .map(
            keys.map { key in
                DocumentNode.Entry(key: "k\(key)", keyPosition: .start, value: node(document(depth - 1, &random)))
            }
        )
    }

    private static func scalar(_ text: String) -> DocumentNode.Content {
        .scalar(DocumentNode.Scalar(text: text, isPlain: true, isInterpolated: false, variables: []))
    }

    private static func node(_ content: DocumentNode.Content) -> DocumentNode {
        DocumentNode(position: .start, content: content)
    }

    @Test func mergingIsThatOfANaiveMerge() {
        var random = SplitMix64(seed: 20_261_126)
        var merged = 0
        for round in 0..<3_000 {
            let (own, base) = (Self.node(Self.map(4, &random)), Self.node(Self.map(4, &random)))
            let merge = DocumentMerge(findings: Findings(file: ""), base: "")
            let result = merge.merge(own, over: base, .anything)
            #expect(Value(result) == Value(own).over(Value(base)), "round \(round)")
            if Value(result) != Value(own) { merged += 1 }
        }
        #expect(merged > 2_000)
    }

    /// A key of the schema may be a map or a single value, and one replaces the other.
    @Test func eitherTypeReplacesTheOther() {
        let findings = Findings(file: "")
        let merge = DocumentMerge(findings: findings, base: "template \"t\"")
        let either = SchemaType.either([.text(example: "x"), .dictionary(key: "K", .text(example: "x"))])
        let type = SchemaType.dictionary(key: "K", either)
        func root(_ value: DocumentNode.Content) -> DocumentNode {
            Self.node(.map([DocumentNode.Entry(key: "k", keyPosition: .start, value: Self.node(value))]))
        }
        let text = root(Self.scalar("a"))
        #expect(Value(merge.merge(text, over: root(.map([])), type)) == Value(text))
        #expect(findings.sorted.isEmpty)
        let list = merge.merge(root(.list([])), over: text, type)
        #expect(Value(list) == .map(["k": .null]))
        #expect(
            findings.sorted.map(\.message) == [
                "this is a list, and in template \"t\" (line 1) it is a single value: write text or a map"
            ]
        )
    }
}
