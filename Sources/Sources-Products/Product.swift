public import AggregatorCore

/// Something a shop sells, in the fields that `aggregator products` prints.
public struct Product: Record {
  public let id: String
  public let title: String?
  public let merchant: String?
  public let url: String?
  public let images: [String]
  public let createdAt: String?
  public let updatedAt: String?

  public static let fields = [
    Field<Product>("id", width: .hidden) { $0.id },
    Field<Product>("title", .title, searchable: true) { $0.title },
    Field<Product>("merchant", .badge, searchable: true) { $0.merchant },
    Field<Product>("url", .link) { $0.url },
    Field<Product>("images", .picture, width: .hidden) { $0.images },
    Field<Product>("createdAt", .subtitle, width: .hidden) { $0.createdAt },
    Field<Product>("updatedAt", width: .hidden) { $0.updatedAt },
  ]

  /// Reads a product, whether the shop sent it or we wrote it: the names are the same, and cleaning what is clean changes nothing.
  public init(_ row: JSON) throws {
    id = try row.string("id")
    title = try row.text("title")
    merchant = try row.text("merchant")
    url = try row.text("url").flatMap { $0 == "none" ? nil : $0 }
    images = try PictureAddresses.cleaned(PictureAddresses.listed(row["images"]))
    createdAt = try row.text("createdAt")
    updatedAt = try row.text("updatedAt")
  }
}

extension Product {
  /// Whether the row said something that had to go: a placeholder for nothing, an address that was none, several, or a twin.
  func isCleaner(than row: JSON) throws -> Bool {
    let texts = try [row["title"], row["merchant"], row["url"]].compactMap { $0?.isNull ?? true ? nil : try $0?.asString() }
    if texts.contains("") || texts.last == "none" { return true }
    return try PictureAddresses.listed(row["images"]) != images
  }
}
