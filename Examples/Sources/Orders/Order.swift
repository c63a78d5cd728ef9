import AggregatorCore

/// An order of a shop: what it came to, who placed it, what was ordered, and which order it replaces.
public struct Order: Record {
  public let id: String
  public let name: String
  public let state: OrderState
  /// In UTC, as ISO 8601 has it.
  public let placedAt: String
  public let total: Money
  public let customer: String?
  public let lines: [Line]
  /// The order that this one was made for anew.
  public let replaces: String?

  public static let fields: [Field<Order>] = [
    Field<Order>("id", width: .whole) { $0.id },
    Field<Order>("name", .title, searchable: true) { $0.name },
    Field<Order>("state", .badge) { $0.state },
    Field<Order>("placedAt") { $0.placedAt }.holding(.time),
    Field<Order>("total") { $0.total },
    Field<Order>("customer", .subtitle, searchable: true) { $0.customer },
    Field<Order>("lines", width: .hidden) { $0.lines },
    Field<Order>("replaces", .reference, width: .hidden) { $0.replaces },
  ]

  public enum OrderState: String, Sendable, FieldValue {
    case open = "OPEN"
    case paid = "PAID"
    case refunded = "REFUNDED"

    public var fieldValue: Value { .text(rawValue) }
  }

  /// An amount with all its decimals, which a number would round.
  public struct Money: Part {
    public let amount: String
    public let currency: String

    public static let fields = [
      Field<Money>("amount") { $0.amount },
      Field<Money>("currency") { $0.currency },
    ]
    public static let phrase: Phrase? = "{amount} {currency}"
  }

  public struct Line: Part {
    public let title: String
    public let quantity: Int
    public let price: Money

    public static let fields = [
      Field<Line>("title") { $0.title },
      Field<Line>("quantity") { $0.quantity },
      Field<Line>("price") { $0.price },
    ]
    public static let phrase: Phrase? = "{quantity} {title}"
  }
}
