import CAuxv
import Glibc

/// The program's own code and constants in memory.
enum ProgramPages {
    /// Unmaps them, so that what only a start or a reload needs no longer counts as the process's memory. What runs again
    /// is mapped again from the kernel's page cache, 64 KiB at a time.
    ///
    /// Only segments that nothing may write are unmapped, since a written page's content would be lost. A debugger's
    /// breakpoints are such content.
    static func release() {
        for segment in readOnlySegments {
            madvise(UnsafeMutableRawPointer(bitPattern: segment.lowerBound), segment.count, MADV_DONTNEED)
        }
    }

    /// The addresses of the program's whole pages that are mapped without the right to write, from the headers of which
    /// the kernel tells each program (getauxval(3), elf(5)).
    static var readOnlySegments: [Range<UInt>] {
        let address = UInt(getauxval(UInt(AT_PHDR)))
        guard let first = UnsafePointer<Elf64_Phdr>(bitPattern: address) else { return [] }
        let headers = UnsafeBufferPointer(start: first, count: Int(getauxval(UInt(AT_PHNUM))))
        guard let own = headers.first(where: { $0.p_type == PT_PHDR }) else { return [] }
        let base = address - UInt(own.p_vaddr)
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        return headers.compactMap { header in
            guard header.p_type == PT_LOAD, header.p_flags & UInt32(PF_W) == 0 else { return nil }
            let start = base + UInt(header.p_vaddr)
            let end = (start + UInt(header.p_memsz)) / page * page
            let firstPage = start / page * page
            return firstPage < end ? firstPage..<end : nil
        }
    }
}
