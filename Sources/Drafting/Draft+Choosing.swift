import AggregatorCore
import Inference

extension Draft {
  /// Something that is not clear: what it is about, and what it may be, the likeliest first.
  package struct Question: Sendable {
    /// `the list`.
    package let subject: String
    /// As a person reads them.
    package let options: [String]

    package init(_ subject: String, _ options: [String]) { (self.subject, self.options) = (subject, options) }
  }

  /// Decides a question: the number of an option.
  package typealias Choose = (Question) throws -> Int
}

extension ListModel {
  private static let mostOptions = 6

  /// The same list, or another one of the same answer where a person chooses that; `read` reads it there.
  func choosingRows(_ choose: Draft.Choose, reading read: (FieldPath) throws -> ListModel) throws -> ListModel {
    let places = places.prefix(Self.mostOptions)
    guard items.confidence == .weak, places.count > 1 else { return self }
    let options = places.map { "\($0.path) (\($0.count) rows)" }
    return try read(places[choose(Draft.Question("the list", options))].path)
  }

  /// The same with what makes a row itself, and what it is called, as a person chooses where that is not clear.
  func choosing(_ choose: Draft.Choose) throws -> ListModel {
    var list = self
    func ask(_ guess: Guess<FieldPath>?, _ subject: String, _ isFit: ([Value]) -> Bool) throws -> Guess<FieldPath>? {
      guard let guess, guess.confidence == .weak, let row = rows.first else { return guess }
      let others = row.scalars(depth: 2).map(\.path).filter { path in
        path != guess.value && isFit(rows.map { $0[path] ?? .null })
      }
      let all = ([guess.value] + others).prefix(Self.mostOptions)
      let options = all.map { path in
        "\(path) (\(rows.prefix(3).compactMap { $0[path]?.word.map { String($0.prefix(30)) } }.joined(separator: ", ")))"
      }
      let chosen = try all[choose(Draft.Question(subject, options))]
      return chosen == guess.value ? guess : Guess(chosen, .fair, "it was chosen")
    }
    list.key = try ask(key, "what tells the rows apart") { values in
      Set(values).count == values.count && values.allSatisfy { $0.word != nil && $0 != .text("") }
    }
    list.title = try ask(title, "the title") { values in values.contains { $0.text != nil && $0.int == nil } }
    return list
  }
}
