/// An answer, whole: its body is bounded by the request's limits.
public struct HTTPResponse: Sendable, Hashable {
  public var status: Int
  public var headers: [Header]
  public var body: [UInt8]
  /// Where a redirect leads, word for word, where that holds a secret: the header tells it masked.
  var target: Secret?
  /// Who sent the request on to the other host that this came from, and to whom; nil where it came from the host that was asked.
  var detour: Detour?

  struct Detour: Sendable, Hashable {
    let from: WebAddress.Origin
    /// Nil where its name may hold a secret.
    let to: WebAddress.Origin?
  }

  public struct Header: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The first header of that name, whatever its case.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
