public import AggregatorCore
private import ProductsBundle

extension Source<Product> {
  /// A shop's products.
  public static var products: Source {
    Source(
      "products", "Products of a shop's service", settings: [.productsURL, .productsBudget], searches: "title or merchant",
      sample: SourceDescriptor.Sample(
        text: "kettle", id: "dcf98c13-f5c3-4067-a1e6-54b8408cd7c4", other: "2dce74da-0f94-478c-a83d-71e7de728f86"),
      live: { world in
        ProductService(
          client: try world.client(.productsURL, budget: world.settings.budget(.productsBudget, published: .unlimited)))
      },
      bundled: { try RecordList(rows: JSON(bytes(of: products_file())).elements, of: Product.schema) },
      recording: { bytes(of: products_recording()) })
  }
}

extension SourceDescriptor {
  /// The same source for the list of a command.
  public static let products = SourceDescriptor(Source<Product>.products)
}

extension Setting {
  /// The base address of the shop's service. Every shop has its own, so the default is this machine.
  public static let productsURL = Setting(
    "PRODUCTS_BASE_URL", .address, "base address of the products service", default: "http://localhost:3000")
  /// The request budget for the shop; unlimited by default.
  public static let productsBudget = Setting(
    "PRODUCTS_BUDGET", .budget, "request budget for the products service", default: "unlimited")
}

private func bytes(of file: ProductsFile) -> [UInt8] {
  Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
}
