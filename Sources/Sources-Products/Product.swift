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
    Field<Product>("id", width: .whole) { $0.id },
    Field<Product>("title", .title, searchable: true) { $0.title },
    Field<Product>("merchant", .badge, searchable: true) { $0.merchant },
    Field<Product>("url", .link) { $0.url },
    Field<Product>("images", .picture, width: .hidden) { $0.images },
    Field<Product>("createdAt", .subtitle, width: .hidden) { $0.createdAt }.holding(.time),
    Field<Product>("updatedAt", width: .hidden) { $0.updatedAt }.holding(.time),
  ]

  /// Reads a product, whether the shop sent it or we wrote it: the names are the same, and cleaning what is clean changes nothing.
  public init(_ row: JSON) throws {
    id = try row.string("id")
    title = try Self.said(row["title"])
    merchant = try Self.said(row["merchant"])
    url = try Self.said(row["url"])
    images = try PictureAddresses.cleaned(PictureAddresses.listed(row["images"]))
    createdAt = try row.stringIfPresent("createdAt")
    updatedAt = try row.stringIfPresent("updatedAt")
  }
}

extension Product {
  /// A text that says something: shops write `none`, or a blank, for nothing.
  private static func said(_ value: JSON?) throws -> String? {
    guard let value, !value.isNull else { return nil }
    let text = try value.asString()
    return PictureAddresses.isPlaceholder(text) ? nil : text
  }

  /// Whether the row said something that had to go: a placeholder for nothing, an address that was none, several, or a twin.
  func isCleaner(than row: JSON) throws -> Bool {
    let texts = try [row["title"], row["merchant"], row["url"]].compactMap { $0?.isNull ?? true ? nil : try $0?.asString() }
    if texts.contains(where: PictureAddresses.isPlaceholder) { return true }
    return try PictureAddresses.listed(row["images"]) != images
  }
}
