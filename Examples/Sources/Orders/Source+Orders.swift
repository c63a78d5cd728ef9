import AggregatorCore

extension SourceDescriptor {
  /// Orders of a shop: a GraphQL service with a key in a header, which is searched in a language of its own; a few are compiled in.
  public static let orders = Source(
    "orders", "Orders of a shop", settings: [.ordersURL, .ordersKey], searches: "name or customer",
    live: { OrdersService(client: try $0.client(.ordersURL, keys: [.header("Authorization", .ordersKey, scheme: "Bearer")])) },
    bundled: { try RecordList(rows: JSON(PackageResources.orders_json).asArray(), of: Order.schema) }
  ).descriptor
}

extension Setting {
  public static let ordersURL = Setting(
    "ORDERS_URL", .address, "where the service of the orders is", default: "https://shop.example/api/")
  public static let ordersKey = Setting("ORDERS_KEY", .secret, "the key to shop.example")
}
