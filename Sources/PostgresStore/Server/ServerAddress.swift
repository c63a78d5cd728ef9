public import AggregatorCore

/// Where a store is on a server: `postgresql://ada@db.example/notes?sslmode=require`, as libpq reads it.
///
/// What it leaves open comes from libpq's own places: `PGPASSWORD` and the other variables, `~/.pgpass`, a service file.
public struct ServerAddress: Sendable, Hashable {
  /// The address as it was written, password and all.
  let text: Secret
  /// The address without its passwords, for a person.
  public let description: String
  /// The passwords that it holds, which appear nowhere.
  public let secrets: [Secret]

  /// Nil where `text` is no address of a server.
  public init?(_ text: String) {
    guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else { return nil }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    var (shown, found): (String, [Substring]) = (scheme, [])
    if let at = authority.lastIndex(of: "@") {
      let user = authority[..<at]
      shown += user.prefix { $0 != ":" }
      if let colon = user.firstIndex(of: ":") {
        found.append(user[user.index(after: colon)...])
        shown += ":\(Secret.mask)"
      }
      shown += authority[at...]
    } else {
      shown += authority
    }
    let path = rest[authority.endIndex...].prefix { $0 != "?" }
    shown += path
    for (index, item) in rest[path.endIndex...].dropFirst().split(separator: "&").enumerated() {
      let sides = item.split(separator: "=", maxSplits: 1)
      shown += index == 0 ? "?" : "&"
      if sides.count == 2, sides[0].lowercased().hasSuffix("password") {
        found.append(sides[1])
        shown += "\(sides[0])=\(Secret.mask)"
      } else {
        shown += item
      }
    }
    self.text = Secret(text)
    description = shown
    secrets = found.filter { !$0.isEmpty }.flatMap { [Secret(String($0)), Secret(Self.decoded($0))] }
  }

  private static func decoded(_ text: Substring) -> String {
    var (bytes, rest) = ([UInt8](), text.utf8[...])
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ServerAddress: CustomStringConvertible, CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: []) }
}
