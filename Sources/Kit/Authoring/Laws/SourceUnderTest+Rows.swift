import AggregatorCore
import Recordings
import Services

/// The rows to serve, each with the ID that the source gives it.
struct TestRows: Sendable {
  var rows: [Value] = []
  var ids: [String] = []
  /// One more row, which is inserted during a walk.
  var spare: Value?
  var spareId: String?
  /// The IDs of recorded rows that differ in their key but have the same ID; the source cannot tell them apart.
  var collisions: [String] = []
  /// The number of recorded rows that the source cannot read, and the reason for the first of them.
  var unreadable = (count: 0, reason: "")
}

// More rows than were recorded: clones with IDs of their own, each tried on the source itself.
extension SourceUnderTest {
  /// Makes at least `count` rows that the source can read, all with different IDs, and a spare one; fewer if no clone was accepted.
  func makeRows(_ count: Int) async throws -> TestRows {
    var made = TestRows()
    var known: Set<String> = []
    var keys: Set<Value?> = []
    for row in model.list.recorded.rows {
      guard let id = try await id(of: row) else {
        if made.unreadable.count == 0 {
          let lone = await ObservedWalk(over: try open([row]), bounds: Bounds(pages: 1))
          made.unreadable.reason = lone.causes.first ?? "\(lone.ids.count) records come of the first of them"
        }
        made.unreadable.count += 1
        continue
      }
      let isNewKey = keys.insert(model.list.loneKey.flatMap { row[$0] }).inserted
      guard known.insert(id).inserted else {
        if isNewKey { made.collisions.append(id) }
        continue
      }
      made.rows.append(row)
      made.ids.append(id)
    }
    let originals = made.rows
    guard let mold = originals.first, let paths = try await paths(in: mold, id: made.ids[0]) else { return made }
    var number = 1
    while made.rows.count <= count, number < 4 * count + 64 {
      defer { number += 1 }
      let row = cloned(originals[number % originals.count], paths, number)
      guard let id = try await id(of: row), known.insert(id).inserted else { continue }
      made.rows.append(row)
      made.ids.append(id)
    }
    // The last row is the spare one; a recording that is large enough gives up its own last row.
    if made.rows.count > 1 {
      made.spare = made.rows.removeLast()
      made.spareId = made.ids.removeLast()
    }
    return made
  }

  /// Returns the paths that must change to make another record: the key, or another value that has this effect. Nil if none has.
  private func paths(in row: Value, id: String) async throws -> [ValuePath]? {
    let key = model.list.loneKey
    // The value after which the next page begins must be different in every row, too.
    let way = model.list.paging.way.value
    let mark = way.kind == .last ? way.next : nil
    let others = row.scalars(depth: 3).map(\.path).filter { $0 != key }
    for path in [key].compactMap({ $0 }) + others {
      guard row[path]?.cloned(1) != nil else { continue }
      let paths = Array(Set([path, key, mark].compactMap { $0 }))
      if let other = try await self.id(of: cloned(row, paths, 1)), other != id { return paths }
    }
    return nil
  }

  private func cloned(_ row: Value, _ paths: [ValuePath], _ number: Int) -> Value {
    paths.reduce(row) { row, path in row[path]?.cloned(number).map { row.setting(path, to: $0) } ?? row }
  }
}

extension Value {
  /// Returns another value of the same form; nil if none can be made.
  fileprivate func cloned(_ number: Int) -> Value? {
    switch self {
    case .int(let int): .int(int.addingReportingOverflow(100_003 * number).partialValue)
    case .text(let text): text.isEmpty ? nil : .text(Self.cloned(text, number))
    default: nil
    }
  }

  private static func cloned(_ text: String, _ number: Int) -> String {
    if let int = Int(text) { return String(int.addingReportingOverflow(100_003 * number).partialValue) }
    if let at = text.firstIndex(of: "@") { return "\(text[..<at])+\(number)\(text[at...])" }
    if text.utf8.count <= 3, text.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
      return code(number, length: text.utf8.count)
    }
    return "\(text)-\(number)"
  }

  /// Returns a code in capital letters: `AA`, `AB` and so on.
  private static func code(_ number: Int, length: Int) -> String {
    length == 0 ? "" : code(number / 26, length: length - 1) + String(Unicode.Scalar(UInt8(0x41 + number % 26)))
  }
}
