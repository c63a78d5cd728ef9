/// A key that a service repeats in the address of its next page: kept as a mask there, and put back on the way to that service alone.
struct MaskedSecret: Sendable, Hashable {
  let secret: Secret
  /// Where it may go.
  let origin: WebAddress.Origin

  /// The mask as it stands in an address.
  static let encodedMask = PercentEncoding.query(Secret.mask)

  func puttingBack(into wire: WebAddress) -> WebAddress {
    guard wire.origin == origin else { return wire }
    var wire = wire
    let key = PercentEncoding.query(secret.reveal())
    wire.path = wire.path.replacingEach(Self.encodedMask, with: key)
    wire.query = wire.query?.replacingEach(Self.encodedMask, with: key)
    return wire
  }

  static func stands(in address: WebAddress) -> Bool {
    let text = address.path + (address.query ?? "")
    return text.replacingEach(encodedMask, with: "") != text
  }
}
