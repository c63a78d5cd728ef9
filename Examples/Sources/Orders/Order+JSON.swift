import AggregatorCore

extension Order {
  /// From its own fields.
  public init(_ row: JSON) throws {
    try self.init(row, lines: row.array("lines"), replaces: row.stringIfPresent("replaces"))
  }

  /// From a node of the service, which wraps its lines in a connection, and the order that it replaces in an object.
  init(node: JSON) throws {
    try self.init(node, lines: node.object("lines").array("nodes"), replaces: node.objectIfPresent("replaces")?.string("id"))
  }

  private init(_ row: JSON, lines: JSON.Elements, replaces: String?) throws {
    id = try row.string("id")
    name = try row.string("name")
    let word = try row.string("state")
    guard let state = OrderState(rawValue: word) else { throw SourceError(.malformed, "\(row.path).state: unknown state \"\(word)\"") }
    self.state = state
    placedAt = try row.string("placedAt")
    total = try Money(row.object("total"))
    customer = try row.stringIfPresent("customer")
    self.lines = try lines.map(Line.init)
    self.replaces = replaces
  }
}

extension Order.Money {
  init(_ json: JSON) throws {
    amount = try json.string("amount")
    currency = try json.string("currency")
  }
}

extension Order.Line {
  init(_ json: JSON) throws {
    title = try json.string("title")
    quantity = try json.int("quantity")
    price = try Order.Money(json.object("price"))
  }
}
