public import AggregatorCore

/// The location of a number in an answer, such as the total of rows or of pages.
public enum NumberLocation: Sendable, Hashable {
  /// In the document, at this path.
  case body(ValuePath)
  /// In the header with this name.
  case header(String)
}

extension NumberLocation {
  /// The location as a manifest writes it: `meta.total`, `header X-Total`.
  package var text: String {
    switch self {
    case .body(let path): path.text
    case .header(let name): "header \(name)"
    }
  }
}

extension HTTPResponse {
  /// Returns the number in a header. For `Content-Range: items 0-19/57` it is the total of rows.
  package func number(inHeader name: String) -> Int? {
    guard let text = self[header: name] else { return nil }
    return Int(text.trimmingSpaces) ?? (name.lowercased() == "content-range" ? rowRange?.total : nil)
  }
}

extension NumberLocation: CustomStringConvertible {
  public var description: String {
    switch self {
    case .body(let path): "\(path)"
    case .header(let name): "the header \(name)"
    }
  }
}

/// The location of the flag that says whether there is more.
public struct MoreLocation: Sendable, Hashable {
  /// The path of the flag in the document.
  public let path: ValuePath
  /// True when the flag says that this is the last page, not that there is more.
  public let isNegated: Bool

  /// The flag at `path`.
  public init(path: ValuePath, isNegated: Bool = false) { (self.path, self.isNegated) = (path, isNegated) }

  /// The location as a manifest writes it: `has_more`, `not is_last`.
  package var text: String { "\(isNegated ? "not " : "")\(path.text)" }
}

extension MoreLocation: CustomStringConvertible {
  public var description: String { "\(path)\(isNegated ? ", true on the last page" : "")" }
}
