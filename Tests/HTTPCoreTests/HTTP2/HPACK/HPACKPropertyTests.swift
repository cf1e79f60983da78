import NIOCore
import NIOHPACK
import TestSupport
import Testing

@testable import HTTPCore

/// Random header lists between our codec and another, and random bytes.
struct HPACKPropertyTests {
    private static let names = [
        ":status", ":path", ":authority", "accept", "cache-control", "content-length", "date", "etag", "x-request-id",
        "x-a", "x-b", "server", "set-cookie", "x-with-a-rather-long-name-that-no-table-has",
    ]
    private static let visible = Array(UInt8(0x20)...0x7e)

    private func list(_ random: inout SplitMix64) -> [HPACKField] {
        (0..<random.below(12)).map { _ in
            var name = random.pick(Self.names)
            if random.oneIn(8) { name += String(random.below(40)) }
            let long = random.oneIn(30) ? 3000 : random.oneIn(5) ? 200 : 20
            let value = random.oneIn(2) ? "value \(random.below(6))" : text(&random, random.below(long))
            return HPACKField(name, value)
        }
    }

    private func text(_ random: inout SplitMix64, _ count: Int) -> String {
        String(decoding: random.bytes(count, of: Self.visible), as: UTF8.self)
    }

    @Test func independentDecoderReadsOurBlocks() throws {
        var random = SplitMix64(seed: 1)
        for _ in 0..<40 {
            var ours = OurEncoder()
            var theirs = NIOHPACK.HPACKDecoder(allocator: ByteBufferAllocator())
            for _ in 0..<60 {
                if random.oneIn(10) {
                    let size = random.pick([0, 33, 60, 150, 400, 1000, 4095, 4096, 9000])
                    ours.peerTableSizeChanged(size)
                    theirs.maxDynamicTableLength = 4096
                }
                let fields = list(&random)
                let indexing = random.pick([OurEncoder.Indexing.incremental, .incremental, .without, .never])
                var block = ByteBuffer(bytes: ours.block(fields, indexing: indexing))
                let read = try theirs.decodeHeaders(from: &block)
                #expect(read.map { HPACKField($0.name, $0.value) } == fields)
            }
        }
    }

    @Test func independentEncodersBlocksAreDecoded() throws {
        var random = SplitMix64(seed: 2)
        for _ in 0..<40 {
            let huffman = random.oneIn(2)
            var theirs = NIOHPACK.HPACKEncoder(allocator: ByteBufferAllocator(), useHuffmanEncoding: huffman)
            var ours = OurDecoder()
            for _ in 0..<60 {
                if random.oneIn(10) {
                    try theirs.setDynamicTableSize(random.pick([0, 33, 60, 150, 400, 1000, 4095, 4096]))
                }
                let fields = list(&random)
                var headers = HPACKHeaders()
                for field in fields {
                    let indexing = random.pick([HPACKIndexing.indexable, .indexable, .nonIndexable, .neverIndexed])
                    headers.add(name: field.name, value: field.value, indexing: indexing)
                }
                var block = ByteBuffer()
                try theirs.encode(headers: headers, to: &block)
                #expect(try ours.fields(of: Array(block.readableBytesView)) == fields)
            }
        }
    }

    @Test func encoderAndDecoderStayInStepWithSmallTables() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<60 {
            var encoder = OurEncoder()
            var decoder = OurDecoder()
            for _ in 0..<60 {
                if random.oneIn(8) { encoder.peerTableSizeChanged(random.below(5000)) }
                let fields = list(&random)
                let most = random.below(14)
                let read = try decoder.fields(of: encoder.block(fields), maximumFields: most)
                #expect(read == Array(fields.prefix(most)))
            }
        }
    }

    /// Every string of Huffman code is read as by going through it bit by bit, or refused.
    @Test func randomHuffmanCodeMatchesBitwiseDecoding() {
        var random = SplitMix64(seed: 6)
        let reader = BitByBitReader()
        var read = 0
        for _ in 0..<10_000 {
            let coded = random.bytes(
                1 + random.below(12),
                of: random.pick([Array(0...255), [0x1f, 0xfe, 0xff, 0x07]])
            )
            let block = [0x00, 0x01, 0x61, UInt8(0x80 | coded.count)] + coded
            var decoder = OurDecoder()
            var list = HeaderList()
            list.reset(maximumSize: 4096, maximumFields: 9)
            let isGood = (try? decoder.decode(block.span, into: &list)) != nil
            let expected = reader.read(coded)
            #expect(isGood == (expected != nil), "\(coded)")
            guard isGood, let expected else { continue }
            read += 1
            #expect(list.fields.first.map { Array(list.bytes[$0.value]) } == expected)
        }
        #expect(read > 500)
    }
}

/// The slow way to read Huffman code.
private struct BitByBitReader {
    private struct Code: Hashable {
        var bits: UInt32
        var length: Int
    }

    private let symbols: [Code: Int]

    init() {
        let pairs = HuffmanCode.codes.enumerated().map { symbol, bits in
            (Code(bits: bits, length: Int(HuffmanCode.lengths[symbol])), symbol)
        }
        symbols = Dictionary(uniqueKeysWithValues: pairs)
    }

    func read(_ coded: [UInt8]) -> [UInt8]? {
        var text: [UInt8] = []
        var code = Code(bits: 0, length: 0)
        for byte in coded {
            for shift in (0..<8).reversed() {
                code = Code(bits: code.bits << 1 | UInt32(byte >> UInt8(shift) & 1), length: code.length + 1)
                guard let symbol = symbols[code] else { continue }
                guard let byte = UInt8(exactly: symbol) else { return nil }
                text.append(byte)
                code = Code(bits: 0, length: 0)
            }
        }
        return code.length < 8 && code.bits == 1 << UInt32(code.length) - 1 ? text : nil
    }
}
