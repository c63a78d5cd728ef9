/// The parts of an answer as text that a person can read in a store.
package enum AnswerText {
  package static func bytes(of faults: [RowFault]) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(
      .list(
        faults.map { fault in
          .object([
            Member(name: "reason", value: fault.reason.map { .text($0) } ?? .null),
            Member(name: "digest", value: .text(String(fault.digest, radix: 16))),
            Member(name: "row", value: fault.row.map { .int($0) } ?? .null),
          ])
        }))
    return writer.bytes
  }

  package static func faults(_ bytes: [UInt8]) -> [RowFault] {
    guard let rows = try? JSON(bytes).elements else { return [] }
    return rows.map { row in
      RowFault(
        try? row.string("reason"), digest: (try? row.string("digest")).flatMap { UInt64($0, radix: 16) } ?? 0,
        row: (try? row.intIfPresent("row")) ?? nil)
    }
  }
}

extension Continuation {
  /// `advance`, `end`, or `token …`.
  package var text: String {
    switch self {
    case .advance: "advance"
    case .end: "end"
    case .token(let token): "token \(token)"
    }
  }

  package init?(text: String) {
    switch text {
    case "advance": self = .advance
    case "end": self = .end
    case _ where text.hasPrefix("token "): self = .token(String(text.dropFirst(6)))
    default: return nil
    }
  }
}

extension Paging {
  private static let ends: [(word: Substring, end: End)] = [
    ("total", .total), ("empty", .emptyPage), ("token", .lastToken), ("more", .more), ("never", .never),
  ]

  /// `offset by 100 to total`, `number from 1 by 10 to empty unchanging`, `token by 50 to token`, `keyset by 50 to more`, `whole`.
  package var text: String {
    let end = Self.ends.first { $0.end == self.end }?.word ?? "never"
    let manner = (style == .offset && !looksBack ? " blind" : "") + (isUnchanging ? " unchanging" : "")
    switch style {
    case .whole: return "whole"
    case .offset: return "offset by \(size) to \(end)\(manner)"
    case .number(let first): return "number from \(first) by \(size) to \(end)\(manner)"
    case .token: return "token by \(size) to \(end)\(manner)"
    case .keyset: return "keyset by \(size) to \(end)\(manner)"
    }
  }

  package init?(text: String) {
    let words = text.split(separator: " ")
    func word(after name: Substring) -> Substring? {
      guard let index = words.firstIndex(of: name), words.indices.contains(index + 1) else { return nil }
      return words[index + 1]
    }
    func number(after name: Substring) -> Int? { word(after: name).flatMap { Int($0) } }
    if words.first == "whole" {
      self = .whole
      return
    }
    guard let size = number(after: "by"), size > 0, let last = word(after: "to"),
      let end = Self.ends.first(where: { $0.word == last })?.end
    else { return nil }
    switch words.first {
    case "offset": self = .offset(size: size, end: end, lookingBack: !words.contains("blind"))
    case "number":
      guard let first = number(after: "from") else { return nil }
      self = .numbered(from: first, size: size, end: end)
    case "token": self = .tokens(size: size)
    case "keyset": self = .keyset(size: size, end: end)
    default: return nil
    }
    isUnchanging = words.contains("unchanging")
  }
}
