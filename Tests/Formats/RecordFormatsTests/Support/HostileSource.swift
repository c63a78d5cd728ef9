import AggregatorCore

/// A source whose fields have the names that break a careless pattern, each with another kind of values.
struct HostileSource: DataSource {
  let profile = Profile("hostile", paging: .offset(size: 4, end: .total))
  let schema: Schema<LooseRecord>

  func page(_ request: PageRequest) async throws -> Page<LooseRecord> { throw SourceError(.unavailable, "it has no service") }

  static let names = [
    "in", "check in", "check", "a in b", "not", "check not", "-minus", "minus", "--", "a=b", "a,b", ",", "null", "last", "(x)", "[", "'",
    "\\",
    #"say "hi""#, "\u{301}x", "x\u{600}", " blank ", "a.b", "🪨", "é", "$", "^", "a|b", ".*", "no.", "today", "__proto__", "a~", "<",
  ]

  static func descriptor() throws -> SourceDescriptor {
    let kinds: [LooseField.Kind] = [
      .text, .integer, .number, .bool, .time, .address, .any, .list(of: .text), .list(of: .time), .list(of: .integer), .decimal,
    ]
    let fields = names.enumerated().map { LooseField($1, kinds[$0 % kinds.count], searchable: true) }
    let part = LooseField("a", .part([LooseField("b", .time), LooseField("c.d", .part([LooseField("in", .integer), LooseField("x")]))]))
    let schema = try Schema([LooseField("id", role: .title), part] + fields, id: "id")
    return Source("hostile", "Hostile names", of: schema, searches: "everything", live: { _ in HostileSource(schema: schema) }).descriptor
  }
}
