import AggregatorCore
import Asking
import SourceTesting
import Synchronization
import Testing

@Suite("A list that several read, each a part")
struct ListPartTests {
  /// A list of `count` rows in pages of `size`, whose service gives at most `most` rows at once.
  private func list(
    _ count: Int, by paging: Paging = .offset(size: 5, end: .total), most: Int = .max, broken: Set<Int> = [],
    total: @escaping @Sendable (Int) -> Int? = { $0 }
  ) -> ModelSource {
    ModelSource(paging: paging) { asked in
      let size = min(most, asked.place.size)
      var start = asked.place.number
      if case .number(let first) = paging.style { start = (start - first) * size }
      let numbers = (0..<count).dropFirst(start).prefix(size)
      return asked.page(numbers.filter { !broken.contains($0) }, broken: numbers.filter(broken.contains), total: total(count))
    }
  }

  /// Splits the list of `source`, and reads its parts from `other`.
  private func read(
    _ count: Int, of source: ModelSource, from other: ModelSource? = nil, _ query: Query = .everything
  ) async throws -> [Walked] {
    let texts = try await source.opened().listParts(of: query, count: count).map(\.text)
    let session = (other ?? source).opened()
    var walks: [Walked] = []
    for text in texts { walks.append(try await Walked(session.rows(of: session.listPart(text, of: query)), query)) }
    return walks
  }

  @Test(
    "each row of a list is in exactly one part, and each page is one that a walk over the whole list asks for",
    arguments: [1, 2, 3, 5, 100], [5, 3, 1])
  func once(count: Int, most: Int) async throws {
    let styles: [Paging] = [
      .offset(size: 5, end: .total), .offset(size: 5, end: .emptyPage), .numbered(from: 0, size: 5, end: .total),
      .numbered(size: 5, end: .emptyPage),
    ]
    for style in styles {
      let (source, other) = (list(23, by: style, most: most), list(23, by: style, most: most))
      let walks = try await read(count, of: source, from: other)
      #expect(walks.flatMap(\.ids) == ids(0..<23))
      #expect(walks.allSatisfy { $0.verdict == .complete })
      #expect(walks.count <= count)
      let whole = list(23, by: style, most: most)
      try await Walked(whole).expect(.complete)
      #expect(other.asked.map(\.place.number) == whole.asked.map(\.place.number) || most == 1)
      #expect(other.asked.allSatisfy { $0.place.size == 5 })
    }
  }

  @Test(
    "the parts of a list give each row once, for any length of list and pages and any number of parts", arguments: 0..<100 as Range<UInt64>)
  func any(seed: UInt64) async throws {
    let dice = SeededDice(seed: seed)
    let (rows, size) = (dice.index(below: 90), 2 + dice.index(below: 12))
    let most = 1 + dice.index(below: 14)
    let broken = Set((0..<dice.index(below: 4)).map { _ in 1 + dice.index(below: 90) })
    let paging = dice.index(below: 2) == 0 ? Paging.offset(size: size, end: .total) : .numbered(size: size, end: .total)
    let walks = try await read(1 + dice.index(below: 12), of: list(rows, by: paging, most: most, broken: broken))
    #expect(walks.flatMap(\.ids) == ids((0..<rows).filter { !broken.contains($0) }))
    #expect(walks.map(\.summary.skipped).reduce(0, +) == broken.count { $0 < rows })
    // To a walk over the whole list, too, pages of a single broken row look like a loop.
    #expect(walks.allSatisfy { $0.verdict == .complete } || most == 1 && !broken.isEmpty)
  }

  @Test("a service that refuses or rounds odd offsets is asked at offsets that it accepts", arguments: [true, false])
  func even(refuses: Bool) async throws {
    func service() -> ModelSource {
      ModelSource { asked in
        let offset = asked.place.number
        if refuses, offset % 5 != 0 { throw SourceError(.noSuchAddress, "an odd offset") }
        return asked.page((0..<23).dropFirst(offset / 5 * 5).prefix(5), total: 23)
      }
    }
    let read = service()
    let walks = try await self.read(3, of: service(), from: read)
    #expect(walks.count == 3 && walks.allSatisfy { $0.verdict == .complete })
    #expect(walks.flatMap(\.ids) == ids(0..<23))
    #expect(read.asked.map(\.place.number) == [0, 5, 10, 15, 20])
  }

  @Test("a service that changes its page size between the parts loses no row and repeats none")
  func uneven() async throws {
    let source = ModelSource { asked in
      asked.page((0..<23).dropFirst(asked.place.number).prefix([5, 5, 3, 4, 2][asked.call % 5]), total: 23)
    }
    let walks = try await read(3, of: source)
    #expect(walks.count == 3 && walks.allSatisfy { $0.verdict == .complete })
    #expect(walks.flatMap(\.ids) == ids(0..<23))
  }

  @Test("a list that cannot be entered at an offset is one part, and so is a list of one page or of no row")
  func whole() async throws {
    let pagings: [Paging] = [.tokens(size: 5), .keyset(size: 5), .whole]
    for paging in pagings { #expect(try await list(23, by: paging).opened().listParts(count: 8).count == 1) }
    for source in [list(23, total: { _ in nil }), list(4), list(0)] {
      #expect(try await source.opened().listParts(count: 8).count == 1)
    }
    let one = list(23)
    #expect(try await one.opened().listParts(count: 1).count == 1)
    #expect(one.asked.isEmpty)
    try await #expect(read(8, of: list(0)).first?.verdict == .complete)
    // This source gives the same page for every place, which a walk over the whole list reports.
    let same = ModelSource { $0.page(0..<5, total: 23) }
    #expect(try await read(8, of: same).map(\.verdict) == [.partial(.loop)])
  }

  @Test("a list that has become longer or shorter makes each part partial, with or without conditions", arguments: [22, 24, 9, 40, 0])
  func changed(count: Int) async throws {
    for paging in [Paging.offset(size: 5, end: .total), .numbered(size: 5, end: .total)] {
      for walk in try await read(3, of: list(23, by: paging), from: list(count, by: paging)) {
        walk.expect(.partial(.drift(missing: nil)))
      }
    }
    let session = list(count).opened()
    for part in try await list(23).opened().listParts(count: 3) {
      var walk = Walk(session.rows(of: part)) { $0.id == "x" }
      while try await walk.nextPage() != nil {}
      #expect(walk.summary.verdict == .partial(.drift(missing: nil)))
    }
  }

  @Test("an inserted and a deleted row, which leave the total unchanged, make the part partial that sees them")
  func moved() async throws {
    let parts = try await list(23).opened().listParts(count: 2)
    let source = ModelSource { asked in
      let rows = asked.call == 0 ? Array(0..<23) : [99] + (0..<22)
      return asked.page(rows.dropFirst(asked.place.number).prefix(5), total: 23)
    }
    try await Walked(source.opened().rows(of: parts[1])).expect(.partial(.drift(missing: nil)))
  }

  @Test("rows after the announced total, and rows that come twice, make their part partial")
  func surplus() async throws {
    let more = try await read(2, of: list(23), from: list(25, total: { _ in 23 }))
    #expect(more.map(\.verdict) == [.complete, .partial(.drift(missing: nil))])
    let twins = ModelSource { asked in
      let rows = (0..<23).map { $0 == 20 ? 21 : $0 }
      return asked.page(rows.dropFirst(asked.place.number).prefix(5), total: 23)
    }
    let walks = try await read(3, of: list(23), from: twins)
    #expect(walks.dropLast().allSatisfy { $0.verdict == .complete })
    #expect(walks.last?.verdict == .partial(.drift(missing: 1)) && walks.last?.summary.duplicates == 1)
  }

  @Test("a page that has fewer rows than the part makes it partial, with or without a total", arguments: [23, nil])
  func short(total: Int?) async throws {
    let paging = Paging.offset(size: 5, end: .emptyPage)
    let cut = ModelSource(paging: paging) { asked in asked.page((0..<23).prefix(10).dropFirst(asked.place.number).prefix(5), total: total) }
    let walks = try await read(3, of: list(23, by: paging), from: cut)
    #expect(walks.map(\.verdict?.kind) == [total == nil ? "unverifiable" : "complete", "partial", "partial"])
    #expect(walks.last?.verdict?.reason == "total: 6 fewer than the service announced")
  }

  @Test("the first page in place of a later one makes a part of a list partial")
  func beginning() async throws {
    for paging in [Paging.offset(size: 5, end: .total), .numbered(size: 5, end: .total)] {
      let lost = ModelSource(paging: paging) { $0.page(0..<5, total: 23) }
      let walks = try await read(8, of: list(23, by: paging), from: lost)
      #expect(walks[0].verdict == .complete)
      #expect(walks.dropFirst().allSatisfy { $0.verdict == .partial(.drift(missing: nil)) })
    }
  }

  @Test("an error half-way makes the part partial; before its first page it is thrown")
  func failing() async throws {
    let parts = try await list(23).opened().listParts(count: 2)
    let error = SourceError(.unavailable, "down")
    let source = ModelSource { asked in
      if asked.call > 0 { throw error }
      return asked.page((0..<23).dropFirst(asked.place.number).prefix(5), total: 23)
    }
    let part = try await Walked(source.opened().rows(of: parts[1]))
    #expect(part.ids.count == 4 && part.verdict?.reason?.hasPrefix("missing: ") ?? false)
    await #expect(throws: error) { try await source.opened().listParts(count: 2) }
    await #expect(throws: SourceError.self) { try await Walked(ModelSource.failing(error).opened().rows(of: parts[1])) }
  }

  @Test("a search that a walk does by itself is done in each part")
  func search() async throws {
    let walks = try await read(3, of: list(23), .matching("row 1"))
    #expect(walks.flatMap(\.ids) == ["1"] + ids(10..<20) + ["21"])
    #expect(walks.count == 3 && walks.allSatisfy { $0.verdict == .complete })
  }
}

@Suite("The text of a part")
struct ListPartTextTests {
  private func text() async throws -> String { try await ModelSource.list(23).opened().listParts(count: 3)[1].text }

  @Test("the text of a part is read back, and any change to it is noticed")
  func changed() async throws {
    let text = try await text()
    #expect(ListPart(text: text)?.text == text)
    for index in text.indices {
      for other in ["0", "7", "-", ":", ""] where other != String(text[index]) {
        let changed = text.replacingCharacters(at: index, with: other)
        #expect(ListPart(text: changed) == nil, "\(changed)")
      }
    }
  }

  @Test(
    "numbers in the text of a part that cannot be those of a list are refused",
    arguments: [
      "-9223372036854775808:8:23:5:back", "0:9223372036854775808:23:5:back", "8:4:23:5:back", "4:4:23:5:back", "4:24:23:5:back",
      "4:8:23:0:back", "4:8:23:5", "4:8:23:5:forth", "4:8:23:5:-9223372036854775808",
    ])
  func numbers(_ numbers: String) {
    let text = "1:7:\(numbers):model:9"
    #expect(ListPart(text: sealed(text)) == nil)
    #expect(ListPart(text: sealed("1:7:4:8:23:5:back:model:9")) != nil)
  }

  @Test("the greatest numbers are read without a crash, and their part is empty or partial")
  func greatest() async throws {
    let span = "\(Int.max - 1):\(Int.max):\(Int.max)"
    let styles = [(Paging.offset(size: 5, end: .total), "\(Int.max):back"), (.numbered(size: 5, end: .total), "1:\(Int.max)")]
    for (paging, style) in styles {
      let part = try #require(ListPart(text: sealed("1:7:\(span):\(style):model:9")))
      try await #expect(Walked(ModelSource.list(23, paging: paging).opened().rows(of: part)).verdict?.kind == "partial")
    }
  }

  @Test("a part of another source, another search or another page size is refused before anything is asked")
  func strangers() async throws {
    let text = try await text()
    let others = [ModelSource.list(23, named: "other"), .list(23, paging: .offset(size: 6, end: .total)), .list(23, paging: .whole)]
    for other in others {
      #expect(throws: SourceError.self) { try other.opened().listPart(text) }
      #expect(other.asked.isEmpty)
    }
    #expect(throws: SourceError.self) { try ModelSource.list(23).opened().listPart(text, of: .matching("")) }
    #expect(throws: Never.self) { try ModelSource.list(23).opened().listPart(text) }
  }

  /// Returns `text` with the digest that ends the text of a part.
  private func sealed(_ text: String) -> String {
    var digest = Fingerprint()
    digest.combine(text.utf8)
    return "\(text):\(String(digest.value, radix: 16))"
  }
}

extension String {
  fileprivate func replacingCharacters(at index: Index, with other: String) -> String {
    String(self[..<index]) + other + String(self[self.index(after: index)...])
  }
}
