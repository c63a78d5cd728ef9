public import AggregatorCore

/// A product of a shop, with the fields that `aggregator products` prints.
public struct Product: Record {
  /// The ID from the shop.
  public var id = ""
  /// The name of the product in the shop.
  public var title: String?
  /// The shop that sells it.
  public var merchant: String?
  /// The address of the shop's page about it.
  public var url: String?
  /// The addresses of pictures.
  public var images: [String] = []
  /// The time of creation as the service writes it, usually in ISO form.
  public var createdAt: String?
  /// The time of the last change as the service writes it, usually in ISO form.
  public var updatedAt: String?

  public static let fields: [Field<Product>] = [
    Field("id", \.id, width: .whole),
    Field("title", \.title, .title, searchable: true),
    Field("merchant", \.merchant, .badge, searchable: true),
    Field("url", \.url, .link),
    // Read in `init(_:as:)`, because some rows have a text instead of a list.
    Field("images", .picture, width: .hidden) { $0.images },
    Field("createdAt", \.createdAt, .subtitle, width: .hidden).holding(.time),
    Field("updatedAt", \.updatedAt, width: .hidden).holding(.time),
  ]

  /// Makes a product without an ID, to be filled in.
  public init() {}

  /// Reads a product and cleans it, from the service or from our own copy. Cleaning a clean product changes nothing.
  public init(_ row: JSON, as form: RowForm) throws {
    self.init()
    try read(row, as: form)
    (title, merchant, url) = (Self.said(title), Self.said(merchant), Self.said(url))
    images = PictureAddresses.cleaned(PictureAddresses.listed(in: row))
  }
}

extension Product {
  /// Returns the text, or nil for `none` and blanks, which shops write for nothing.
  private static func said(_ text: String?) -> String? { text.flatMap { PictureAddresses.isPlaceholder($0) ? nil : $0 } }

  /// True when cleaning removed something from the row: a placeholder, or a bad, joined or double address.
  func isCleaner(than row: JSON) -> Bool {
    let texts = [row["title"], row["merchant"], row["url"]].compactMap { try? $0?.asString() }
    return texts.contains(where: PictureAddresses.isPlaceholder) || PictureAddresses.listed(in: row) != images
  }
}
