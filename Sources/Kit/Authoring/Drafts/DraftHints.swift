package import AggregatorCore

/// The parts of a list that a person names: they take the place of guesses.
package struct DraftHints: Sendable, Hashable {
  /// The path of the rows in an answer.
  package var rows: ValuePath?
  /// The fields that together tell a row apart; empty without a hint.
  package var id: [ValuePath] = []
  /// The fields that together name a row for a person; empty without a hint.
  package var title: [ValuePath] = []

  package init() {}
}

extension ListModel {
  private static let reason = "it was named"

  /// Returns the same list with the parts that a person named. Throws if the rows have no such parts, or if the id is the same in two rows.
  func hinted(by hints: DraftHints) throws(SourceError) -> ListModel {
    var list = self
    if let path = hints.rows, path != items.value {
      throw SourceError(hint: "rows", path, among: recorded.rowPaths.map(\.path))
    }
    if !hints.id.isEmpty {
      let paths = try paths(hints.id, of: "id")
      let values = recorded.records.map { row in paths.map { row[$0] ?? .null } }
      let name = hints.id.map(\.text).joined(separator: ", ")
      guard values.allSatisfy({ $0.allSatisfy { $0.word != nil } }) else {
        throw SourceError(.settings, "some rows have no \(name), and every record needs an id")
      }
      guard Set(values).count == values.count else {
        throw SourceError(.settings, "several rows have the same \(name), and an id differs in every row")
      }
      list.key = Guess(paths, .strong, Self.reason)
    }
    if !hints.title.isEmpty { list.title = Guess(try paths(hints.title, of: "title"), .strong, Self.reason) }
    return list
  }

  /// Returns the fields in the rows: each as it was named, or inside the member that wraps a record.
  private func paths(_ named: [ValuePath], of hint: String) throws(SourceError) -> [ValuePath] {
    var paths: [ValuePath] = []
    for path in named {
      let inner = unwrap.map { ValuePath($0.names + path.names) }
      let found = [inner, path].compactMap(\.self).first { path in recorded.records.contains { $0[path]?.word != nil } }
      guard let found else {
        let known = recorded.records.prefix(20).flatMap { $0.scalars(depth: 3).map { $0.path.relative(to: unwrap) } }
        throw SourceError(hint: hint, path, among: known.inGroups { $0 }.map(\.key))
      }
      paths.append(found)
    }
    return paths
  }
}

extension SourceError {
  private static let mostNames = 12

  /// The error for the path of an option that names nothing in an answer: with the name that was probably meant, or with those that it has.
  init(hint option: String, _ path: ValuePath, among known: [ValuePath]) {
    let names = known.map(\.text)
    let some = names.prefix(Self.mostNames).map { $0.isEmpty ? "\"\"" : $0 }.joined(separator: ", ")
    let all = "\(some)\(names.count > Self.mostNames ? ", …" : "")"
    // The last name alone may be right: `id` for `data.id`.
    let nearest =
      Closest.closest(to: path.text, among: names)
      ?? known.first { $0.names.last == path.names.last }?.text
    self.init(
      .settings, "no \(option) \(path.text) in the answer; it has \(all.isEmpty ? "no names" : all)",
      remedy: nearest.map { "did you mean \"\($0)\"?" })
  }
}
