import AggregatorCore

/// One coffee bar of api.coffee-bars.example.
public struct CoffeeBar: Record {
  public var number = 0
  public var name = ""
  public var note: String?
  public var createdAt: Moment?
  public var score: Double?
  public var tags: [String] = []
  public var url: String?

  public var id: String { String(number) }

  public static let fields: [Field<CoffeeBar>] = [
    Field("id", \.number, width: .whole),
    Field("name", \.name, .title, searchable: true),
    Field("note", \.note, searchable: true),
    Field("createdAt", \.createdAt),
    Field("score", \.score),
    Field("tags", \.tags, searchable: true),
    Field("url", \.url, .link, width: .extra),
  ]

  public init() {}
}
