public import AggregatorCore

/// Something a shop sells, in the fields that `aggregator products` prints.
public struct Product: Record {
  /// The shop's own.
  public var id = ""
  /// What the shop calls it.
  public var title: String?
  /// The shop that sells it.
  public var merchant: String?
  /// The shop's page about it.
  public var url: String?
  /// The addresses of pictures.
  public var images: [String] = []
  /// As the service writes it, mostly an ISO time.
  public var createdAt: String?
  /// As the service writes it, mostly an ISO time.
  public var updatedAt: String?

  public static let fields: [Field<Product>] = [
    Field("id", \.id, width: .whole),
    Field("title", \.title, .title, searchable: true),
    Field("merchant", \.merchant, .badge, searchable: true),
    Field("url", \.url, .link),
    // Read below: some rows have a text in place of a list.
    Field("images", .picture, width: .hidden) { $0.images },
    Field("createdAt", \.createdAt, .subtitle, width: .hidden).holding(.time),
    Field("updatedAt", \.updatedAt, width: .hidden).holding(.time),
  ]

  /// Without an id: to be filled in.
  public init() {}

  /// Reads a product and cleans it, whether the shop sent it or we wrote it: cleaning what is clean changes nothing.
  public init(_ row: JSON, as form: RowForm) throws {
    self.init()
    try read(row, as: form)
    (title, merchant, url) = (Self.said(title), Self.said(merchant), Self.said(url))
    images = try PictureAddresses.cleaned(PictureAddresses.listed(row["images"]))
  }
}

extension Product {
  /// A text that says something: shops write `none`, or a blank, for nothing.
  private static func said(_ text: String?) -> String? { text.flatMap { PictureAddresses.isPlaceholder($0) ? nil : $0 } }

  /// Whether the row said something that had to go: a placeholder for nothing, an address that was none, several, or a twin.
  func isCleaner(than row: JSON) throws -> Bool {
    let texts = try [row["title"], row["merchant"], row["url"]].compactMap { $0?.isNull ?? true ? nil : try $0?.asString() }
    if texts.contains(where: PictureAddresses.isPlaceholder) { return true }
    return try PictureAddresses.listed(row["images"]) != images
  }
}
