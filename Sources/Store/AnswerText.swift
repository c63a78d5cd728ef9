internal import AggregatorCore

/// The parts of an answer as text that a person can read in the file.
enum AnswerText {
  static func bytes(of faults: [RowFault]) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(
      .list(
        faults.map {
          .object([Member(name: "reason", value: .text($0.reason)), Member(name: "digest", value: .text(String($0.digest, radix: 16)))])
        }))
    return writer.bytes
  }

  static func faults(_ bytes: [UInt8]) -> [RowFault] {
    guard let rows = try? JSON(bytes).elements else { return [] }
    return rows.map { row in
      RowFault((try? row.string("reason")) ?? "unknown", digest: (try? row.string("digest")).flatMap { UInt64($0, radix: 16) } ?? 0)
    }
  }
}

extension Continuation {
  /// `advance`, `end`, or `token …`.
  var text: String {
    switch self {
    case .advance: "advance"
    case .end: "end"
    case .token(let token): "token \(token)"
    }
  }

  init?(text: String) {
    switch text {
    case "advance": self = .advance
    case "end": self = .end
    case _ where text.hasPrefix("token "): self = .token(String(text.dropFirst(6)))
    default: return nil
    }
  }
}

extension Paging {
  /// `offset by 100 to total`, `number from 1 by 10 to empty`, `token by 50 to token`, `whole`.
  var text: String {
    let end =
      switch end {
      case .total: "total"
      case .emptyPage: "empty"
      case .lastToken: "token"
      case .never: "never"
      }
    switch style {
    case .whole: return "whole"
    case .offset: return "offset by \(size) to \(end)"
    case .number(let first): return "number from \(first) by \(size) to \(end)"
    case .token: return "token by \(size) to \(end)"
    }
  }

  init?(text: String) {
    let words = text.split(separator: " ")
    func number(after word: String) -> Int? {
      words.firstIndex { $0 == word }.flatMap { words.dropFirst($0 + 1).first }.flatMap { Int($0) }
    }
    let ends: [Substring: End] = ["total": .total, "empty": .emptyPage, "token": .lastToken, "never": .never]
    switch words.first {
    case "whole": self = .whole
    case "offset":
      guard let size = number(after: "by"), let end = words.last.flatMap({ ends[$0] }) else { return nil }
      self = .offset(size: size, end: end)
    case "number":
      guard let first = number(after: "from"), let size = number(after: "by"), let end = words.last.flatMap({ ends[$0] }) else {
        return nil
      }
      self = .numbered(from: first, size: size, end: end)
    case "token":
      guard let size = number(after: "by") else { return nil }
      self = .tokens(size: size)
    default: return nil
    }
  }
}
