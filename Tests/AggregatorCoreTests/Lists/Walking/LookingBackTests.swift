import AggregatorCore
import SourceTesting
import Testing

@Suite("A walk that looks back")
struct LookingBackTests {
  private static let rows: [Int] = (0..<23).map { $0 }

  /// A service of 23 rows, which gives the offset and the size that `act` returns for the offset of a request.
  private func service(total: Int? = 23, size: Int = 5, _ act: @escaping @Sendable (Int) throws -> (offset: Int, size: Int)) -> ModelSource
  {
    ModelSource(paging: .offset(size: size, end: total == nil ? .emptyPage : .total)) { asked in
      let given = try act(asked.place.number)
      return asked.page(Self.rows.dropFirst(given.offset).prefix(min(asked.place.size, given.size)), total: total)
    }
  }

  @Test("a service that rounds offsets is then asked at the place itself", arguments: [23, nil])
  func rounds(total: Int?) async throws {
    let source = service(total: total) { ($0 / 5 * 5, 5) }
    let walk = try await Walked(source).expect(ids: 0..<23)
    // Without a total it is asked beyond its end, and gives its last page once more.
    #expect(walk.verdict == (total == nil ? .partial(.loop) : .complete))
    #expect(source.asked.map(\.place.number).starts(with: [0, 4, 5, 10, 15]))
  }

  @Test("one row that comes for every place does not make a whole list, unless a total says so", arguments: [1, nil])
  func onlyRow(total: Int?) async throws {
    let walk = try await Walked(service(total: total) { _ in (0, 1) }).expect(ids: 0..<1)
    #expect(walk.verdict == (total == nil ? .partial(.loop) : .complete))
  }

  @Test(
    "a service that refuses odd offsets is asked at the place itself, and this is told",
    arguments: [SourceError.Kind.badRequest, .noSuchAddress])
  func refuses(kind: SourceError.Kind) async throws {
    let source = service { offset in
      if offset % 5 != 0 { throw SourceError(kind, "an odd offset") }
      return (offset, 5)
    }
    let recorder = EventRecorder()
    let walk = try await recorder.listen { try await Walked(source) }
    #expect(walk.ids == ids(0..<23))
    #expect(walk.verdict == .complete)
    #expect(recorder.events.contains(.lookBackRefused(source: "model", SourceError(kind, "an odd offset"))))
    #expect(source.asked.map(\.place.number) == [0, 4, 5, 10, 15, 20])
  }

  @Test("an error of another kind, or after a page that began with known rows, ends the walk as partial")
  func fails() async throws {
    let failing = service { offset in
      if offset == 4 { throw SourceError(.refusedKey, "no") }
      return (offset, 5)
    }
    #expect(try await Walked(failing).verdict == .partial(.failed(SourceError(.refusedKey, "no"))))
    let later = service { offset in
      if offset == 8 { throw SourceError(.badRequest, "no") }
      return (offset, 5)
    }
    #expect(try await Walked(later).verdict == .partial(.failed(SourceError(.badRequest, "no"))))
  }

  @Test("a service that gives one row at a time is walked to its end", arguments: [23, nil])
  func one(total: Int?) async throws {
    let source = service(total: total) { ($0, 1) }
    try await Walked(source).expect(ids: 0..<23, (total == nil ? .unverifiable : .complete))
  }

  @Test("a page with only the look-back row costs one more request, and then the list has ended")
  func loneRow() async throws {
    let source = service(total: nil) { ($0, 5) }
    try await Walked(source).expect(ids: 0..<23, .complete)
    #expect(source.asked.map(\.place.number).suffix(3) == [20, 22, 23])
  }

  @Test("a source that does not look back is complete only if its total never moved, or its list does not change")
  func blind() async throws {
    func verdict(_ paging: Paging, _ total: @escaping @Sendable (Int) -> Int?) async throws -> Verdict? {
      let source = ModelSource(paging: paging) { asked in
        asked.page(Self.rows.dropFirst(asked.place.number).prefix(5), total: total(asked.call))
      }
      #expect(try await Walked(source).ids == ids(0..<23))
      return try await Walked(source).verdict
    }
    let total = Paging.offset(size: 5, end: .total, lookingBack: false)
    let empty = Paging.offset(size: 5, end: .emptyPage, lookingBack: false)
    #expect(try await verdict(total) { _ in 23 } == .complete)
    #expect(try await verdict(total) { $0 % 5 == 0 ? 22 : 23 } == .unverifiable)
    #expect(try await verdict(empty) { _ in nil } == .unverifiable)
    #expect(try await verdict(empty.unchanging()) { _ in nil } == .complete)
  }

  @Test("broken rows are looked back to like others, and count once", arguments: [[4], [4, 8, 12], [3, 4, 5]])
  func broken(numbers: [Int]) async throws {
    let source = ModelSource { asked in
      // One row is deleted before the second page.
      let rows = (asked.call == 0 ? Self.rows : Self.rows.dropFirst().map { $0 }).dropFirst(asked.place.number).prefix(5)
      return asked.page(
        rows.filter { !numbers.contains($0) }, broken: rows.filter { numbers.contains($0) }, total: asked.call == 0 ? 23 : 22)
    }
    try await Walked(source).expect(ids: Self.rows.filter { !numbers.contains($0) }, .complete, skipped: numbers.count)
  }

  @Test("a walk that continues looks back to the row it stopped at, even if its cursor was stored as text", arguments: [3, 5, 7])
  func resumed(limit: Int) async throws {
    let first = try await Walked(service { ($0, 5) }, bounds: Bounds(limit: limit))
    let cursor = try #require(first.cursor.map(\.text).flatMap { Cursor(text: $0) })
    #expect(cursor == first.cursor)
    // Two rows that the walk had were deleted meanwhile.
    let shorter = ModelSource { asked in asked.page(Self.rows.dropFirst(2 + asked.place.number).prefix(5), total: 21) }
    let second = try await Walked(shorter, from: cursor)
    #expect(Set(first.ids + second.ids) == Set(ids(0..<23)))
    #expect(second.verdict == .complete)
  }

  @Test("extreme numbers of a service or a cursor do not crash", arguments: [Int.min, -1, 0, .max - 1, .max])
  func extremes(number: Int) async throws {
    let source = ModelSource { $0.page(Self.rows.dropFirst(min($0.place.number, 23)).prefix(5), total: number) }
    #expect(try await Walked(source).ids == ids(0..<23))
    for text in ["model offset \(number)", "model offset \(number) row=1", "model page \(number) until=\(number) total=\(number)"] {
      guard let cursor = Cursor(text: text) else { continue }
      _ = try? await Walked(source, from: cursor)
      _ = try? await Walked(ModelSource(paging: .numbered(size: 5, end: .total)) { $0.page([], total: number) }, from: cursor)
    }
  }
}
