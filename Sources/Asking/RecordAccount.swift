public import AggregatorCore

/// An account of a record: which fetch brought it, which duplicates it absorbed, and whether it is edited or deleted.
public struct RecordAccount: Sendable {
  private let id: String
  private let history: History
  private let edits: [Edit]
  private let source: String
  /// True when it is only in the compiled-in copy.
  private let isBundled: Bool
  /// The name of the id in the source, and the name of the service's own reference if that is another field.
  private let idName: String
  private let referenceName: String?
  /// The names of the parameters that the service is asked with, and the word for a place in its list.
  private let parameters: [String]
  private let placeWord: String

  init(_ id: String, _ history: History, _ edits: [Edit], of source: some SourceSession, isBundled: Bool) {
    (self.id, self.history, self.edits, self.isBundled) = (id, history, edits, isBundled)
    self.source = source.name
    idName = source.schema.idPath.names.last ?? "id"
    referenceName = source.schema.outline.first { $0.role == .reference }?.name
    (parameters, placeWord) = (source.live.profile.parameters, source.live.profile.paging.placeWord)
  }

  private func reference(in body: [UInt8]) -> String? {
    guard let referenceName, let record = try? JSON(body).value else { return nil }
    return if case .text(let text) = record.value(at: [referenceName][...]) { text } else { nil }
  }

  private var reference: String? { history.record.flatMap { reference(in: $0.body) } }

  /// Returns the account for a person, with one fact on each line.
  public func sentences(at now: Moment) -> [String] {
    var sentences = [id + (reference.map { " (\($0))" } ?? "")]
    if let fetch = history.fetch { sentences.append("fetched \((now - fetch.at).ago) (\(fetch.request), \(fetch.place))") }
    if isBundled { sentences.append("bundled with the program; not fetched") }
    for other in history.absorbed {
      let name = reference(in: other.body).map { " \($0)" } ?? ""
      sentences.append("duplicate\(name) fetched\(other.fetch.map { " \((now - $0.at).ago)" } ?? "")")
    }
    for edit in edits {
      let value = edit.value.isNull ? "no value" : edit.value.plainText
      sentences.append("edited \(edit.path): \(value)\(edit.given.isNull ? "" : "; \(source) gave \(edit.given.plainText)")")
    }
    if let deletedAt = history.deletedAt { sentences.append("deleted \((now - deletedAt).ago)") }
    return sentences
  }

  /// The account as fields with the names that the source uses: `{"email", "uuid", "fetchedAt", "fetch": {"seed", "page"}, …}`.
  public var fields: [Field<RecordAccount>] {
    let first = [Field<RecordAccount>(FieldOutline(idName, .title, width: .whole, leaves: .text)) { .text($0.id) }]
    let reference = referenceName.map { Field<RecordAccount>(FieldOutline($0, leaves: .text)) { $0.reference.fieldValue } }
    return first + (reference.map { [$0] } ?? []) + [
      Field<RecordAccount>("fetchedAt") { $0.history.fetch?.at.iso },
      Field<RecordAccount>(FieldOutline("fetch", leaves: (parameters + [placeWord]).map { Leaf(FieldPath([$0])) })) {
        $0.fetchValue
      },
      Field<RecordAccount>(FieldOutline("absorbed")) { $0.duplicates },
      Field<RecordAccount>("deletedAt") { $0.history.deletedAt?.iso },
    ] + (edits.isEmpty ? [] : [Field<RecordAccount>(Edit.mark) { $0.edits.map(\.path.text) }])
  }

  private var fetchValue: Value {
    guard let fetch = history.fetch else { return .null }
    let asked = parameters.map { Member(name: $0, value: fetch.parameter($0).fieldValue) }
    return .object(asked + [Member(name: placeWord, value: fetch.place(called: placeWord))])
  }

  private var duplicates: Value {
    .list(
      history.absorbed.map { other in
        let named = referenceName.map { [Member(name: $0, value: reference(in: other.body).fieldValue)] } ?? []
        return .object(named + [Member(name: "fetchedAt", value: (other.fetch?.at.iso).fieldValue)])
      })
  }
}

extension Fetch {
  /// Returns the place of the page in the service's list, if it is one of this kind; null otherwise.
  fileprivate func place(called word: String) -> Value {
    let words = place.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0] == word else { return .null }
    return Int(words[1]).map { .int($0) } ?? .text(String(words[1]))
  }
}
