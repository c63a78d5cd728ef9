package import AggregatorCore
package import Manifests

extension SourceDraft {
  /// The draft of a list as it was recorded; `request` is that for its first page.
  package init(_ name: String, of list: ListModel, asking request: NamedRequest) throws(SourceError) {
    (self.name, self.request) = (name, request)
    summary =
      "\(name.prefix(1).uppercased())\(String(name.dropFirst()).replacingEach("-", with: " ")) of \(request.address.host)"
    (rows, isKeyed, paging) = (list.items.value, list.isKeyed, list.paging.value)
    rowsMayBeMissing = list.rowsMayBeMissing
    unwrap = isKeyed ? nil : list.unwrap
    let call = Call(request)
    size = paging == .whole ? nil : list.size.flatMap { $0.confidence > .weak ? $0.value : nil }
    let asked = size.flatMap { size in list.pages.lazy.compactMap { $0.call[size].flatMap { Int($0) } }.first }
    pageSize = paging == .whole ? nil : max(1, asked ?? list.longestPage)
    total = list.total.flatMap { $0.confidence > .weak ? $0.value : nil }
    (pageCount, more) = (list.pageCount, paging == .whole ? nil : list.more?.value)
    doubt = list.unfollowed
    let counted = paging.isNamed ? nil : paging.parameter
    startsPlain = [counted, size].compactMap(\.self).contains { call[$0] == nil } && !paging.isKeyset
    // A size beside no place is the same in every request.
    if startsPlain, let parameter = size, call[parameter] != nil { size = nil }
    // Each row of an object stands in a member of what was made of it.
    let inner = isKeyed ? FieldPath(["value"]) : list.unwrap
    let key = list.key?.value
    let drafter = FieldDrafter(of: list.rows, key: key, title: list.title?.value ?? key, unwrap: inner)
    fields = drafter.fields
    if let key, let name = drafter.name(at: key) {
      self.key = [name]
    } else {
      self.key = try Self.jointKey(of: fields, in: list.rows, inner)
      // A key of several fields becomes the field "key".
      for index in fields.indices where fields[index].name == "key" { fields[index].name = "key_" }
    }
    if let guess = list.search, guess.confidence == .strong { search = (guess.value, nil) }
  }

  /// The same with what a probe found.
  init(_ name: String, of list: ListModel, asking request: NamedRequest, _ found: Found) throws(SourceError) {
    try self.init(name, of: list, asking: request)
    (size, pageSize, doubt, startsPlain) = (found.size, found.pageSize ?? pageSize, found.doubt, false)
  }

  /// The fewest fields that together differ in every row: those that stand first.
  private static func jointKey(of fields: [FieldDraft], in rows: [Value], _ unwrap: FieldPath?) throws(SourceError) -> [String]
  {
    let words = fields.filter { $0.type == .text || $0.type == .integer || $0.type == .address }.prefix(12).compactMap {
      field in
      let values = rows.map { field.value(in: $0, unwrap)?.word ?? "" }
      return values.contains("") ? nil : (name: field.name, values: values)
    }
    var (names, joined) = ([String](), rows.map { _ in "" })
    for (name, values) in words where Set(joined).count < rows.count {
      let longer = zip(joined, values).map { "\($0)/\($1)" }
      guard Set(longer).count > Set(joined).count else { continue }
      (names, joined) = (names + [name], longer)
    }
    guard !names.isEmpty else {
      throw SourceError(
        .malformed, "the rows have no text and no number that all of them have; a record needs something that it is known by")
    }
    return names
  }
}

extension PagingModel {
  /// What leads on behind a row is left out of the first request anyway.
  fileprivate var isKeyset: Bool { if case .keyset = self { true } else { false } }
}

extension Call {
  init(_ request: NamedRequest) {
    self.init(method: request.method.rawValue, request.address, body: request.body?.bytes)
  }
}
