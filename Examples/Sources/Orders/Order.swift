import AggregatorCore

/// An order of a shop: what it came to, who placed it, what was ordered, and which order it replaces.
public struct Order: Record {
  public var id = ""
  public var name = ""
  public var state = State.open
  public var placedAt: Moment?
  public var total = Money()
  public var customer: String?
  public var lines: [Line] = []
  /// The order that this one was made for anew.
  public var replaces: String?

  public static let fields: [Field<Order>] = [
    Field("id", \.id, width: .whole),
    Field("name", \.name, .title, searchable: true),
    Field("state", \.state, .badge),
    Field("placedAt", \.placedAt),
    Field("total", \.total),
    Field("customer", \.customer, .subtitle, searchable: true),
    Field("lines", \.lines, from: "lines.nodes", width: .hidden),
    Field("replaces", \.replaces, .reference, from: "replaces.id", width: .hidden),
  ]

  public init() {}

  public enum State: String, FieldValue {
    case open = "OPEN"
    case paid = "PAID"
    case refunded = "REFUNDED"
  }

  public struct Line: Part {
    public var title = ""
    public var quantity = 0
    public var price = Money()

    public static let fields: [Field<Line>] = [
      Field("title", \.title), Field("quantity", \.quantity), Field("price", \.price),
    ]
    public static let lineFormat: LineFormat? = "{quantity} {title}"

    public init() {}
  }
}
