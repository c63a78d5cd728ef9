package import AggregatorCore
import Bodies
import Programs

extension Manifest {
  /// Returns the rules that decide which rows a source has and how they are read. Labels and the display of fields do not count.
  ///
  /// Stored records belong to a digest of these texts, so a changed word here makes every list sync again. A new member that affects the
  /// rows gets a word here, only if it is set, and a test in `WhoseListTests`, because no other test fails without it.
  package func rules(of source: ManifestSource) -> ReadingRules {
    var rules = ReadingRules(request: source.program?.rules ?? source.list.request.identity)
    let parent = sources.first { $0.name == source.parent }
    let headers = headers.map { "header \($0.name)=\($0.value.text)" }
    let lines = headers + errors.compactMap(\.readingRule) + (parent?.rulesOfList ?? []) + source.rulesOfList
    rules.list = lines.joined(separator: "\n")
    let kept = Set(source.fields.map(\.readingRule))
    let needed = source.fields.filter { $0.isRequired || $0.name == source.key || source.keyParts.contains($0.name) }
    rules.rows = (lines.filter { !kept.contains($0) } + needed.map(\.readingRule)).joined(separator: "\n")
    rules.fields = Dictionary(source.fields.map { ($0.name, $0.rule) }) { $1 }
    if let search = source.search {
      rules.search = [search.request.readingRule, search.paging.readingRule, search.rows.readingRule].joined(separator: "\n")
    }
    if let detail = source.detail { rules.detail = "\(detail.request.readingRule) at \(detail.row.text)" }
    return rules
  }
}

extension ManifestSource {
  fileprivate var rulesOfList: [String] {
    let changes = changes.map { ["changes \($0.field) \($0.request.readingRule) \($0.overlap)"] } ?? []
    let key = "key \(([key] + keyParts).joined(separator: " "))"
    let body = body == .json ? [] : ["body \(body.rawValue)"]
    return [list.request.readingRule, list.rows.readingRule, list.paging.readingRule, key] + body
      + fields.map(\.readingRule).sorted() + changes
      + errors.compactMap(\.readingRule)
  }
}

extension ManifestRequest {
  fileprivate var readingRule: String { "\(method?.rawValue ?? "GET") \(identity)" }
}

extension ErrorRule {
  /// The rule, if it takes an answer for an empty list; nil for the others, which only choose an error.
  fileprivate var readingRule: String? {
    guard kind == .nothing else { return nil }
    let location = path.map { "at \($0.text)" } ?? header.map { "in \($0)" } ?? "-"
    let values = [value, other].map { $0.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "-" }
    return
      "nothing \(status.map(String.init) ?? "-") \(location) \(values[0]) not \(values[1]) \(isPresent.map { "\($0)" } ?? "-")"
  }
}

extension ManifestSource.RowLocation {
  fileprivate var readingRule: String {
    "rows \(path.text) unwrap \(unwrap?.text ?? "-") keyed \(keyed ?? "-") missing \(mayBeMissing)"
  }
}

extension ManifestPaging {
  /// The rule for how pages follow each other. The number of rows on a page does not matter.
  fileprivate var readingRule: String {
    let ends = "more \(more?.text ?? "-") total \(total?.text ?? "-") pages \(pages?.text ?? "-") end \(end.rawValue)"
    let steps = "\(way.kind) from \(way.first) next \(way.next?.text ?? "-")"
    return "\(steps) \(ends) back \(looksBack) unchanging \(isUnchanging) plain \(startsPlain)"
  }
}

extension ManifestField {
  fileprivate var rule: FieldRule {
    // Values of these types are stored much as they came, so that some other types can read them.
    let isPlain = [.text, .integer, .number, .decimal, .json].contains(type)
    let value = "\(path.text) text \(text?.text ?? "-") \(isPlain ? "plain" : type.rawValue) \(isDetail)"
    // A text has what came but not if that was a number, and a number has its value but not its digits.
    let readers: [ManifestField.Kind] =
      switch type {
      case .json: [.text, .integer, .number, .decimal]
      case .text: [.integer, .number, .decimal]
      case .integer, .decimal: [.integer, .number, .decimal, .text]
      case .number: [.integer, .decimal]
      default: []
      }
    return FieldRule(value: value, type: type.rawValue, nulls: Set(nulls), readers: Set(readers.map(\.rawValue)))
  }

  fileprivate var readingRule: String {
    let nulls = nulls.sorted().joined(separator: ",")
    return "field \(name) at \(path.text) text \(text?.text ?? "-") as \(type.rawValue) null \(nulls) \(isRequired) \(isDetail)"
  }
}
