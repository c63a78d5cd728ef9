import AggregatorCore

/// Makes more rows than were recorded: clones with ids of their own, each tried on the source itself.
struct RowMaker: Sendable {
  /// The rows to serve, each with the id that the source gives it.
  struct MadeRows: Sendable {
    var rows: [Value] = []
    var ids: [String] = []
    /// One more, to turn up during a walk.
    var spare: Value?
    var spareId: String?
    /// Recorded rows that differ in their key and yet have one id: what the source cannot tell apart.
    var collisions: [String] = []
  }

  private let bench: TestBed

  init(_ bench: TestBed) { self.bench = bench }

  /// So many rows that the source can read, all with different ids; fewer when nothing that could be forged was accepted.
  func stock(_ count: Int) async throws -> MadeRows {
    var stock = MadeRows()
    var known: Set<String> = []
    var keys: Set<Value?> = []
    for row in bench.model.list.rows {
      guard let ids = try await bench.ids(of: [row]), ids.count == 1, let id = ids.first else { continue }
      let isNewKey = keys.insert(bench.model.list.key.flatMap { row[$0.value] }).inserted
      guard known.insert(id).inserted else {
        if isNewKey { stock.collisions.append(id) }
        continue
      }
      stock.rows.append(row)
      stock.ids.append(id)
    }
    let originals = stock.rows
    guard let mold = originals.first, let paths = try await paths(in: mold, id: stock.ids[0]) else { return stock }
    var number = 1
    while stock.rows.count <= count, number < 4 * count + 64 {
      defer { number += 1 }
      let row = forged(originals[number % originals.count], paths, number)
      guard let ids = try await bench.ids(of: [row]), ids.count == 1, let id = ids.first, known.insert(id).inserted else { continue }
      stock.rows.append(row)
      stock.ids.append(id)
    }
    // The last one waits; a recording that is large enough gives its own last row up.
    if stock.rows.count > 1 {
      stock.spare = stock.rows.removeLast()
      stock.spareId = stock.ids.removeLast()
    }
    return stock
  }

  /// What has to change for the source to see another record: the key, or else whatever does it.
  private func paths(in row: Value, id: String) async throws -> [FieldPath]? {
    let key = bench.model.list.key?.value
    // What the next page begins behind is no other row's, either.
    var mark: FieldPath?
    if case .keyset(let path, _) = bench.model.list.paging.value { mark = path }
    let others = row.scalars(depth: 3).map(\.path).filter { $0 != key }
    for path in [key].compactMap({ $0 }) + others {
      guard Mutator.mutate(row[path] ?? .null, 1) != nil else { continue }
      let paths = Array(Set([path, key, mark].compactMap { $0 }))
      if let ids = try await bench.ids(of: [forged(row, paths, 1)]), ids.count == 1, ids[0] != id { return paths }
    }
    return nil
  }

  private func forged(_ row: Value, _ paths: [FieldPath], _ number: Int) -> Value {
    paths.reduce(row) { row, path in row[path].flatMap { Mutator.mutate($0, number) }.map { row.setting(path, to: $0) } ?? row }
  }
}

/// Makes another value of the same make.
enum Mutator {
  static func mutate(_ value: Value, _ number: Int) -> Value? {
    switch value {
    case .int(let int): .int(int.addingReportingOverflow(100_003 * number).partialValue)
    case .text(let text): text.isEmpty ? nil : .text(mutate(text, number))
    default: nil
    }
  }

  private static func mutate(_ text: String, _ number: Int) -> String {
    if let int = Int(text) { return String(int.addingReportingOverflow(100_003 * number).partialValue) }
    if isUUID(text) { return text.prefix(24) + padded(String(number, radix: 16), 12) }
    if let at = text.firstIndex(of: "@") { return "\(text[..<at])+\(number)\(text[at...])" }
    if text.utf8.count <= 3, text.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) { return code(number, length: text.utf8.count) }
    return "\(text)-\(number)"
  }

  private static func isUUID(_ text: String) -> Bool {
    text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count) == [8, 4, 4, 4, 12]
      && text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || Character(Unicode.Scalar($0)).isHexDigit }
  }

  /// `AA`, `AB` and so on.
  private static func code(_ number: Int, length: Int) -> String {
    var rest = number
    var letters: [Character] = []
    for _ in 0..<length {
      letters.append(Character(Unicode.Scalar(UInt8(0x41 + rest % 26))))
      rest /= 26
    }
    return String(letters.reversed())
  }

  private static func padded(_ digits: String, _ width: Int) -> String {
    String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
