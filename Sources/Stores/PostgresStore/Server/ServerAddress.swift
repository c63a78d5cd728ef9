public import AggregatorCore
import Platform

/// The address of a store on a server: `postgresql://ada@db.example/notes?sslmode=require`, as libpq reads it.
///
/// Parts that the address leaves out come from libpq's own defaults: `PGPASSWORD` and the other variables, `~/.pgpass`, a service file.
public struct ServerAddress: Sendable, Hashable {
  /// The address as it was written, including the password.
  let text: Secret
  /// The address without its passwords, for a person.
  public let description: String
  /// The passwords in the address, which no output shows.
  public let secrets: [Secret]
  /// The role that opens the store, and the server's host and port; nil where the address leaves them out.
  let role, host, port: String?
  /// The time limit for connecting, if the address has one, such as `connect_timeout=20`.
  let connectingTime: Duration?

  /// Reads an address; nil unless `text` is the address of a server.
  ///
  /// A password may contain characters that should have been escaped. So all text where libpq might look for a password is treated as one.
  public init?(_ text: String) {
    let lowercased = text.lowercased()
    let scheme = lowercased.hasPrefix("postgresql://") ? "postgresql://" : "postgres://"
    guard lowercased.hasPrefix(scheme) else { return nil }
    let rest = text.dropFirst(scheme.count)
    var (shown, found): (String, [Substring]) = (String(rest), [])
    if let at = rest.lastIndex(of: "@"), let colon = rest[..<at].firstIndex(of: ":") {
      found.append(rest[rest.index(after: colon)..<at])
      shown = "\(rest[..<colon]):\(Secret.mask)\(rest[at...])"
    }
    let parts = shown.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 {
      let items = parts[1].split(separator: "&", omittingEmptySubsequences: false).map { item in
        guard let sign = item.firstIndex(of: "="), Self.decoded(item).lowercased().contains("password") else { return item }
        found.append(item[item.index(after: sign)...])
        return item[...sign] + Secret.mask
      }
      shown = "\(parts[0])?\(items.joined(separator: "&"))"
    }
    let named = Self.parts(of: shown)
    (role, host, port) = (named("user"), named("host"), named("port"))
    connectingTime = named("connect_timeout").flatMap { Int32($0) }.flatMap { $0 > 0 ? .seconds($0) : nil }
    self.text = Secret(scheme + rest)
    description = scheme + shown
    // An error may show a part of a password, if libpq took the rest for another part of the address.
    let pieces: [Substring] = found.flatMap { (text: Substring) -> [Substring] in
      text.split { "@:/?,;=".contains($0) }.filter { $0.count > 2 }
    }
    secrets = (found.filter { !$0.isEmpty } + pieces).flatMap { [Secret(String($0)), Secret(Self.decoded($0))] }
  }

  /// Returns a function that gives `user`, `host`, `port` and other parts of
  /// `ada@db.example:5432/notes?connect_timeout=20`. An item after `?` takes precedence.
  private static func parts(of text: String) -> (_ name: String) -> String? {
    let sides = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let authority = sides[0].prefix { $0 != "/" }
    let (user, server) =
      authority.lastIndex(of: "@").map { (authority[..<$0], authority[authority.index(after: $0)...]) } ?? ("", authority)
    var parts: [String: Substring] = ["user": user.prefix { $0 != ":" }, "host": server]
    if !server.hasSuffix("]"), let colon = server.lastIndex(of: ":") {
      (parts["host"], parts["port"]) = (server[..<colon], server[server.index(after: colon)...])
    }
    for item in sides.dropFirst().first?.split(separator: "&") ?? [] {
      guard let sign = item.firstIndex(of: "=") else { continue }
      parts[String(item[..<sign])] = item[item.index(after: sign)...]
    }
    return { [parts] name in parts[name].flatMap { $0.isEmpty ? nil : decoded($0) } }
  }

  /// Returns the command that creates a database of that name.
  func creation(of database: String?) -> String {
    let options = [("-h", host), ("-p", port), ("-U", role)].compactMap { name, value in
      value.map { "\(name) \(Paths.quoted($0))" }
    }
    return (["createdb"] + options + [Paths.quoted(database ?? "DATABASE")]).joined(separator: " ")
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
