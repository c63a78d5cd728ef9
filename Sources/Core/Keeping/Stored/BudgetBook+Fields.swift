// The accounts of budgets, as a store holds them: each is one JSON object.
extension BudgetBook.Slot: Part {
  public static let fields: [Field<Self>] = [
    Field("ticket", \.ticket.stored), Field("at", \.moment.stored), Field("sender", \.sender),
  ]
}

extension BudgetBook.Account: Part {
  public static let fields: [Field<Self>] = [Field("open", \.open), Field("answered", \.answered.stored)]

  /// The account as a store holds it.
  package var body: [UInt8] { value.bytes }

  /// Reads ``body``. If somebody has edited it into something else, the account is empty.
  package init(stored body: [UInt8]) { self = (try? Self(JSON(body), as: .own)) ?? Self() }
}
