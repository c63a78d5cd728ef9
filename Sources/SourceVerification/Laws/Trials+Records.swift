import AggregatorCore

// MARK: - Searching

extension Candidate {
  private static let nonsense = "qzxjkvw qzxjkvw"

  func search() async throws -> LawOutcome {
    guard bed.descriptor.searches != nil else { return .notApplicable("it declares no search") }
    let reaches: [World.Reach] = hasBundle ? [.live, .offline] : [.live]
    for reach in reaches {
      let examples = try await examples(in: open(reach))
      if examples.isEmpty { return .failed("no record has a text in a searchable field") }
      for example in examples {
        for needle in Self.needles(for: example.text) {
          let opened = try open(reach)
          let ids = try await walk(.matching(needle), bounds, opened).ids
          if opened.server.unrecorded > 0 { return .notApplicable("no search was recorded") }
          if !ids.contains(example.id) {
            return .failed("\"\(needle)\" does not find \(example.id), which contains \"\(example.text)\"")
          }
        }
      }
      let ids = try await walk(.matching(Self.nonsense), bounds, open(reach)).ids
      if !ids.isEmpty { return .failed("a nonsense text finds \(ids.count) records") }
    }
    return .passed
  }

  /// The text as it stands, in capitals and without marks; its words the other way round; and all its letters in one piece.
  private static func needles(for text: String) -> [String] {
    let sought = SearchText(text)
    let words = sought.words.map { String(decoding: $0, as: UTF8.self) }
    return Set([
      text, text.uppercased(), Fold.fold(text), words.reversed().joined(separator: " "),
      String(decoding: sought.whole, as: UTF8.self),
    ])
    .sorted()
  }

  /// Records, each with a text from one of its searchable fields: with marks, and of several words, if there are such.
  private func examples(in opened: TestBed.Opened) async throws -> [(id: String, text: String)] {
    func examples<Item>(of source: some DataSource<Item>) async throws -> [(id: String, text: String)] {
      let fields = source.schema.fields.filter { $0.outline.isSearchable }
      let pairs = try await source.page(PageRequest()).items.flatMap { item in
        fields.compactMap { $0.value(item).text }.filter { !$0.isEmpty }.map { (item.id, $0) }
      }
      let marked = pairs.first { !$0.1.utf8.allSatisfy { $0 < 0x80 } } ?? pairs.first
      let jointed = pairs.first { SearchText($0.1).words.count > 1 }
      return [marked, jointed].compactMap { $0 }
    }
    return try await examples(of: opened.source)
  }
}

// MARK: - Records

extension Candidate {
  func checkRoundTrip() async throws -> String? {
    func distortion<Item>(of source: some DataSource<Item>) async throws -> String? {
      let schema = source.schema
      for item in try await source.page(PageRequest()).items {
        let copy: Item
        do {
          copy = try schema.read(JSON(schema.value(of: item).bytes))
        } catch {
          return "\(item.id) cannot be read back from its own fields: \(error)"
        }
        if schema.identity(item.id) != item.id || !schema.answers(item, to: item.id) {
          return "\(item.id) is not found by its own ID"
        }
        if copy.id != item.id { return "\(item.id) comes back from its own fields as \(copy.id)" }
        let changed = (schema.fields + schema.searchOnly).filter { $0.value(copy) != $0.value(item) }.map { $0.name }
        if !changed.isEmpty {
          return "\(item.id) comes back from its own fields with another \(changed.joined(separator: ", "))"
        }
      }
      return nil
    }
    if let distortion = try await distortion(of: open().source) { return distortion }
    return hasBundle ? try await distortion(of: open(.offline).source) : nil
  }

  func checkDescription() async throws -> String? {
    let descriptor = bed.descriptor
    if descriptor.summary.isEmpty { return "the source has no summary" }
    for setting in descriptor.settings where setting.summary.isEmpty { return "the setting \(setting.name) has no summary" }
    if descriptor.searches?.isEmpty == true { return "the search does not say what it looks at" }
    func omission<Item>(of source: some DataSource<Item>) async throws -> String? {
      let fields = source.schema.outline
      if fields != descriptor.fields { return "its pages have other fields than it declares" }
      if fields.contains(where: \.name.isEmpty) { return "a field has no name" }
      if Set(fields.map(\.name)).count < fields.count { return "two fields have the same name" }
      if !fields.contains(where: { $0.role == .title || $0.name == "name" }) { return "no field is the record's title" }
      if fields.count(where: { $0.role == .title }) > 1 { return "two fields are the title" }
      let isSearchable = fields.contains(where: \.isSearchable)
      if descriptor.searches != nil, !isSearchable { return "it declares a search, but no field is searchable" }
      if descriptor.searches == nil, isSearchable { return "fields are searchable, but it declares no search" }
      for item in try await source.page(PageRequest()).items {
        if item.id.isEmpty { return "a record has no ID" }
        let shown = source.schema.value(of: item).value(at: source.schema.idPath.names[...])
        if shown != .text(item.id), shown != Int(item.id).map({ .int($0) }) {
          return "\(source.schema.idPath) does not show the ID \(item.id); name the field that does: Schema(fields, id: …)"
        }
      }
      return nil
    }
    return try await omission(of: open().source)
  }
}
