import AggregatorCore

extension Manifest {
  /// All that decides which rows a source has and how they are read; not what they are called, or how they are shown.
  ///
  /// What is stored is known by a digest of these texts, so that a word that changes here makes all lists be synced again.
  func rules(of source: ManifestSource) -> ReadingRules {
    var rules = ReadingRules(request: source.list.identity)
    let parent = sources.first { $0.name == source.parent }
    let headers = headers.map { "header \($0.name)=\($0.value.text)" }
    let lines = headers + errors.compactMap(\.rule) + (parent?.rulesOfList ?? []) + source.rulesOfList
    rules.list = lines.joined(separator: "\n")
    if let search = source.search {
      rules.search = [search.request.rule, search.paging.rule, search.rows.rule].joined(separator: "\n")
    }
    if let detail = source.detail { rules.detail = "\(detail.request.rule) at \(detail.row.text)" }
    return rules
  }
}

extension ManifestSource {
  fileprivate var rulesOfList: [String] {
    let changes = changes.map { ["changes \($0.field) \($0.request.rule) \($0.overlap)"] } ?? []
    let key = "key \(([key] + keyParts).joined(separator: " "))"
    return [list.rule, rows.rule, paging.rule, key] + fields.map(\.rule).sorted() + changes + errors.compactMap(\.rule)
  }
}

extension ManifestRequest {
  fileprivate var rule: String { "\(method?.rawValue ?? "GET") \(identity)" }
}

extension ErrorRule {
  /// Of one that takes an answer for an empty list; the others decide which error there is.
  fileprivate var rule: String? {
    guard kind == .nothing else { return nil }
    let place = path.map { "at \($0.text)" } ?? header.map { "in \($0)" } ?? "-"
    let values = [value, other].map { $0.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "-" }
    return
      "nothing \(status.map(String.init) ?? "-") \(place) \(values[0]) not \(values[1]) \(isPresent.map { "\($0)" } ?? "-")"
  }
}

extension ManifestSource.RowPlace {
  fileprivate var rule: String {
    "rows \(path.text) unwrap \(unwrap?.text ?? "-") keyed \(keyed ?? "-") missing \(mayBeMissing)"
  }
}

extension ManifestPaging {
  /// How pages follow each other; how many rows a page has decides nothing.
  fileprivate var rule: String {
    let ends = "more \(more?.text ?? "-") total \(total?.text ?? "-") pages \(pages?.text ?? "-") end \(end.rawValue)"
    let places = "\(way.kind) from \(way.first) next \(way.next?.text ?? "-")"
    return "\(places) \(ends) back \(looksBack) unchanging \(isUnchanging) plain \(startsPlain)"
  }
}

extension ManifestField {
  fileprivate var rule: String {
    let nulls = nulls.sorted().joined(separator: ",")
    return "field \(name) at \(path.text) text \(text?.text ?? "-") as \(type.rawValue) null \(nulls) \(isRequired) \(isDetail)"
  }
}
