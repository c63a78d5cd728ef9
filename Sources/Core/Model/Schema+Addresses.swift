extension Schema {
  /// Where a record's pictures are. A field for a picture holds one address, a list of them, or an object with an address for each size, of
  /// which the largest counts.
  public func pictures(of item: Item) -> [WebAddress] {
    var seen: Set<WebAddress> = []
    return fields.filter { $0.role == .picture }.flatMap { addresses(in: $0.value(item)) }.filter { seen.insert($0).inserted }
  }

  /// The page about a record; nil where it has none, or one that is no address of the web.
  public func link(of item: Item) -> WebAddress? {
    fields.lazy.filter { $0.role == .link }.flatMap { addresses(in: $0.value(item)) }.first
  }
}

private func addresses(in value: Value) -> [WebAddress] {
  switch value {
  case .text(let text): [address(text)].compactMap { $0 }
  case .list(let values): values.flatMap(addresses)
  case .object(let members): largest(of: members).map { [$0] } ?? []
  case .null, .bool, .int, .double, .decimal: []
  }
}

private func address(_ text: String) -> WebAddress? {
  let text = text.trimmingSpaces
  return WebAddress(text.hasPrefix("//") ? "https:" + text : text)
}

/// The address with the name of the largest size; the first of those that are alike.
private func largest(of members: [Member]) -> WebAddress? {
  var found: (address: WebAddress, size: Int)?
  for member in members {
    guard case .text(let text) = member.value, let address = address(text) else { continue }
    let size = size(member.name)
    if found.map({ $0.size < size }) ?? true { found = (address, size) }
  }
  return found?.address
}

/// How large a size is that somebody called `name`: `thumb`, `medium_url`, `w500`, `1280x720`.
private func size(_ name: String) -> Int {
  let name = name.lowercased()
  let numbers = name.split { !("0"..."9").contains($0) }.compactMap { Int($0) }.filter { $0 < 1 << 20 }
  // A number of pixels says it; a digit may count something else.
  if let most = numbers.max(), most >= 16 { return most }
  let known = [
    ("thumb", 150), ("tiny", 50), ("icon", 50), ("small", 300), ("medium", 500), ("original", 1 << 20), ("full", 1 << 20),
    ("super", 1100), ("xlarge", 1100), ("screen", 900), ("large", 1000),
  ]
  return known.first { name.contains($0.0) }?.1 ?? 400
}
