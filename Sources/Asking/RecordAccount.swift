public import AggregatorCore

/// Where a record came from and what became of it: which fetch brought it, which duplicates it absorbed, whether it is deleted.
public struct RecordAccount: Sendable {
  public let id: String
  /// What the service calls the record, where that is not its id.
  public let reference: String?
  /// Nil of a record that no fetch brought: of the compiled-in copy, or one deleted before it came.
  public let fetch: Fetch?
  public let duplicates: [Duplicate]
  public let deletedAt: Moment?
  /// Whether it is only in the compiled-in copy.
  public let isBundled: Bool
  private let names: Names

  /// Another record with its id that came later.
  public struct Duplicate: Sendable {
    public let reference: String?
    public let fetch: Fetch?
  }

  /// What its source calls the things that an account tells.
  private struct Names: Sendable {
    let id: FieldPath
    let reference: FieldPath?
    /// What its service is asked for, and the word for a place in its list.
    let parameters: [String]
    let place: String

    func reference(in body: [UInt8]) -> String? {
      guard let reference, let body = try? JSON(body), case .text(let text) = body.value.value(at: reference.names[...]) else { return nil }
      return text
    }
  }

  init(_ id: String, _ history: History, of source: some SourceSession, isBundled: Bool) {
    let schema = source.schema
    let names = Names(
      id: schema.idPath, reference: schema.outline.first { $0.role == .reference }.map { FieldPath([$0.name]) },
      parameters: source.live.profile.parameters, place: source.live.profile.paging.placeWord)
    self.id = id
    self.isBundled = isBundled
    self.names = names
    reference = history.record.flatMap { names.reference(in: $0.body) }
    fetch = history.fetch
    duplicates = history.absorbed.map { Duplicate(reference: names.reference(in: $0.body), fetch: $0.fetch) }
    deletedAt = history.deletedAt
  }
}

extension RecordAccount {
  /// The account for a person, a line each.
  public func sentences(at now: Moment) -> [String] {
    var sentences = [id + (reference.map { " (\($0))" } ?? "")]
    if let fetch { sentences.append("fetched \((now - fetch.at).ago) (\(fetch.request), \(fetch.place))") }
    if isBundled { sentences.append("bundled with the program; not fetched") }
    for other in duplicates {
      sentences.append("duplicate\(other.reference.map { " \($0)" } ?? "") fetched\(other.fetch.map { " \((now - $0.at).ago)" } ?? "")")
    }
    if let deletedAt { sentences.append("deleted \((now - deletedAt).ago)") }
    return sentences
  }

  /// The account as fields, named as the source names them: `{"email", "uuid", "fetchedAt", "fetch": {"seed", "page"}, …}`.
  public var fields: [Field<RecordAccount>] {
    let parameters = names.parameters + [names.place]
    let first = [Field<RecordAccount>(FieldOutline(names.id.names.last ?? "id", .title, width: .whole, leaves: .text)) { .text($0.id) }]
    let reference = names.reference?.names.last.map { name in
      Field<RecordAccount>(FieldOutline(name, leaves: .text)) { $0.reference.fieldValue }
    }
    return first + (reference.map { [$0] } ?? []) + [
      Field<RecordAccount>("fetchedAt") { $0.fetch?.at.iso },
      Field<RecordAccount>(FieldOutline("fetch", leaves: parameters.map { Leaf(FieldPath([$0])) })) { $0.fetchValue },
      Field<RecordAccount>(FieldOutline("absorbed")) { account in
        .list(account.duplicates.map { account.value(of: $0) })
      },
      Field<RecordAccount>("deletedAt") { $0.deletedAt?.iso },
    ]
  }

  private var fetchValue: Value {
    fetch.map { fetch in
      .object(
        names.parameters.map { Member(name: $0, value: fetch.parameter($0).fieldValue) }
          + [Member(name: names.place, value: fetch.place(called: names.place))])
    } ?? .null
  }

  private func value(of duplicate: Duplicate) -> Value {
    let reference = names.reference?.names.last.map { Member(name: $0, value: duplicate.reference.fieldValue) }
    return .object((reference.map { [$0] } ?? []) + [Member(name: "fetchedAt", value: (duplicate.fetch?.at.iso).fieldValue)])
  }
}

extension Fetch {
  /// Which part of the answer it was, where that is a place of this kind.
  fileprivate func place(called word: String) -> Value {
    let words = place.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0] == word else { return .null }
    return Int(words[1]).map { .int($0) } ?? .text(String(words[1]))
  }
}
